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
from auricle.data.manifest import Fields
from auricle.interop.kimi.data import Rows
from auricle.interop.kimi.datasets import Dataset, dataset, group
from auricle.interop.kimi.paths import Places, sounds_from
from auricle.metrics.base import Metric
from auricle.metrics.labels import option_index
from auricle.tasks.base import Task
from auricle.tasks.kinds import (
    TRANSCRIPT_METRICS,
    Kind,
    listed_options,
    with_one_transcript,
    with_options,
)
from auricle.tasks.options import Options, span_of
from auricle.tasks.recipes import shown_always, way

PROMPT = "{audio?}{question}"
"""What the evalkit gives a model: sounds, and a question that may be empty."""
IFEVAL = ("ifeval", "ifeval_prompt_strict", "ifeval_prompt_loose")
IFEVAL_ALL = (*IFEVAL, "ifeval_instruction_strict", "ifeval_instruction_loose")
SCORED_ALONE = {"advbench": ("refusal",), "ifeval": IFEVAL_ALL}
"""Open-ended datasets that no judge has to rate."""
RATED = "alpaca_eval"
"""The subset of OpenAudioBench that has no reference answers."""


def maker(name: str) -> Callable[..., Task]:
    """What makes the task of a dataset; a group is several, each run by itself."""
    return GroupTask(name) if group(name) else DatasetTask(name)


@dataclass(frozen=True)
class GroupTask:
    """A group of the evalkit's datasets."""

    name: str

    def members(self, arguments: Mapping[str, Any]) -> list[str]:
        """Those whose data is there; the others are told."""
        places = Places.read(arguments.get("config"))
        there, lacking = [], []
        for each in group(self.name) or ():
            try:
                places.find(each)
                there.append(each.name)
            except DataError:
                lacking.append(each.name)
        if not there:
            raise SpecError(
                f"kimi:{self.name}: {places.config} leads to none of {', '.join(lacking)}. "
                "`auricle run kimi:NAME` says where one is looked for."
            )
        if lacking:
            count = f"{len(lacking)} of {len(there) + len(lacking)} datasets are"
            told = f"Note: kimi:{self.name}: {count} not there: {', '.join(lacking)}."
            sys.stderr.write(f"{told}\n")
        return there

    def __call__(self, **_: Any) -> Task:
        names = ", ".join(f"kimi:{each.name}" for each in group(self.name) or ())
        raise SpecError(f"kimi:{self.name} is several tasks; name one of them: {names}.")


@dataclass(frozen=True)
class DatasetTask:
    """One dataset, by its name in the evalkit or by its class."""

    name: str

    def members(self, _: Mapping[str, Any]) -> list[str]:
        """Itself, spelt as the evalkit spells it: one dataset is one run, however it is typed."""
        return [self.name if ":" in self.name else dataset(self.name).name]

    def resolve_arguments(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The same by where the rows and their sounds are: a config may say other by tomorrow."""
        given = dict(arguments)
        config = given.pop("config", None)
        if "data" in given:
            data = Path(str(given["data"])).expanduser().resolve()
            folders = (Path.cwd(), data.parent)
            found = {"root": str(sounds_from(data, folders))} if data.is_file() else {}
            return {**found, **given, "data": str(data)}
        places = Places.read(config)
        data = places.find(dataset(self.name))
        return {"data": str(data), "root": str(places.base(data)), **given}

    def __call__(self, **given: Any) -> Task:
        found = dataset(self.name)
        settled = given if "root" in given else self.resolve_arguments(given)
        said = {"name": found.name, "language": found.lang, "by": ["subset"], **settled}
        return _task(found, Options.of(f"kimi:{self.name}", said))


def _task(found: Dataset, options: Options) -> Task:
    kind = _kind(found)
    asked = way(options, kind.prompt, kind.metrics, kind.use)
    samples = Rows(
        Path(options.data),
        kind.columns,
        root=Path(options.root) if options.root else None,
        finish=kind.finished(asked),
        span=span_of(options.rows),
        shows=shown_always(asked.shows),
        dataset=found,
    )
    task = replace(kind.over(options, asked, samples), about=found.about)
    if found.name == "OpenAudioBench" and not options.metrics:
        return replace(task, metrics=_by_subset(task.metrics))
    return task


def _kind(found: Dataset) -> Kind:
    """What is scored, and how a row is read."""
    columns = Fields(
        target=("answer",),
        question=("question",),
        target_needed=found.task != "Open-Ended",
        media_needed=True,
    )
    if found.task == "ASR":
        wanted = TRANSCRIPT_METRICS.get(found.lang, ("wer", "cer"))
        return Kind("asr", columns, PROMPT, wanted, with_one_transcript)
    if found.task == "MQA":
        return Kind("mcq", columns, PROMPT, ("option_accuracy",), _with_choices)
    if found.task == "Open-Ended":
        wanted = SCORED_ALONE.get(found.name.casefold(), ("judge-1-5", "empty"))
        return Kind("open", columns, PROMPT, wanted)
    wanted = ("judge-reference", "contains", "exact_match")
    return Kind("qa", columns, PROMPT, wanted, _with_references)


def _with_choices(sample: Sample) -> Sample:
    """Options of the question, each without what stands on the lines after it; and the answer."""
    question = str(sample.inputs["question"])
    given = sample.inputs.get("choices")
    listed = [each.partition("\n")[0].strip() for each in listed_options(question)]
    choices = [str(each) for each in given] if isinstance(given, list) else listed
    target = sample.target
    if choices and option_index(target, choices) is None:
        target = str(target).replace("_", " ").replace("/", " or ")  # as TUT2017 writes its labels
    inputs = {**sample.inputs, "choices": choices} if choices else sample.inputs
    return with_options(replace(sample, inputs=inputs, target=target))


def _with_references(sample: Sample) -> Sample:
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


def _by_subset(metrics: Any) -> list[Metric]:
    """Answers with a reference are held against it, those of the one subset without are rated."""
    from auricle.metrics.judge import judge_1_10

    def referred(sample: Sample) -> bool:
        return sample.meta.get("subset") != RATED

    return [
        *(replace(each, applies=referred) for each in metrics),
        replace(judge_1_10, applies=lambda sample: not referred(sample)),
    ]
