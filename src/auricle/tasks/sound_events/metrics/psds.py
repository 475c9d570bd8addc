"""Polyphonic sound detection score (PSDS): detection at all thresholds, by how much events overlap.

A detection is valid if at least a share DTC of it overlaps true events of its class, and else a false positive. A true
event is detected if valid detections cover at least a share GTC of it. A false positive of which at least a share CTTC
overlaps true events of another class is a cross-trigger of that class. Each class has a curve of its true positive
ratio over its effective false positives per hour; the score is the area under the mean of these curves, less their
standard deviation over classes (Bilen et al., 2020).

The curves have a point for every distinct score (Ebbers et al., 2022). The statistic of a recording therefore has the
changes of its counts as the threshold falls, from which the curves of any set of recordings follow by addition.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, TypeAlias

import numpy as np

from auricle.core.errors import SampleError, Unsuited
from auricle.core.types import Output, Sample, Segment
from auricle.metrics.base import Array, Codes, Details, Metric, Stats, WeightedAggregate, WeightedAggregator
from auricle.metrics.confusion import Labels, get_task_labels, merge_labels
from auricle.metrics.scales import SHARE
from auricle.tasks.sound_events.metrics.event_lists import (
    MAX_GAP,
    Span,
    Spans,
    get_detections,
    get_true_events,
    group_by_class,
    has_frames,
    list_spans,
)

SECONDS_PER_HOUR = 3600.0
COST_PER_STATISTIC = 200
"""Cost of a recording relative to one number, for the jackknife."""

Change: TypeAlias = tuple[float, ...]
"""A score, the changes of true and false positives below it, and pairs of a class and the change of cross-triggers."""
ClassStat: TypeAlias = tuple[int, float, tuple[Change, ...]]
"""Number and total seconds of a class's true events in a recording, and the changes of its counts."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """The parameters of a score, under the names of its authors."""

    dtc: float
    """Share of a detection that has to overlap true events of its class."""
    gtc: float
    """Share of a true event that valid detections have to cover."""
    cttc: float
    """Share of a false positive that overlaps another class for a cross-trigger."""
    alpha_ct: float
    """Weight of cross-triggers among false positives."""
    alpha_st: float = 1.0
    """Weight of the standard deviation over classes."""
    e_max: float = 100.0
    """Effective false positives per hour up to which the area is computed."""

    def describe(self) -> str:
        cross_triggers = f".cttc-{self.cttc:g}.alpha-ct-{self.alpha_ct:g}" if self.alpha_ct else ".alpha-ct-0"
        return (
            f"dtc-{self.dtc:g}.gtc-{self.gtc:g}{cross_triggers}.alpha-st-{self.alpha_st:g}.e-max-{self.e_max:g}-per-hour"
            ".all-thresholds"
        )


SCENARIO_1 = Scenario(dtc=0.7, gtc=0.7, cttc=0.3, alpha_ct=0.0)
SCENARIO_2 = Scenario(dtc=0.1, gtc=0.1, cttc=0.3, alpha_ct=0.5)


# --- one recording ------------------------------------------------------------------------


@dataclass(slots=True)
class Detection:
    """A detection at the current threshold, with what it overlaps."""

    start: float
    end: float
    covered: list[tuple[int, float]] = field(default_factory=list)
    """Index of each true event that it covers, and for how many seconds; only if it is valid."""
    is_valid: bool = True
    triggered: tuple[int, ...] = ()
    """Other classes that it triggers."""


