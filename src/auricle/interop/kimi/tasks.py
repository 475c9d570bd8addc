"""Datasets of the evalkit as tasks: its rows and its questions, scored by metrics of ours."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError, SpecError
from auricle.core.types import Sample
from auricle.data.manifest import ColumnMapping
from auricle.interop.kimi.data_config import DataConfig, find_audio_root
from auricle.interop.kimi.datasets import Dataset, find_dataset, find_group
from auricle.interop.kimi.manifest import EvalkitManifest
from auricle.metrics.base import Metric
from auricle.metrics.labels import resolve_option
from auricle.tasks.base import Task
from auricle.tasks.kinds import TRANSCRIPT_METRICS, TaskKind, add_options, parse_options, require_transcript
from auricle.tasks.options import TaskOptions, parse_span
from auricle.tasks.recipes import build_recipe, required_fields

PROMPT = "{audio?}{question}"
"""What the evalkit gives a model: sounds, and a question that may be empty."""
IFEVAL = ("ifeval", "ifeval_prompt_strict", "ifeval_prompt_loose")
IFEVAL_ALL = (*IFEVAL, "ifeval_instruction_strict", "ifeval_instruction_loose")
METRICS_WITHOUT_JUDGE = {"advbench": ("refusal",), "ifeval": IFEVAL_ALL}
"""Open-ended datasets that no judge has to rate."""
RATED_SUBSET = "alpaca_eval"
"""The subset of OpenAudioBench that has no reference answers."""


def create_task_factory(name: str) -> Callable[..., Task]:
    """What makes the task of a dataset; a group is several, each run by itself."""
    return GroupTaskFactory(name) if find_group(name) else DatasetTaskFactory(name)


@dataclass(frozen=True)
class GroupTaskFactory:
    """A group of the evalkit's datasets."""

    name: str

    def members(self, arguments: Mapping[str, Any]) -> list[str]:
        """Those whose data is there; the others are told."""
        places = DataConfig.read(arguments.get("config"))
        there, lacking = [], []
        for each in find_group(self.name) or ():
            try:
                places.find_data_file(each)
                there.append(each.name)
            except DataError:
                lacking.append(each.name)
        if not there:
            raise SpecError(
                f"kimi:{self.name}: {places.path} leads to none of {', '.join(lacking)}. "
                "`auricle run kimi:NAME` says where one is looked for."
            )
        if lacking:
            count = f"{len(lacking)} of {len(there) + len(lacking)} datasets are"
            told = f"Note: kimi:{self.name}: {count} not there: {', '.join(lacking)}."
            sys.stderr.write(f"{told}\n")
        return there

    def __call__(self, **_: Any) -> Task:
        names = ", ".join(f"kimi:{each.name}" for each in find_group(self.name) or ())
        raise SpecError(f"kimi:{self.name} is several tasks; name one of them: {names}.")


@dataclass(frozen=True)
class DatasetTaskFactory:
    """One dataset, by its name in the evalkit or by its class."""

    name: str

    def members(self, _: Mapping[str, Any]) -> list[str]:
        """Itself, spelt as the evalkit spells it: one dataset is one run, however it is typed."""
        return [self.name if ":" in self.name else find_dataset(self.name).name]

    def resolve_arguments(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The same by where the rows and their sounds are: a config may say other by tomorrow."""
        given = dict(arguments)
        config = given.pop("config", None)
        if "data" in given:
            data = Path(str(given["data"])).expanduser().resolve()
            folders = (Path.cwd(), data.parent)
            found = {"root": str(find_audio_root(data, folders))} if data.is_file() else {}
            return {**found, **given, "data": str(data)}
        places = DataConfig.read(config)
        data = places.find_data_file(find_dataset(self.name))
        return {"data": str(data), "root": str(places.find_audio_root(data)), **given}

    def __call__(self, **arguments: Any) -> Task:
        found = find_dataset(self.name)
        settled = arguments if "root" in arguments else self.resolve_arguments(arguments)
        said = {"name": found.name, "language": found.lang, "by": ["subset"], **settled}
        return _build_task(found, TaskOptions.from_arguments(f"kimi:{self.name}", said))


def _build_task(dataset: Dataset, options: TaskOptions) -> Task:
    kind = _select_kind(dataset)
    asked = build_recipe(options, kind.prompt, kind.metrics, kind.default_inferencer)
    samples = EvalkitManifest(
        Path(options.data),
        kind.columns,
        root=Path(options.root) if options.root else None,
        transform=kind.sample_transform(asked),
        row_range=parse_span(options.rows),
        prompt_fields=required_fields(asked.displayed_prompt),
        dataset=dataset,
    )
    task = replace(kind.task_from_samples(options, asked, samples), extra_context=dataset.task_metadata)
    if dataset.name == "OpenAudioBench" and not options.metrics:
        return replace(task, metrics=_apply_by_subset(task.metrics))
    return task


def _select_kind(dataset: Dataset) -> TaskKind:
    """What is scored, and how a row is read."""
    columns = ColumnMapping(
        target_columns=("answer",),
        question_columns=("question",),
        requires_target=dataset.task != "Open-Ended",
        requires_media=True,
    )
    if dataset.task == "ASR":
        wanted = TRANSCRIPT_METRICS.get(dataset.lang, ("wer", "cer"))
        return TaskKind("asr", columns, PROMPT, wanted, require_transcript)
    if dataset.task == "MQA":
        return TaskKind("mcq", columns, PROMPT, ("option_accuracy",), _add_choices)
    if dataset.task == "Open-Ended":
        wanted = METRICS_WITHOUT_JUDGE.get(dataset.name.casefold(), ("judge-1-5", "empty"))
        return TaskKind("open", columns, PROMPT, wanted)
    wanted = ("judge-reference", "contains", "exact_match")
    return TaskKind("qa", columns, PROMPT, wanted, _split_references)


def _add_choices(sample: Sample) -> Sample:
    """Options of the question, each without what stands on the lines after it; and the answer."""
    question = str(sample.inputs["question"])
    given = sample.inputs.get("choices")
    listed = [each.partition("\n")[0].strip() for each in parse_options(question)]
    choices = [str(each) for each in given] if isinstance(given, list) else listed
    target = sample.target
    if choices and resolve_option(target, choices) is None:
        target = str(target).replace("_", " ").replace("/", " or ")  # as TUT2017 writes its labels
    inputs = {**sample.inputs, "choices": choices} if choices else sample.inputs
    return add_options(replace(sample, inputs=inputs, target=target))


def _split_references(sample: Sample) -> Sample:
    """Several right answers in one text, as OpenAudioBench has them, are several."""
    text = sample.target
    if not isinstance(text, str) or not text.startswith("["):
        return sample
    try:
        listed = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return sample
    several = isinstance(listed, list) and listed and all(isinstance(each, str) for each in listed)
    return replace(sample, target=listed) if several else sample


def _apply_by_subset(metrics: Any) -> list[Metric]:
    """Answers with a reference are held against it, those of the one subset without are rated."""
    from auricle.metrics.judge import judge_1_10

    def referred(sample: Sample) -> bool:
        return sample.meta.get("subset") != RATED_SUBSET

    return [
        *(replace(each, applies=referred) for each in metrics),
        replace(judge_1_10, applies=lambda sample: not referred(sample)),
    ]
