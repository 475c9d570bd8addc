"""Task kinds: what `--as KIND` makes of a data file."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from auricle.core.arguments import takes_options
from auricle.core.errors import SpecError
from auricle.core.features import find_parts
from auricle.core.storage import is_remote
from auricle.core.types import Sample
from auricle.data.huggingface import HF_PREFIX, HuggingFaceDataset
from auricle.data.manifest import ColumnMapping, Manifest
from auricle.data.prompts.few_shot import FewShotSelector, pool_path
from auricle.data.sources import DataSource
from auricle.engine.inferencers import Inferencer
from auricle.engine.recipes import Recipe, Samples, build_recipe, promote_columns, with_columns, with_shots
from auricle.engine.scored_language import ScoredLanguage, read_language
from auricle.engine.task import Task
from auricle.engine.task_options import (
    COLUMN_OPTIONS,
    GenerationOptions,
    ScoringOptions,
    TaskOptions,
    parse_row_range,
    split_list,
)
from auricle.metrics.base import Metric, resolve_metrics
from auricle.metrics.capabilities import Localized, Profiled, Restricted, UsesSynonyms, Voting
from auricle.metrics.multi_answer import apply_aggregations
from auricle.text import resolve_profile_name

MEDIA = ("video", "image", "audio")
MEDIA_TEMPLATE = "{video?}{image?}{audio?}"

SampleTransform = Callable[[Sample], Sample]


def first_target(sample: Sample) -> str:
    """Return the target as text, or the first of several targets."""
    target = sample.target
    return str(target[0] if isinstance(target, (list, tuple)) and target else target)


@takes_options(GenerationOptions)
@dataclass(frozen=True)
class TaskKind:
    """The defaults of a task kind: columns, prompt, metrics and inferencer."""

    name: str
    columns: ColumnMapping
    prompt: str
    metrics: tuple[str, ...]
    transform: SampleTransform = lambda sample: sample
    default_inferencer: str = "respond"
    format_answer: Callable[[Sample], str] = first_target
    """Formats the correct answer of a few-shot example."""
    decides_language: bool = False
    """Whether the rows decide how texts are scored if no language is stated."""
    language_column: str = "language"
    """The column that states the language of the target."""
    judged_metrics: tuple[str, ...] = ()
    """Metrics that are computed as well if there is a judge and the options choose no metric."""

    def __call__(self, **arguments: Any) -> Task:
        """Build a task from the options of a command line, a task file or Python."""
        return self.task_from_manifest(GenerationOptions.from_arguments(self.name, arguments))

    def task_from_manifest(self, options: GenerationOptions) -> Task:
        """Build a task from the manifest that the options name."""
        scored = self._find_scored_language(options)
        options = replace(options, scored_as=scored.code)
        metrics = self.default_metrics(scored)
        recipe = build_recipe(options, self.default_prompt(options), metrics, self.default_inferencer)
        samples = self._load_manifest(options, recipe)
        if not scored.is_read:
            return self.task_from_samples(options, recipe, samples)
        task = self.task_from_samples(options, recipe, samples.with_notes(scored.note))
        return replace(task, derived_args={"scored_as": scored.code})

    def default_metrics(self, language: ScoredLanguage) -> tuple[str, ...]:
        """Return the metrics that are used if the options have none."""
        return self.metrics

    def add_metrics(self, metrics: list[Metric], options: ScoringOptions) -> list[Metric]:
        """Return the metrics with those that options of the kind ask for."""
        return metrics

    def _find_scored_language(self, options: GenerationOptions) -> ScoredLanguage:
        """Return the stated language, or the one that the rows show if the metrics depend on it."""
        stated = _stated_language(options)
        is_needed = self.decides_language or find_parts("language_metrics").keys() & {*split_list(options.metrics)}
        if stated.code or options.reader or not is_needed:
            return stated
        rows = partial(load_manifest, options, self.columns, lambda sample: sample)
        return read_language(rows, self.language_column)

    def default_prompt(self, options: GenerationOptions) -> str:
        """Return the prompt that is used if the options have none."""
        return self.prompt

    def task_from_samples(self, options: GenerationOptions, recipe: Recipe, samples: Samples) -> Task:
        """Build a task from samples that come from anywhere."""
        if options.shots:
            shots = self._build_shots(options, recipe, samples)
            recipe, samples = with_shots(recipe, shots), shots.attach_to(samples)
        names = split_list(options.metrics) or recipe.metrics
        metrics = build_metrics(names, recipe.aggregations, options, add=self.add_metrics)
        if hasattr(recipe.inferencer, "further_metrics") and not options.metrics:
            metrics = list(map(allow_no_samples, metrics))
        task = build_task(self.name, options, samples, recipe.inferencer, metrics)
        if self.judged_metrics and not (options.metrics or options.rubric):
            task = replace(task, judged_metrics=build_metrics(self.judged_metrics, recipe.aggregations, options))
        return replace(task, extra_context={"kind": self.name})

    def sample_transform(self, recipe: Recipe) -> SampleTransform:
        """Return the function applied to every row: that of the kind, then `promote_columns`."""
        promote = promote_columns(recipe.displayed_prompt)
        return lambda sample: promote(self.transform(sample))

    def _load_manifest(self, options: GenerationOptions, recipe: Recipe) -> Manifest:
        manifest = load_manifest(options, self.columns, self.sample_transform(recipe))
        return with_columns(manifest, recipe.displayed_prompt)

    def _build_shots(self, options: GenerationOptions, recipe: Recipe, samples: Samples) -> FewShotSelector:
        if pool := pool_path(options.shots):
            samples = self._load_manifest(replace(options, data=pool, rows=""), recipe)
        format_answer = getattr(recipe.inferencer, "format_example_answer", self.format_answer)
        example_parts = recipe.prompt.example_parts if recipe.prompt else None
        return FewShotSelector.from_options(options.shots, samples, format_answer, example_parts)


def _stated_language(options: ScoringOptions) -> ScoredLanguage:
    """Return the language that the options state; several count as none."""
    return ScoredLanguage(options.scored_as or ("" if "," in options.language else options.language))


def build_task(
    kind: str, options: TaskOptions, samples: Samples, inferencer: Inferencer, metrics: Sequence[Metric]
) -> Task:
    """Build a task with the name, language and groups that the options select."""
    stem = _name_data(options.data)
    return Task(
        samples,
        inferencer,
        metrics,
        name=options.name or f"{kind}-{stem}",
        version=options.version,
        language=options.language,
        languages=options.languages or tuple(split_list(options.language)),
        licence=options.licence,
        source=options.source or options.data,
        citation=options.citation,
        cluster=options.cluster,
        group_by=tuple(split_list(options.by)),
    )


def _name_data(data: str) -> str:
    """Return the name of a file, of a folder or of what the names of several files have in common."""
    if data.startswith(HF_PREFIX):
        return PurePath(data.removeprefix(HF_PREFIX)).stem or "data"
    stem = PurePath(DataSource(data).name).stem
    return re.sub(r"\{[^}]*\}|\[[^\]]*\]|[*?]", "", stem).strip("-_. ") or "data"


def load_manifest(options: TaskOptions, columns: ColumnMapping, transform: SampleTransform) -> Manifest:
    """Open the data that the options name: files, local or at URLs, a Hugging Face dataset or a benchmark."""
    if options.question:
        columns = replace(columns, default_question=options.question)
    columns = replace(columns, chosen={role: name for role in COLUMN_OPTIONS if (name := getattr(options, role))})
    row_range = parse_row_range(options.rows)
    root_url = options.root if options.root and is_remote(options.root) else ""
    root = Path(options.root) if options.root and not root_url else None
    if options.reader:
        manifest: Manifest = options.reader(fields=columns, transform=transform, row_range=row_range)
        return manifest
    if options.data.startswith(HF_PREFIX) and not is_remote(options.data):
        return HuggingFaceDataset(
            Path(options.data),
            columns,
            root=root,
            transform=transform,
            row_range=row_range,
            config=options.config,
            split=options.split,
            pinned_revision=options.revision,
        )
    source = DataSource(options.data)
    is_local_file = source.is_single and not is_remote(options.data)
    return Manifest(
        Path(options.data),
        columns,
        root=root,
        transform=transform,
        row_range=row_range,
        source=None if is_local_file else source,
        root_url=root_url,
    )


def build_metrics(
    names: Sequence[str],
    aggregations: str | Sequence[str],
    options: ScoringOptions,
    *,
    add: Callable[[list[Metric], ScoringOptions], list[Metric]] | None = None,
) -> list[Metric]:
    """Return metrics by name, adapted to the language, profile and other options of a task.

    Args:
        names: Names of metrics or of sets.
        aggregations: How several answers are combined.
        options: Options of the task.
        add: Adds the metrics that options of a kind ask for.
    """
    scored = _stated_language(options)
    profile = resolve_profile_name(options.profile, scored.language) or scored.profile
    metrics = [metric for index, name in enumerate(names) for metric in _resolve_metrics(name, index)]
    if add:
        metrics = add(metrics, options)
    if options.rubric:
        metrics.append(_rubric_metric(options.rubric, metrics))
    if votes := options.votes:
        metrics = [metric.with_votes(votes) if isinstance(metric, Voting) else metric for metric in metrics]
    if not getattr(options, "synonyms", True):
        metrics = [metric.without_synonyms() if isinstance(metric, UsesSynonyms) else metric for metric in metrics]
    if profile:
        metrics = [metric.with_profile(profile) if isinstance(metric, Profiled) else metric for metric in metrics]
    metrics = [metric.with_language(scored.language) if isinstance(metric, Localized) else metric for metric in metrics]
    return apply_aggregations(metrics, split_list(aggregations)) if aggregations else metrics


def allow_no_samples(metric: Metric) -> Metric:
    """Return a default metric such that it is no failure if it applies to no sample, as one of barge-ins may not."""
    return metric if isinstance(metric, Restricted) else metric.replace(applies=lambda _sample: True)


def _resolve_metrics(name: str, index: int) -> list[Metric]:
    try:
        return resolve_metrics(name)
    except SpecError as error:
        error.location = error.location or ("metrics", index)
        raise


def _rubric_metric(path: str, others: Sequence[Metric]) -> Metric:
    from auricle.metrics.judge import load_rubric, make_judge_metric

    metric = make_judge_metric(load_rubric(Path(path)))
    if metric.name in {other.name for other in others}:
        raise SpecError(f"{path}: the task already has a metric named {metric.name!r}. Give the rubric another name.")
    return metric
