"""How far repeats of one load lie apart: what no interval within a single run can know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

REPEATED_STATISTICS = (
    *(("req_s", ""), ("tok_out_s", ""), ("audio_in_x", ""), ("audio_out_x", "")),
    *(("ttft_s", "p50"), ("ttft_s", "p95"), ("ttfa_s", "p50"), ("ttfa_s", "p95")),
    *(("latency_s", "p50"), ("latency_s", "p95"), ("sched_latency_s", "p95")),
)
"""Measures, and which statistic of each; those of a run have none."""


def summarise_repeats(points: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Of every load that was played more than once: each number's mean, deviation and ends."""
    loads = dict.fromkeys(point["load"] for point in points)
    repeats = {load: [point for point in points if point["load"] == load] for load in loads}
    return [
        {"load": load, "repeats": len(those), "numbers": dict(_repeat_statistics(those))}
        for load, those in repeats.items()
        if len(those) > 1
    ]


def _repeat_statistics(points: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, statistic in REPEATED_STATISTICS:
        part = "measures" if statistic else "run"
        values = [point[part][name][statistic or "value"] for point in points]
        if None not in values:
            yield f"{name} {statistic}".strip(), _describe_values(values)


def _describe_values(values: Sequence[float]) -> dict[str, Any]:
    return {"values": list(values), "mean": fmean(values), "std": stdev(values), "min": min(values), "max": max(values)}