class Sweep:
    """Counts of one class in one recording while the threshold falls, and detections grow if they consist of frames.

    Args:
        truth: True events of every class, by index.
        own: Index of the class.
        scenario: Parameters of the score.
        are_frames: Whether segments join detections that they touch.
    """

    def __init__(self, truth: Sequence[Spans], own: int, scenario: Scenario, *, are_frames: bool) -> None:
        self._truth, self._own, self._scenario, self._are_frames = truth, own, scenario, are_frames
        self._starts: list[float] = []
        self._detections: list[Detection] = []
        self._coverage = [0.0] * len(truth[own])
        self._true_positives = self._false_positives = 0
        self._cross_triggers: dict[int, int] = {}

    def list_changes(self, segments: Iterable[Segment]) -> Iterator[Change]:
        """Yield how the counts change at each distinct score, from the highest to the lowest."""
        ordered = sorted(segments, key=lambda segment: -_get_score(segment))
        for score, group in groupby(ordered, key=_get_score):
            hits, false_positives, triggers = self._true_positives, self._false_positives, dict(self._cross_triggers)
            for segment in group:
                self._add(segment.start, segment.end)
            pairs = [
                (index, change)
                for index, count in self._cross_triggers.items()
                if (change := count - triggers.get(index, 0))
            ]
            changes = self._true_positives - hits, self._false_positives - false_positives
            if any(changes) or pairs:
                yield score, *changes, *(number for pair in pairs for number in pair)

    def _add(self, start: float, end: float) -> None:
        """Add a segment, which joins detections that it touches if it is a frame."""
        if not self._are_frames:
            self._count(self._examine(start, end), 1)
            return
        first = bisect_left(self._starts, start)
        if first and self._detections[first - 1].end >= start - MAX_GAP:
            first -= 1
        last = first
        while last < len(self._starts) and self._starts[last] <= end + MAX_GAP:
            last += 1
        joined = self._detections[first:last]
        for detection in joined:
            self._count(detection, -1)
        merged = self._examine(
            min([start, *(detection.start for detection in joined)]),
            max([end, *(detection.end for detection in joined)]),
        )
        self._starts[first:last], self._detections[first:last] = [merged.start], [merged]
        self._count(merged, 1)

    def _examine(self, start: float, end: float) -> Detection:
        """Decide whether a detection is valid, and what it triggers if not."""
        length, scenario = end - start, self._scenario
        covered = list(_list_overlaps(self._truth[self._own], (start, end)))
        if sum(overlap for _, overlap in covered) >= scenario.dtc * length - MAX_GAP:
            return Detection(start, end, covered)
        triggered = tuple(
            index
            for index, spans in enumerate(self._truth if scenario.alpha_ct else ())
            if index != self._own
            and spans
            and sum(overlap for _, overlap in _list_overlaps(spans, (start, end))) >= scenario.cttc * length - MAX_GAP
        )
        return Detection(start, end, [], False, triggered)

    def _count(self, detection: Detection, sign: int) -> None:
        """Add a detection to the counts, or take it out again."""
        if not detection.is_valid:
            self._false_positives += sign
            for index in detection.triggered:
                self._cross_triggers[index] = self._cross_triggers.get(index, 0) + sign
        for index, overlap in detection.covered:
            self._true_positives -= self._is_detected(index)
            self._coverage[index] += sign * overlap
            self._true_positives += self._is_detected(index)

    def _is_detected(self, index: int) -> bool:
        start, end = self._truth[self._own][index]
        coverage = self._coverage[index]
        return coverage > MAX_GAP and coverage >= self._scenario.gtc * (end - start) - MAX_GAP


def _get_score(segment: Segment) -> float:
    if segment.score is None:
        raise Unsuited("needs a score for each detection; this model returns detections without scores")
    return segment.score


def _list_overlaps(spans: Spans, other: Span) -> Iterator[tuple[int, float]]:
    for index, (start, end) in enumerate(spans):
        if (overlap := min(end, other[1]) - max(start, other[0])) > 0:
            yield index, overlap


def sweep_recording(
    truth: Sequence[Spans], detections: Sequence[Sequence[Segment]], scenario: Scenario, *, are_frames: bool
) -> tuple[ClassStat, ...]:
    """Return the statistics of each class in one recording; both sides have a list per class."""
    return tuple(
        (
            len(truth[index]),
            sum(end - start for start, end in truth[index]),
            tuple(Sweep(truth, index, scenario, are_frames=are_frames).list_changes(segments)),
        )
        for index, segments in enumerate(detections)
    )


# --- many recordings ----------------------------------------------------------------------


class ClassCurve:
    """The changes of one class's counts in all recordings, in the order of falling thresholds."""

    def __init__(self, changes: Sequence[tuple[int, Change]]) -> None:
        scores = np.array([change[0] for _, change in changes], dtype=np.float64)
        order = np.argsort(-scores, kind="stable")
        scores = scores[order]
        self._recordings: Codes = np.array([recording for recording, _ in changes], dtype=np.int64)[order]
        self._true = np.array([change[1] for _, change in changes], dtype=np.float64)[order]
        self._false = np.array([change[2] for _, change in changes], dtype=np.float64)[order]
        pairs = [
            (place, change[at], change[at + 1])
            for place, (_, change) in enumerate(changes)
            if len(change) > 3
            for at in range(3, len(change), 2)
        ]
        places, classes, amounts = np.array(pairs, dtype=np.float64).reshape(-1, 3).T
        self._trigger_places, self._triggered = np.argsort(order)[places.astype(np.int64)], classes.astype(np.int64)
        self._trigger_amounts = amounts
        self._ends = np.flatnonzero(np.append(scores[1:] != scores[:-1], True)) if len(scores) else order

    def trace(self, weights: Array, rates: Rates) -> tuple[Array, Array]:
        """Return effective false positives per hour and the true positive ratio at them, both rising.

        Args:
            weights: Weight of each recording.
            rates: What counts are divided by.
        """
        own = weights[self._recordings]
        false = own * self._false * rates.false_positive
        if len(self._trigger_places):
            amounts = self._trigger_amounts * rates.cross_trigger[self._triggered]
            false += own * np.bincount(self._trigger_places, weights=amounts, minlength=len(own))
        effective = np.maximum(np.cumsum(false)[self._ends], 0.0)
        is_within = effective <= rates.e_max
        ratios = (np.cumsum(own * self._true)[self._ends] * rates.true_positive)[is_within]
        effective = effective[is_within]
        order = np.lexsort((-ratios, effective))
        return effective[order], np.maximum.accumulate(ratios[order]) if len(order) else ratios


