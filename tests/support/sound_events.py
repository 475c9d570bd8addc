"""Samples with true events and what a detector returns for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from auricle.core.types import Generation, Json, Sample, Segment
from tests.support.event_scores import CLASSES, EventCase

Event = tuple[float, float, str]


def make_sample(events: Iterable[Event], labels: Sequence[str] = CLASSES) -> Sample:
    target: list[Json] = [{"onset": onset, "offset": offset, "label": label} for onset, offset, label in events]
    return Sample(id="1", inputs={"choices": list(labels)}, target=target)


def make_output(events: Iterable[Event], score: float | None = None) -> Generation:
    return Generation(text="", segments=tuple(Segment(on, off, label, score=score) for on, off, label in events))


def list_detected(case: EventCase) -> list[tuple[Sample, Generation]]:
    """Return the recordings of a case with its detected events."""
    return [(make_sample(case.truth[name]), make_output(case.detections[name])) for name in case.truth]


def list_scored(case: EventCase) -> list[tuple[Sample, Generation]]:
    """Return the recordings of a case with a scored segment for every frame and class."""
    pairs = []
    for name in case.truth:
        edges, rows = case.edges[name], case.scores[name]
        segments = tuple(
            Segment(edges[index], edges[index + 1], label, score=row[place])
            for index, row in enumerate(rows)
            for place, label in enumerate(CLASSES)
        )
        pairs.append((make_sample(case.truth[name]), Generation(text="", segments=segments)))
    return pairs
