"""Summarise the variation between repeats of a load, which the interval of a single run does not cover."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, stdev

from auricle.runs.perf_files import LoadPointSummary, RepeatedLoad, RepeatedNumber

REPEATED_STATISTICS = (
    *(("req_s", ""), ("tok_out_s", ""), ("audio_in_x", ""), ("audio_out_x", "")),
    *(("ttft_s", "p50"), ("ttft_s", "p95"), ("ttfa_s", "p50"), ("ttfa_s", "p95")),
    *(("latency_s", "p50"), ("latency_s", "p95"), ("sched_latency_s", "p95")),
)
"""Pairs of measure and statistic; run measures have no statistic."""


def summarise_repeats(points: Sequence[LoadPointSummary]) -> tuple[RepeatedLoad, ...]:
    """Compute mean, deviation, minimum and maximum of each number, for every load that ran more than once."""
    points_by_load: dict[str, list[LoadPointSummary]] = {}
    for point in points:
        points_by_load.setdefault(point.load, []).append(point)
    return tuple(
        RepeatedLoad(load, len(repeats), dict(_repeat_statistics(repeats)))
        for load, repeats in points_by_load.items()
        if len(repeats) > 1
    )


def _repeat_statistics(points: Sequence[LoadPointSummary]) -> Iterator[tuple[str, RepeatedNumber]]:
    for name, statistic in REPEATED_STATISTICS:
        optional_values = [point.measures[name][statistic] if statistic else point.run[name].value for point in points]
        values = [value for value in optional_values if value is not None]
        if len(values) == len(points):
            number = RepeatedNumber(tuple(values), fmean(values), stdev(values), min(values), max(values))
            yield f"{name} {statistic}".strip(), number
