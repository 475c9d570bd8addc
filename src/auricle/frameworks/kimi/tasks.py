"""Tasks from the evalkit's datasets: its rows and questions, scored with Auricle's metrics or the evalkit's."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from auricle.core.arguments import takes_options
from auricle.core.errors import DataError, SpecError
from auricle.core.types import Json, Sample
from auricle.data.manifest import ColumnMapping
from auricle.engine.kinds import TaskKind
from auricle.engine.recipes import build_recipe, with_columns
from auricle.engine.task import Task
from auricle.engine.task_options import GenerationOptions, parse_row_range
from auricle.frameworks.exchange.result_files import parse_list_target
from auricle.frameworks.kimi.data import DataConfig, EvalkitManifest, audio_folders, find_audio_root
from auricle.frameworks.kimi.datasets import BASE_DATASETS, Dataset, find_dataset, find_group
from auricle.frameworks.kimi.judge_metrics import ANSWER_FIELD
from auricle.frameworks.kimi.metrics import PROFILE, select_metrics
from auricle.metrics.targets import SPOKEN_QUESTION_FIELD, resolve_option
from auricle.tasks.asr.kind import require_transcript
from auricle.tasks.questions.multiple_choice import check_answer, list_options, parse_options

PROMPT = "{audio?}{question}"
"""The evalkit's prompt: audio, and a question that may be empty."""
KINDS_BY_TASK = {"ASR": "asr", "MQA": "mcq", "Ref-QA": "qa", "Open-Ended": "open"}
"""The kind of task that scores a category of datasets."""


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
                available.append(dataset.task_name)
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


@takes_options(GenerationOptions)
@dataclass(frozen=True)
class DatasetTaskFactory:
    """Builds the task of one dataset, given by its name in the evalkit or its class path."""

    name: str

    def members(self, _: Mapping[str, Any]) -> list[str]:
        """Return the dataset itself, in the evalkit's spelling, so that every spelling names the same run."""
        return [self.name if ":" in self.name else find_dataset(self.name).task_name]

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
        dataset = find_dataset(self.name)
        data = config.find_data_file(dataset)
        audio_root = find_audio_root(data, (*audio_folders(dataset, config), data.parent))
        return {"data": str(data), "root": str(audio_root), **resolved}

    def __call__(self, **arguments: Any) -> Task:
        dataset = find_dataset(self.name)
        resolved = arguments if "root" in arguments else self.resolve_arguments(arguments)
        arguments = {"name": dataset.name, "language": dataset.lang, "by": ["subset"], **resolved}
        options = GenerationOptions.from_arguments(f"kimi:{self.name}", arguments)
        if dataset in BASE_DATASETS:
            dataset = replace(dataset, name=options.name, lang=options.language)
        return _build_task(dataset, options)


def _build_task(dataset: Dataset, options: GenerationOptions) -> Task:
    metric_sets = select_metrics(dataset, options.votes)
    kind = _select_kind(dataset, metric_sets.default)
    recipe = build_recipe(options, kind.prompt, kind.metrics, kind.default_inferencer)
    samples = EvalkitManifest(
        Path(options.data),
        kind.columns,
        root=Path(options.root) if options.root else None,
        transform=kind.sample_transform(recipe),
        row_range=parse_row_range(options.rows),
        dataset=dataset,
    )
    # The profile is applied last: it may replace the metrics.
    shown_samples = with_columns(samples, recipe.displayed_prompt)
    task = kind.task_from_samples(replace(options, profile=""), recipe, shown_samples)
    task = replace(task, extra_context={**dataset.task_metadata, **task.extra_context})
    if not options.metrics:
        task = replace(
            task,
            metrics=[*map(metric_sets.restrict, task.metrics), *metric_sets.by_subset],
            judged_metrics=metric_sets.judged,
            profile_metrics={PROFILE: [*metric_sets.evalkit, *(task.metrics[-1:] if options.rubric else ())]},
        )
    return task.with_profile(options.profile) if options.profile else task


def _select_kind(dataset: Dataset, metrics: tuple[str, ...]) -> TaskKind:
    """Return the kind of task: metrics, prompt and columns of a dataset."""
    columns = ColumnMapping(
        target_columns=("answer",),
        question_columns=("question",),
        requires_target=dataset.task != "Open-Ended",
        requires_media=True,
        id_columns=("index",),
    )
    return TaskKind(KINDS_BY_TASK[dataset.task], columns, PROMPT, metrics, SAMPLE_TRANSFORMS[dataset.task])


def _add_choices(sample: Sample) -> Sample:
    """Add the choices, parsed from the written or the spoken question if the row has none, and resolve the target."""
    row_choices, target = sample.inputs.get("choices"), sample.target
    questions = (sample.inputs["question"], sample.meta.get(SPOKEN_QUESTION_FIELD, ""))
    parsed_choices = next(filter(None, (parse_options(str(question)) for question in questions)), [])
    choices = [str(choice) for choice in row_choices] if isinstance(row_choices, list) else parsed_choices
    if choices and resolve_option(target, choices) is None:
        target = str(target).replace("_", " ").replace("/", " or ")  # as TUT2017 writes its labels
    inputs = {**sample.inputs, "choices": choices} if choices else sample.inputs
    return check_answer(list_options(_with_target(replace(sample, inputs=inputs), target)))


def _split_references(sample: Sample) -> Sample:
    """Split a target that is the text of a list, as in OpenAudioBench, into several references."""
    if not isinstance(sample.target, str):
        return sample
    references = parse_list_target(sample.target)
    is_text_list = isinstance(references, list) and all(isinstance(reference, str) for reference in references)
    return _with_target(sample, references) if is_text_list else sample


def _with_target(sample: Sample, target: Json) -> Sample:
    """Return the sample with another target; the answer of the row is kept in its metadata."""
    if target == sample.target:
        return sample
    return replace(sample, target=target, meta={**sample.meta, ANSWER_FIELD: sample.target})


SAMPLE_TRANSFORMS: Mapping[str, Callable[[Sample], Sample]] = {
    "ASR": require_transcript,
    "MQA": _add_choices,
    "Ref-QA": _split_references,
    "Open-Ended": lambda sample: sample,
}
