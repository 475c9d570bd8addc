"""Segment-based metrics of sound event detection: is a class active in a segment of time?

Time is divided into segments of equal length, and a class is active in every segment that one of its events overlaps,
however little. In a segment, a class that is missed and another one that is wrongly detected are one substitution.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auricle.core.errors import SampleError
from auricle.core.types import Output, Sample
from auricle.metrics.base import Array, Details, Metric, RatioAggregator
from auricle.tasks.sound_events.metrics.counts import COUNTED_F1, MacroF1, rate_counts
from auricle.tasks.sound_events.metrics.event_lists import (
    DEFAULT_THRESHOLD,
    MAX_GAP,
    Spans,
    compare_classes,
    describe_settings,
)

DEFAULT_RESOLUTION = 1.0
MAX_SEGMENTS = 10_000_000
"""Most segments of a recording; a resolution that needs more is refused."""


def mark_segments(spans: Spans, resolution: float, count: int) -> NDArray[np.bool_]:
    """Return in which of `count` segments any of the spans is active.

    >>> mark_segments([(0.5, 2.0)], 1.0, 4).tolist()
    [True, True, False, False]
    """
    active = np.zeros(count, dtype=bool)
    for start, end in spans:
        first, last = (start + MAX_GAP) / resolution, (end - MAX_GAP) / resolution
        active[max(0, math.floor(first)) : max(0, math.ceil(last))] = True
    return active


@dataclass(frozen=True, slots=True)
class SegmentTable:
    """Activity of all classes: a row per class, a column per segment."""

    truth: NDArray[np.bool_]
    detected: NDArray[np.bool_]

    @classmethod
    def of(
        cls, sample: Sample, output: Output, resolution: float, threshold: float, seconds: float = 0.0
    ) -> SegmentTable:
        """Compare the events of a recording; `seconds` is its duration, if known."""
        classes = compare_classes(sample, output, threshold, seconds)
        ends = [end for sides in classes.values() for spans in sides for _, end in spans]
        count = math.ceil(max([seconds, *ends]) / resolution - MAX_GAP)
        if count > MAX_SEGMENTS:
            raise SampleError(f"a resolution of {resolution:g} s divides the recording into {count:,} segments")
        sides = [
            np.stack([mark_segments(spans[side], resolution, count) for spans in classes.values()]) for side in (0, 1)
        ]
        return cls(*sides)

    def count_by_class(self) -> tuple[Array, Array, Array]:
        """Return hits, false alarms and misses of each class, in segments."""
        return (
            (self.truth & self.detected).sum(axis=1).astype(np.float64),
            (~self.truth & self.detected).sum(axis=1).astype(np.float64),
            (self.truth & ~self.detected).sum(axis=1).astype(np.float64),
        )

    def count_errors(self) -> tuple[int, int, int, int]:
        """Return substitutions, deletions and insertions, and the true activities."""
        misses, false_alarms = (self.truth & ~self.detected).sum(axis=0), (~self.truth & self.detected).sum(axis=0)
        substitutions = int(np.minimum(misses, false_alarms).sum())
        total = int(misses.sum()), int(false_alarms.sum())
        return substitutions, total[0] - substitutions, total[1] - substitutions, int(self.truth.sum())


@dataclass(frozen=True, slots=True)
class SegmentSettings:
    """How time is divided, and from which score on a scored segment is a detection."""

    resolution: float = DEFAULT_RESOLUTION
    threshold: float = DEFAULT_THRESHOLD

    def compare(self, sample: Sample, output: Output, seconds: float | None = None) -> SegmentTable:
        return SegmentTable.of(sample, output, self.resolution, self.threshold, seconds or 0.0)

    def describe(self) -> str:
        return describe_settings(resolution=self.resolution, threshold=self.threshold)


class SegmentMetric(Metric):
    """A metric of segments of equal length, under the settings that it is made with."""

    unit = "share"
    average = "micro"

    def __init__(self, settings: SegmentSettings) -> None:
        super().__init__(variant=f"{self.average}.{settings.describe()}")
        self.settings = settings
        self.threshold = settings.threshold


class SegmentF1(SegmentMetric):
    name, title = "segment_f1", "Segment F1"
    aggregate = COUNTED_F1
    badness = staticmethod(rate_counts)

    def score(self, sample: Sample, output: Output) -> tuple[float, ...]:
        return tuple(float(counts.sum()) for counts in self.settings.compare(sample, output).count_by_class())


class MacroSegmentF1(SegmentMetric):
    name, title = "segment_f1_macro", "Segment F1, macro"
    average = "macro"
    aggregate = MacroF1()

    def score(self, sample: Sample, output: Output) -> tuple[float, ...]:
        return tuple(np.concatenate(self.settings.compare(sample, output).count_by_class()).tolist())


def _error_details(totals: Array) -> Details:
    names = ("substituted_segments", "deleted_segments", "inserted_segments", "true_segments")
    return {name: int(total) for name, total in zip(names, totals, strict=False)}


def _name_totals(*names: str) -> Callable[[Array], Details]:
    return lambda totals: {name: round(float(total), 6) for name, total in zip(names, totals, strict=False)}


class SegmentErrorRate(SegmentMetric):
    name, title, higher_is_better = "segment_error_rate", "Segment error rate", False
    aggregate = RatioAggregator((0, 1, 2), 3, _error_details)

    def score(self, sample: Sample, output: Output) -> tuple[int, int, int, int]:
        return self.settings.compare(sample, output).count_errors()

    def badness(self, stat: tuple[int, int, int, int]) -> float:
        return sum(stat[:3]) / (stat[3] or 1)


class MissRate(SegmentMetric):
    name, title, higher_is_better = "segment_miss_rate", "Miss rate", False
    aggregate = RatioAggregator(details=_name_totals("missed_seconds", "event_seconds"), is_share=True)

    def score(self, sample: Sample, output: Output) -> tuple[float, float]:
        hits, _, misses = (float(counts.sum()) for counts in self.settings.compare(sample, output).count_by_class())
        return misses * self.settings.resolution, (hits + misses) * self.settings.resolution

    def badness(self, stat: tuple[float, float]) -> float:
        return stat[0]


class FalseAlarmRate(SegmentMetric):
    name, title, higher_is_better = "segment_false_alarm_rate", "False alarm rate", False
    aggregate = RatioAggregator(details=_name_totals("false_alarm_seconds", "seconds_without_events"), is_share=True)
    facts = ("audio_seconds",)

    def score(self, sample: Sample, output: Output, *, audio_seconds: float | None = None) -> tuple[float, float]:
        if not audio_seconds:
            raise SampleError("the duration of its audio is unknown")
        table = self.settings.compare(sample, output, audio_seconds)
        false_alarms, absent = int((~table.truth & table.detected).sum()), int((~table.truth).sum())
        return false_alarms * self.settings.resolution, absent * self.settings.resolution

    def badness(self, stat: tuple[float, float]) -> float:
        return stat[0]


SEGMENT_METRICS: Mapping[str, Callable[[SegmentSettings], Metric]] = {
    kind.name: kind for kind in (SegmentF1, MacroSegmentF1, SegmentErrorRate, MissRate, FalseAlarmRate)
}
"""How each metric is made for a resolution and a threshold."""

segment_f1, segment_f1_macro, segment_error_rate, segment_miss_rate, segment_false_alarm_rate = (
    make(SegmentSettings()) for make in SEGMENT_METRICS.values()
)
