"""The numbers of each run, or group of samples, by itself."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from auricle.core.signature import MetricSignature, Signature
from auricle.metrics.base import Metric
from auricle.metrics.intervals import compute_interval
from auricle.report.html_format import typeset_number
from auricle.report.methods import TOO_FEW, mark_few_units
from auricle.report.text_format import format_number
from auricle.runs.metrics import Metrics, Number
from auricle.scoring.compare.unpaired import SampleGroup

if TYPE_CHECKING:
    from auricle.scoring.compare import Comparison

OwnPair = tuple[Number | None, Number | None]
"""The numbers of a metric in A and in B."""


def list_run_numbers(results: Metrics, field: str = "", group: str = "all") -> tuple[Number, ...]:
    """Return the numbers of a run over all samples, or over a group, without details."""
    return tuple(
        replace(number, details={}, readings={})
        for number in results.numbers
        if (number.field, number.group) == (field, group)
    )


def compute_group_numbers(group: SampleGroup, metrics: Sequence[Metric], cluster: str) -> Iterator[Number]:
    """Compute the numbers of a group of samples by which the run was not broken down when it was scored."""
    for metric in metrics:
        places, stats = group.places(metric), group.stats(metric)
        if not len(places):
            continue
        codes = group.clusters(cluster, places)
        interval = compute_interval(stats, metric.aggregate, clusters=codes)
        value, low, high = (
            end if math.isfinite(end) else None for end in (float(metric.aggregate(stats)), interval.low, interval.high)
        )
        yield Number(
            metric=metric.name,
            title=metric.title,
            details={},
            value=value,
            low=low,
            high=high,
            interval=interval.method,
            cluster=interval.members or ("" if codes is None else cluster),
            units=interval.units,
            scored=len(places),
            total=int(group.members.sum()),
            failed=group.failed,
            higher_is_better=metric.higher_is_better,
            optimum=metric.optimum,
            unit=metric.unit,
            signature=Signature(MetricSignature.parse(metric.signature)),
        )


def pair_own_numbers(comparison: Comparison) -> Iterator[OwnPair]:
    """Yield the numbers of both runs by metric, in the order of A; None if a run does not have the metric."""
    a, b = ({number.metric: number for number in side.numbers} for side in (comparison.a, comparison.b))
    yield from ((a.get(metric), b.get(metric)) for metric in dict.fromkeys([*a, *b]))


def has_other_own_numbers(comparison: Comparison) -> bool:
    """Return whether the runs by themselves have other numbers, or more, than the table of differences shows."""
    is_whole = comparison.is_paired and comparison.pairs.coverage == 1
    return not is_whole or any(number.metric in comparison.refused for number in comparison.a.numbers)


def format_own_number(number: Number | None, *, is_typeset: bool = False) -> tuple[str, str, str]:
    """Format a number, its interval and the number of samples; dashes if there is none."""
    if number is None:
        return "–", "–", "–"
    formatted = typeset_number if is_typeset else format_number
    low, high = (formatted(end, number.unit) for end in (number.low, number.high))
    interval = "–" if number.low is None or number.high is None else f"{low} … {high}"
    interval = TOO_FEW if number.has_too_few_units else interval
    size = f"{number.scored:,}" if number.scored == number.total else f"{number.scored:,} of {number.total:,}"
    return f"{formatted(number.value, number.unit)}{mark_few_units(number)}", interval, size


def name_metric(pair: OwnPair) -> str:
    """Return the name of a metric that at least one run has, and its direction."""
    number = next(number for number in pair if number)
    return number.direction.mark(number.metric)
