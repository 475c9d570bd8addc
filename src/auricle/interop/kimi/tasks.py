"""Tasks from the evalkit's datasets: its rows and questions, scored with Auricle's metrics."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError, SpecError
from auricle.core.types import Sample
from auricle.data.manifest import ColumnMapping
from auricle.interop.kimi.data import DataConfig, EvalkitManifest, find_audio_root
from auricle.interop.kimi.datasets import Dataset, find_dataset, find_group
from auricle.interop.result_files import parse_list_target
from auricle.metrics.base import Metric
from auricle.metrics.labels import resolve_option
from auricle.tasks.base import Task
from auricle.tasks.kinds import TRANSCRIPT_METRICS, TaskKind, add_options, parse_options, require_transcript
from auricle.tasks.options import TaskOptions, parse_row_range
from auricle.tasks.recipes import build_recipe, with_columns

PROMPT = "{audio?}{question}"
"""The evalkit's prompt: audio, and a question that may be empty."""
IFEVAL = ("ifeval", "ifeval_prompt_strict", "ifeval_prompt_loose")
IFEVAL_ALL = (*IFEVAL, "ifeval_instruction_strict", "ifeval_instruction_loose")
METRICS_WITHOUT_JUDGE = {"advbench": ("refusal",), "ifeval": IFEVAL_ALL}
"""Metrics of the open-ended datasets that need no judge."""
RATED_SUBSET = "alpaca_eval"
"""The subset of OpenAudioBench that has no reference answers."""


def create_task_factory(name: str) -> Callable[..., Task]:
    """Return the task factory of a dataset, or of a group of datasets that run one by one."""
    return GroupTaskFactory(name) if find_group(name) else DatasetTaskFactory(name)


@dataclass(frozen=True)
class GroupTaskFactory:
    """A group of the evalkit's datasets."""

    name: str

    def members(self, arguments: Mapping[str, Any]) -> list[str]:
        """Return the datasets whose data exists; a note on stderr lists the others."""
        config = DataConfig.read(arguments.get("config"))
        available, missing = [], []
        for dataset in find_group(self.name) or ():
            try:
                config.find_data_file(dataset)
                available.append(dataset.name)
            except DataError:
                missing.append(dataset.name)
        if not available:
            raise SpecError(
                f"kimi:{self.name}: no data found with {config.path} for {', '.join(missing)}. "
                "`auricle run kimi:NAME` shows where the data of one dataset is expected."
            )
        if missing:
            count = f"{len(missing)} of {len(available) + len(missing)} datasets"
            sys.stderr.write(f"Note: kimi:{self.name}: no data for {count}: {', '.join(missing)}.\n")
        return available

    def __call__(self, **_: Any) -> Task:
        names = ", ".join(f"kimi:{dataset.name}" for dataset in find_group(self.name) or ())
        raise SpecError(f"kimi:{self.name} is a group of tasks. Choose one of: {names}.")


@dataclass(frozen=True)
class DatasetTaskFactory:
    """Builds the task of one dataset, given by its name in the evalkit or its class path."""

    name: str

    def members(self, _: Mapping[str, Any]) -> list[str]:
        """Return the dataset itself, in the evalkit's spelling, so that every spelling names the same run."""
        return [self.name if ":" in self.name else find_dataset(self.name).name]

    def resolve_arguments(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Replace `config` by the paths of rows and audio, because a config may change later."""
        resolved = dict(arguments)
        config_file = resolved.pop("config", None)
        if "data" in resolved:
            data = Path(str(resolved["data"])).expanduser().resolve()
            folders = (Path.cwd(), data.parent)
            root = {"root": str(find_audio_root(data, folders))} if data.is_file() else {}
            return {**root, **resolved, "data": str(data)}
        config = DataConfig.read(config_file)
        data = config.find_data_file(find_dataset(self.name))
        audio_root = find_audio_root(data, (config.path.parent, Path.cwd(), data.parent))
        return {"data": str(data), "root": str(audio_root), **resolved}

    def __call__(self, **arguments: Any) -> Task:
        dataset = find_dataset(self.name)
        resolved = arguments if "root" in arguments else self.resolve_arguments(arguments)
        options = {"name": dataset.name, "language": dataset.lang, "by": ["subset"], **resolved}
        return _build_task(dataset, TaskOptions.from_arguments(f"kimi:{self.name}", options))


def _build_task(dataset: Dataset, options: TaskOptions) -> Task:
    kind = _select_kind(dataset)
    recipe = build_recipe(options, kind.prompt, kind.metrics, kind.default_inferencer)
    samples = EvalkitManifest(
        Path(options.data),
        kind.columns,
        root=Path(options.root) if options.root else None,
        transform=kind.sample_transform(recipe),
        row_range=parse_row_range(options.rows),
        dataset=dataset,
    )
    task = replace(
        kind.task_from_samples(options, recipe, with_columns(samples, recipe.displayed_prompt)),
        extra_context=dataset.task_metadata,
    )
    if dataset.name == "OpenAudioBench" and not options.metrics:
        return replace(task, metrics=_apply_by_subset(task.metrics))
    return task


def _select_kind(dataset: Dataset) -> TaskKind:
    """Return the kind of task: metrics, prompt and columns of a dataset."""
    columns = ColumnMapping(
        target_columns=("answer",),
        question_columns=("question",),
        requires_target=dataset.task != "Open-Ended",
        requires_media=True,
    )
    if dataset.task == "ASR":
        metrics = TRANSCRIPT_METRICS.get(dataset.lang, ("wer", "cer"))
        return TaskKind("asr", columns, PROMPT, metrics, require_transcript)
    if dataset.task == "MQA":
        return TaskKind("mcq", columns, PROMPT, ("option_accuracy",), _add_choices)
    if dataset.task == "Open-Ended":
        metrics = METRICS_WITHOUT_JUDGE.get(dataset.name.casefold(), ("judge-1-5", "empty"))
        return TaskKind("open", columns, PROMPT, metrics)
    metrics = ("judge-reference", "contains", "exact_match")
    return TaskKind("qa", columns, PROMPT, metrics, _split_references)


def _add_choices(sample: Sample) -> Sample:
    """Add the choices, parsed from the question if the row has none, and resolve the target."""
    question = str(sample.inputs["question"])
    row_choices = sample.inputs.get("choices")
    parsed_choices = [choice.partition("\n")[0].strip() for choice in parse_options(question)]
    choices = [str(choice) for choice in row_choices] if isinstance(row_choices, list) else parsed_choices
    target = sample.target
    if choices and resolve_option(target, choices) is None:
        target = str(target).replace("_", " ").replace("/", " or ")  # as TUT2017 writes its labels
    inputs = {**sample.inputs, "choices": choices} if choices else sample.inputs
    return add_options(replace(sample, inputs=inputs, target=target))


def _split_references(sample: Sample) -> Sample:
    """Split a target that is the text of a list, as in OpenAudioBench, into several references."""
    if not isinstance(sample.target, str):
        return sample
    references = parse_list_target(sample.target)
    is_text_list = isinstance(references, list) and all(isinstance(reference, str) for reference in references)
    return replace(sample, target=references) if is_text_list else sample


def _apply_by_subset(metrics: Any) -> list[Metric]:
    """Score answers that have a reference against it, and rate those of the subset without references."""
    from auricle.metrics.judge import judge_1_10

    def has_reference(sample: Sample) -> bool:
        return sample.meta.get("subset") != RATED_SUBSET

    return [
        *(replace(metric, applies=has_reference) for metric in metrics),
        replace(judge_1_10, applies=lambda sample: not has_reference(sample)),
    ]
