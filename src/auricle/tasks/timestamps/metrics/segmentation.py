"""Boundaries without labels: which of the reference's boundaries a model has, and how many it adds.

The boundaries of a recording are the distinct starts and ends of its words or segments, without the first and the last.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from auricle.core.types import Output, Sample, Segment
from auricle.metrics.base import (
    Aggregator,
    Array,
    Codes,
    Details,
    Metric,
    RatioAggregator,
    Stats,
    SumAggregator,
    divide,
)
from auricle.metrics.scales import REAL, RatingScale, RealScale, Scale
from auricle.tasks.timestamps.metrics.matching import to_microseconds
from auricle.tasks.timestamps.metrics.reading import has_boundaries, read_boundaries, require_segments
from auricle.tasks.timestamps.metrics.words import TOLERANCES

MATCHED, REFERENCE, HYPOTHESIS, DOUBLED, BOTH = range(5)
"""Columns: matched boundaries, those of each side, twice the matched ones, and those of both sides."""


def list_boundaries(segments: Sequence[Segment]) -> list[int]:
    """Return the inner boundaries of segments in microseconds.

    >>> list_boundaries([Segment(0, 1), Segment(1, 2.5), Segment(3, 4)])
    [1000000, 2500000, 3000000]
    """
    times = {to_microseconds(time) for segment in segments for time in (segment.start, segment.end)}
    return sorted(times)[1:-1]


def count_matches(reference: Sequence[int], hypothesis: Sequence[int], tolerance: int) -> int:
    """Return the most pairs of sorted boundaries within the tolerance in which none occurs twice.

    Each boundary is paired with the first free one within its reach, which is optimal if the reach is the same for all.

    >>> count_matches([1000, 2000, 3000], [1010, 2050, 2500, 3000], 20)
    2
    """
    matches = row = column = 0
    while row < len(reference) and column < len(hypothesis):
        difference = hypothesis[column] - reference[row]
        is_match = abs(difference) <= tolerance
        matches += is_match
        row, column = row + (is_match or difference > 0), column + (is_match or difference < 0)
    return matches


def measure_r_value(totals: Array) -> float:
    """Compute the R-value from the numbers of matched boundaries and of those of each side.

    It is 1 if all boundaries are right and none is added, and falls with missing and with added ones. (Räsänen, Laine
    and Altosaar, 2009)
    """
    recall = divide(totals[MATCHED], totals[REFERENCE])
    excess = measure_excess(totals)
    distance = math.hypot(1 - recall, excess)
    return 1 - (distance + abs(recall - 1 - excess) / math.sqrt(2)) / 2


def measure_excess(totals: Array) -> float:
    """Compute the over-segmentation: by which share a model has too many boundaries; negative if too few."""
    return divide(totals[HYPOTHESIS], totals[REFERENCE]) - 1


class RValueAggregator(SumAggregator):
    """The R-value, which is at most 1 and below -1 only with several times as many boundaries as the reference has."""

    def __init__(self) -> None:
        super().__init__(measure_r_value, _describe)

    def choose_scale(self, stats: Stats, units: Codes) -> Scale:
        return RatingScale(-1.0, 1.0) if self(stats) >= -1 else REAL


def _describe(totals: Array) -> Details:
    names = ("matched", "reference_boundaries", "hypothesis_boundaries")
    return {name: int(total) for name, total in zip(names, totals, strict=False)}


def _count(tolerance: int, sample: Sample, output: Output, *, audio_seconds: float | None = None) -> tuple[float, ...]:
    hypothesis = list_boundaries(require_segments(output))
    reference = list_boundaries(read_boundaries(sample, audio_seconds))
    matches = count_matches(reference, hypothesis, tolerance * 1000)
    return matches, len(reference), len(hypothesis), 2 * matches, len(reference) + len(hypothesis)


def _segmentation_metric(
    name: str, title: str, aggregate: Aggregator, tolerance: int | None = None, **fields: Any
) -> Metric:
    is_tolerant = tolerance is not None
    return Metric(
        f"{name}_{tolerance}ms" if is_tolerant else name,
        partial(_count, tolerance or 0),
        aggregate,
        title=f"{title}, {tolerance} ms" if is_tolerant else title,
        variant=f"inner-boundaries{f'.tolerance-{tolerance}ms-inclusive' if is_tolerant else ''}",
        applies=has_boundaries,
        facts=("audio_seconds",),
        **fields,
    )


def _share_metric(name: str, title: str, columns: tuple[int, int], tolerance: int) -> Metric:
    aggregate = RatioAggregator(columns[:1], columns[1], _describe, is_share=True)
    return _segmentation_metric(f"segmentation_{name}", f"Segmentation {title}", aggregate, tolerance, unit="share")


def _r_value_metric(tolerance: int) -> Metric:
    return _segmentation_metric("segmentation_r_value", "Segmentation R-value", RValueAggregator(), tolerance)


(segmentation_f1_20ms, segmentation_f1_50ms, segmentation_f1_100ms, segmentation_f1_200ms) = (
    _share_metric("f1", "F1", (DOUBLED, BOTH), tolerance) for tolerance in TOLERANCES
)
(
    segmentation_precision_20ms,
    segmentation_precision_50ms,
    segmentation_precision_100ms,
    segmentation_precision_200ms,
) = (_share_metric("precision", "precision", (MATCHED, HYPOTHESIS), tolerance) for tolerance in TOLERANCES)
(segmentation_recall_20ms, segmentation_recall_50ms, segmentation_recall_100ms, segmentation_recall_200ms) = (
    _share_metric("recall", "recall", (MATCHED, REFERENCE), tolerance) for tolerance in TOLERANCES
)
(segmentation_r_value_20ms, segmentation_r_value_50ms, segmentation_r_value_100ms, segmentation_r_value_200ms) = map(
    _r_value_metric, TOLERANCES
)
over_segmentation = _segmentation_metric(
    "over_segmentation",
    "Over-segmentation",
    SumAggregator(measure_excess, _describe, RealScale(lowest=-1.0)),
    unit="share",
    higher_is_better=False,
    optimum="zero",
    badness=lambda stat: abs(measure_excess(stat)) if stat[REFERENCE] else -math.inf,
)
"""Boundaries of the model per boundary of the reference, minus 1. Values near zero are best."""

segmentation = (
    segmentation_f1_50ms,
    segmentation_precision_50ms,
    segmentation_recall_50ms,
    segmentation_r_value_50ms,
    over_segmentation,
)
"""All of these metrics within 50 ms, for `--add-metrics segmentation`."""
