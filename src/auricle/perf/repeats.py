"""Summarise the variation between repeats of a load, which the interval of a single run does not cover."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

REPEATED_STATISTICS = (
    *(("req_s", ""), ("tok_out_s", ""), ("audio_in_x", ""), ("audio_out_x", "")),
    *(("ttft_s", "p50"), ("ttft_s", "p95"), ("ttfa_s", "p50"), ("ttfa_s", "p95")),
    *(("latency_s", "p50"), ("latency_s", "p95"), ("sched_latency_s", "p95")),
)
"""Pairs of measure and statistic; run measures have no statistic."""


def summarise_repeats(points: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Compute mean, deviation, minimum and maximum of each number, for every load that ran more than once."""
    loads = dict.fromkeys(point["load"] for point in points)
    points_by_load = {load: [point for point in points if point["load"] == load] for load in loads}
    return [
        {"load": load, "repeats": len(repeats), "numbers": dict(_repeat_statistics(repeats))}
        for load, repeats in points_by_load.items()
        if len(repeats) > 1
    ]


def _repeat_statistics(points: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, statistic in REPEATED_STATISTICS:
        section = "measures" if statistic else "run"
        values = [point[section][name][statistic or "value"] for point in points]
        if None not in values:
            yield f"{name} {statistic}".strip(), _describe_values(values)


def _describe_values(values: Sequence[float]) -> dict[str, Any]:
    return {"values": list(values), "mean": fmean(values), "std": stdev(values), "min": min(values), "max": max(values)}