@dataclass(frozen=True, slots=True)
class Rates:
    """What one count adds to the rates of a class."""

    true_positive: float
    false_positive: float
    cross_trigger: Array
    """For each other class; 0 for classes without true events."""
    e_max: float


class PsdsAggregator(WeightedAggregator):
    """The score over statistics (statistics of each class, seconds of the recording)."""

    scale = SHARE
    cost = COST_PER_STATISTIC

    def __init__(self, scenario: Scenario, labels: Labels = ()) -> None:
        self._scenario = scenario
        self._labels = labels

    def extract_context(self, sample: Sample, *outputs: Output) -> Labels:
        return get_task_labels(sample)

    def with_contexts(self, contexts: Iterable[Hashable]) -> PsdsAggregator:
        return PsdsAggregator(self._scenario, merge_labels(contexts))  # type: ignore[arg-type]  # label sets

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        trace = self._prepare_curves(stats)

        def value(weights: Array) -> float:
            curves = [curve for curve in trace(weights) if curve is not None]
            return self._measure_area(curves) if curves else math.nan

        return value

    def _prepare_curves(self, stats: Stats) -> Any:
        """Return a function from weights to the curve of each class; None for classes without true events."""
        seconds = np.array([stat[1] for stat in stats], dtype=np.float64)
        events = np.array([[part[0] for part in stat[0]] for stat in stats], dtype=np.float64)
        event_seconds = np.array([[part[1] for part in stat[0]] for stat in stats], dtype=np.float64)
        curves = [
            ClassCurve([(recording, change) for recording, stat in enumerate(stats) for change in stat[0][index][2]])
            for index in range(events.shape[1])
        ]

        def trace(weights: Array) -> list[tuple[Array, Array] | None]:
            counts, durations, total = weights @ events, weights @ event_seconds, float(weights @ seconds)
            return [
                curve.trace(weights, self._compute_rates(index, counts, durations, total))
                if counts[index] > 0
                else None
                for index, curve in enumerate(curves)
            ]

        return trace

    def _compute_rates(self, own: int, counts: Array, durations: Array, seconds: float) -> Rates:
        others = counts > 0
        others[own] = False
        triggers = np.zeros(len(counts))
        if others.any():
            triggers[others] = self._scenario.alpha_ct * SECONDS_PER_HOUR / durations[others] / others.sum()
        return Rates(1 / float(counts[own]), SECONDS_PER_HOUR / seconds, triggers, self._scenario.e_max)

    def _measure_area(self, curves: Sequence[tuple[Array, Array]]) -> float:
        """Return the area under the mean of curves less their standard deviation, as a share of the largest area."""
        limit = self._scenario.e_max
        grid = np.unique(np.concatenate([[0.0], *(effective for effective, _ in curves)]))
        ratios = np.stack([_step(grid, *curve) for curve in curves])
        heights = np.maximum(ratios.mean(axis=0) - self._scenario.alpha_st * ratios.std(axis=0), 0.0)
        return float((heights * np.diff(np.append(grid, limit))).sum() / limit)

    def details(self, stats: Stats) -> Details:
        """Return the score of each class alone."""
        curves = self._prepare_curves(stats)(np.ones(len(stats)))
        names = self._labels or tuple(str(number) for number in range(1, len(curves) + 1))
        return {
            "psds_classes": {
                name: None if curve is None else self._measure_area([curve])
                for name, curve in zip(names, curves, strict=True)
            },
            "classes_without_events": [name for name, curve in zip(names, curves, strict=True) if curve is None],
            "hours": round(sum(float(stat[1]) for stat in stats) / SECONDS_PER_HOUR, 4),
        }


def _step(grid: Array, effective: Array, ratios: Array) -> Array:
    """Return the height of a rising staircase at each point of a grid; 0 before its first step."""
    places = np.searchsorted(effective, grid, side="right")
    return np.append(0.0, ratios)[places]


def make_psds_metric(name: str, title: str, scenario: Scenario) -> Metric:
    """Make the metric of a scenario."""

    def score(sample: Sample, output: Output, *, audio_seconds: float | None = None) -> tuple[Any, ...]:
        if not audio_seconds:
            raise SampleError("the duration of its audio is unknown")
        labels = get_task_labels(sample)
        truth = group_by_class(get_true_events(sample), labels)
        detections = group_by_class(get_detections(sample, output), labels)
        spans = [list_spans(truth[label]) for label in labels]
        stats = sweep_recording(
            spans, [detections[label] for label in labels], scenario, are_frames=has_frames(output, audio_seconds)
        )
        return stats, audio_seconds

    return Metric(
        name,
        score,
        PsdsAggregator(scenario),
        version=2,
        title=title,
        variant=scenario.describe(),
        unit="share",
        facts=("audio_seconds",),
    )


psds1 = make_psds_metric("psds1", "PSDS 1", SCENARIO_1)
psds2 = make_psds_metric("psds2", "PSDS 2", SCENARIO_2)
