"""The numbers of each run, or group of samples, by itself."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from auricle.core.signature import MetricSignature, Signature
from auricle.metrics.base import Metric
from auricle.metrics.intervals import compute_interval
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
