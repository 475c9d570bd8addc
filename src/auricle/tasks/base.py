"""What a benchmark is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError
from auricle.core.types import Json, RejectedRow, Sample
from auricle.data.row_files import Row, read_rows
from auricle.metrics.base import Metric
from auricle.tasks.inferencers import Inferencer
from auricle.text import resolve_profile_name


@dataclass(frozen=True)
class Task:
    """Samples, how to ask about them, and how to score the answers."""

    samples: Iterable[Sample | RejectedRow]
    inferencer: Inferencer
    metrics: Sequence[Metric]
    name: str = ""
    version: int = 1
    language: str = ""
    licence: str = ""
    source: str = ""
    cluster: str = ""
    """A meta field whose samples belong together, such as `speaker`: intervals resample it."""
    group_by: tuple[str, ...] = ()
    """Meta fields to break numbers down by; without any, all that have few values."""
    extra_context: Mapping[str, Json] = field(default_factory=dict)
    """What else a model may be told of this task, if it is one of those that want to know."""
    find_contamination: Callable[[str, Mapping[str, Any]], Sequence[str]] = lambda _model, _arguments: ()
    """What is known of a model, by name and arguments, having met this data in its training."""

    @property
    def revision(self) -> str:
        """Which data exactly; samples that know say so."""
        known: str = getattr(self.samples, "revision", "")
        return known

    @property
    def model_context(self) -> dict[str, Json]:
        """What models are told that want to know which task they are asked for."""
        return {"name": self.name, "language": self.language, **self.extra_context}

    def notes(self, model: str, arguments: Mapping[str, Any]) -> list[str]:
        """What a reader must know of this data, and of this model's having seen it, in sentences.

        Samples, or an inferencer, that have something to say of themselves have a method `notes`.
        """
        of_samples: Callable[[], Sequence[str]] = getattr(self.samples, "notes", list)
        of_asking: Callable[[], Sequence[str]] = getattr(self.inferencer, "notes", list)
        return [*of_samples(), *of_asking(), *self.find_contamination(model, arguments)]

    def with_profile(self, profile: str) -> Task:
        """The same task with its text normalised another way before scoring."""
        profile = resolve_profile_name(profile, self.language)
        metrics = [metric.with_profile(profile) if metric.with_profile else metric for metric in self.metrics]
        return replace(self, metrics=metrics)


def jsonl(path: str | Path) -> Iterator[dict[str, Any]]:
    """Rows of a JSON-lines file, for tasks that read their own; a bad line is an error here."""
    for row in read_rows(Path(path)):
        if not isinstance(row, Row):
            raise DataError(f"{row.origin}: {row.reason}")
        yield dict(row.values)
