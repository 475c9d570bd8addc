"""The `Task` class, and a reader of JSONL files for tasks written in Python."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError
from auricle.core.judge_roles import JudgeRole
from auricle.core.types import Json, RejectedRow, Sample
from auricle.data.file_formats import Row, read_rows
from auricle.engine.inferencers import Inferencer
from auricle.engine.scored_language import DEFAULT_PROFILES
from auricle.engine.task_options import split_list
from auricle.metrics.base import Metric, resolve_metrics
from auricle.metrics.capabilities import Localized, Profiled
from auricle.metrics.multi_answer import apply_aggregations
from auricle.metrics.unread_judge import let_judge_read
from auricle.runs.metrics import Metrics
from auricle.runs.verdicts import Judge
from auricle.text import resolve_profile_name


@dataclass(frozen=True)
class Task:
    """Samples, how to ask a model about them, and how to score its answers.

    Args:
        samples: The samples, in a fixed order. They may have a `revision` (an identifier of the data) and a method
            `notes()` that returns warnings about the data.
        inferencer: How a sample becomes requests. It may have a method `notes()`, too.
        metrics: The metrics to compute. The first is the headline, by which models are ranked.
        metrics_depend_on_output: Whether the metrics are for several kinds of models, none of which has to produce all,
            such as labels and dimensions of emotion. The first that a model has is then the headline.
        judged_metrics: Further metrics, computed only if there is a model of their role, such as a judge.
        profile_metrics: Metrics that replace the others under the profile of another framework, by the name of the
            profile without a language: its own set of metrics under `kimi`, for instance.
        name: Name shown in reports.
        version: Increase it when the same answers would give other numbers: a number, or text such as `1.10`.
        language: Language code of the answers, such as `en`.
        languages: Codes of all languages in the data.
        licence: Licence of the data.
        source: Where the data comes from.
        citation: The publication to cite.
        cluster: Metadata field whose values are the independent units of intervals and tests, such as `speaker`, or
            `none` if all samples are independent. Default: the first of `speaker`, `speaker_id`, `spk` and `session`
            that the samples have and that repeats.
        group_by: Metadata fields to break numbers down by. By default, all fields with few values.
        derived_args: Arguments of scoring that were read from the data. A run stores them, so that scoring it again
            does not depend on the data.
        extra_context: Further facts about the task for models that set `wants_context`.
        find_contamination: Function of model name and model arguments that returns notes about a model that may have
            been trained on this data.

    Examples:
        >>> from auricle import Sample, Task
        >>> from auricle.engine.inferencers import Respond
        >>> task = Task(
        ...     samples=[Sample(id="1", inputs={"question": "What is 2 + 2?"}, target="4")],
        ...     inferencer=Respond("{question}"),
        ...     metrics=[],
        ...     name="sums",
        ... )
        >>> task.model_context
        {'name': 'sums', 'language': ''}
    """

    samples: Iterable[Sample | RejectedRow]
    inferencer: Inferencer
    metrics: Sequence[Metric]
    metrics_depend_on_output: bool = field(default=False, kw_only=True)
    judged_metrics: Sequence[Metric] = field(default=(), kw_only=True)
    profile_metrics: Mapping[str, Sequence[Metric]] = field(default_factory=dict, kw_only=True)
    name: str = ""
    version: int | str = 1
    language: str = ""
    languages: tuple[str, ...] = field(default=(), kw_only=True)
    licence: str = ""
    source: str = ""
    citation: str = field(default="", kw_only=True)
    cluster: str = ""
    group_by: tuple[str, ...] = ()
    derived_args: Mapping[str, Json] = field(default_factory=dict, kw_only=True)
    extra_context: Mapping[str, Json] = field(default_factory=dict)
    find_contamination: Callable[[str, Mapping[str, Any]], Sequence[str]] = lambda _model, _arguments: ()

    @property
    def revision(self) -> str:
        """An identifier of the data, or an empty string if the samples have none."""
        revision: str = getattr(self.samples, "revision", "")
        return revision

    @property
    def model_context(self) -> dict[str, Json]:
        """Facts about the task for models that set `wants_context`."""
        return {"name": self.name, "language": self.language, **self.extra_context}

    def notes(self, model: str, arguments: Mapping[str, Any]) -> list[str]:
        """Return warnings about the data, and about this model having been trained on it.

        Args:
            model: Name of the model.
            arguments: Arguments of the model.

        Returns:
            Whole sentences for the report.
        """
        sample_notes: Callable[[], Sequence[str]] = getattr(self.samples, "notes", list)
        inferencer_notes: Callable[[], Sequence[str]] = getattr(self.inferencer, "notes", list)
        return [*sample_notes(), *inferencer_notes(), *self.find_contamination(model, arguments)]

    def find_missing_headline(self, results: Metrics) -> str:
        """Return the headline metric if it could not be computed from the answers; else an empty text."""
        names = [metric.name for metric in self.metrics if not metric.is_model_independent]
        headlines = names if self.metrics_depend_on_output else names[:1]
        if {number.metric for number in results.overall}.intersection(headlines):
            return ""
        return next((name for name in headlines if name in results.not_computed), "")

    def with_profile(self, profile: str) -> Task:
        """Return the same task with another text normaliser.

        Args:
            profile: Name of the normaliser; see `auricle list profiles`.

        Returns:
            A copy whose metrics normalise text with this profile. Metrics that compare no text are unchanged. If the
            task has metrics of its own for the profile, these replace all others.
        """
        profile = self._resolve_profile(profile)
        family = next((name for name in self.profile_metrics if f"{profile}-".startswith(f"{name}-")), "")
        task = replace(self, metrics=self.profile_metrics[family], judged_metrics=()) if family else self
        metrics = [metric.with_profile(profile) if isinstance(metric, Profiled) else metric for metric in task.metrics]
        return replace(task, metrics=metrics)

    def with_profiles(self, profiles: Sequence[str]) -> Task:
        """Return the same task with its metrics under one or more text normalisers, side by side.

        Args:
            profiles: Names of normalisers. Metrics keep their names under the first; under each further one,
                `wer` is named `wer@basic`. Without any, the task is returned unchanged.
        """
        if not profiles:
            return self
        task = self.with_profile(profiles[0])
        metrics = list(task.metrics)
        for profile in map(self._resolve_profile, profiles[1:]):
            names, signatures = {metric.name for metric in metrics}, {metric.signature for metric in metrics}
            others = [other for other in self.with_profile(profile).metrics if other.signature not in signatures]
            metrics += [other.named_after_profile() if other.name in names else other for other in others]
        return replace(task, metrics=metrics)

    def _resolve_profile(self, profile: str) -> str:
        return resolve_profile_name(profile, self.language)

    def with_metrics(self, names: Sequence[str]) -> Task:
        """Return the same task with other metrics, under the text normaliser of its own.

        Args:
            names: Names of metrics or of sets of metrics, or `file.py:function`.
        """
        metrics = self._adapt_metrics(names)
        return replace(self, metrics=metrics, judged_metrics=(), profile_metrics={})

    def with_added_metrics(self, names: Sequence[str], answers: str | Sequence[str] = "") -> Task:
        """Return the same task with further metrics beside its own, under the text normaliser of these.

        Args:
            names: Names of metrics or of sets of metrics, or `file.py:function`. Those that the task has are left out.
            answers: How several answers of a sample are combined.
        """
        metrics = self._adapt_metrics(names)
        if answers:
            metrics = apply_aggregations(metrics, split_list(answers))
        return self._extend(metrics)

    def _adapt_metrics(self, names: Sequence[str], profile: str = "") -> list[Metric]:
        """Return metrics by name, for the language of the task and under its text normaliser."""
        metrics = [metric for name in names for metric in resolve_metrics(name)]
        metrics = [
            metric.with_language(self.language) if isinstance(metric, Localized) else metric for metric in metrics
        ]
        profile = profile or next((metric.profile for metric in self.metrics if metric.profile), "")
        return [
            metric.with_profile(profile) if profile and isinstance(metric, Profiled) else metric for metric in metrics
        ]

    def with_judges(self, judges: Collection[Judge], profile: str = "", *, is_chosen: bool = False) -> Task:
        """Return the same task with what judges make possible.

        Args:
            judges: Models that judge answers, and those of other roles. The task gets those of its judged metrics that
                have requests for them, and the usual metrics of these roles.
            profile: Text normaliser of the added metrics. Default: that of the task's own.
            is_chosen: Whether the metrics of the task were chosen by name. It then gets the usual ones only for models
                that would have no use otherwise.
        """
        added = [metric for metric in self.judged_metrics if any(judge.serves(metric) for judge in judges)]
        for judge in judges:
            if not (is_chosen and any(judge.serves(metric) for metric in (*self.metrics, *added))):
                usual = self._adapt_metrics(judge.role.metrics, self._choose_profile(profile))
                added += filter(judge.serves, usual)
        task = self._extend(added)
        if any(judge.role is JudgeRole.UNREAD for judge in judges):
            task = replace(task, metrics=tuple(map(let_judge_read, task.metrics)))
        return task

    def _extend(self, metrics: Iterable[Metric]) -> Task:
        """Return the same task with further metrics, except those that it has."""
        names = {metric.name for metric in self.metrics}
        added = {metric.name: metric for metric in metrics if metric.name not in names}
        return replace(self, metrics=(*self.metrics, *added.values())) if added else self

    def _choose_profile(self, profile: str) -> str:
        """Return the name of a text normaliser, that of the task's own metrics, or the usual one of its language."""
        own = (metric.profile for metric in self.metrics if metric.profile)
        return self._resolve_profile(profile) if profile else next(own, DEFAULT_PROFILES.get(self.language, ""))


def jsonl(path: str | Path) -> Iterator[dict[str, Any]]:
    r"""Yield the rows of a JSONL file, for tasks written in Python.

    Args:
        path: The file.

    Yields:
        One dictionary per line.

    Raises:
        DataError: if a line is not a JSON object.

    Examples:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "words.jsonl")
        >>> _ = path.write_text('{"word": "cat"}\n{"word": "dog"}\n')
        >>> [row["word"] for row in jsonl(path)]
        ['cat', 'dog']
    """
    for row in read_rows(Path(path)):
        if not isinstance(row, Row):
            raise DataError(f"{row.origin}: {row.reason}")
        yield dict(row.values)


def count_samples(samples: Iterable[Sample | RejectedRow], limit: int | None) -> int | None:
    """Return how many samples there are up to a limit, if that is known without reading them."""
    try:
        size = len(samples)  # type: ignore[arg-type]  # not all samples have a length
    except (TypeError, OSError):
        return limit
    return min(size, limit) if limit else size
