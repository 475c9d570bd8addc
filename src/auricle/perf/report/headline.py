"""Choose the most important number of a load test: the best load within the SLOs, or else the highest throughput."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from auricle.perf.report.tables import Points, format_number
from auricle.runs.perf_files import LoadPointSummary


class Headline(NamedTuple):
    """The most important number of a load test."""

    title: str
    figure: str
    detail: str

    def __str__(self) -> str:
        return f"{self.title}: {self.figure} {self.detail}."


def choose_headline(points: Points) -> Headline:
    """Return the best load within the SLOs; without SLOs, the highest throughput, or the latency of a single point."""
    if not points:
        return Headline("No result", "–", "no request succeeded")
    if any(point.slo for point in points):
        return _best_within_slos(points)
    if len(points) > 1:
        best = _find_fastest([point for point in points if point.validity.valid])
        return _describe_throughput("Highest throughput", best, "no load point is valid")
    point = points[0]
    is_streamed = bool(point.measures["ttft_s"].n)
    median = point.read("ttft_s" if is_streamed else "latency_s", "p50")
    return Headline(
        "Median time to first token" if is_streamed else "Median latency",
        f"{format_number(median.value)} s",
        f"95 % interval {' – '.join(map(format_number, median.interval))}" if median.interval else f"at {point.load}",
    )


def _best_within_slos(points: Points) -> Headline:
    met = [point for point in points if point.slo and point.slo.met and point.validity.valid]
    slos = ", ".join(dict.fromkeys(result.slo for point in points if point.slo for result in point.slo.promises))
    otherwise = "no valid load point met them"
    if not any(point.slo and point.slo.met is False for point in points):
        reasons = [result.reason for point in points if point.slo for result in point.slo.promises if result.reason]
        otherwise = f"no load point could be judged: {reasons[0]}" if reasons else otherwise
    best = _describe_throughput("Best load within the SLOs", _find_fastest(met), otherwise)
    return best._replace(detail=f"{best.detail} ({slos})")


def _find_fastest(points: Sequence[LoadPointSummary]) -> LoadPointSummary | None:
    return max(points, key=lambda point: point.read("req_s").value or 0.0, default=None)


def _describe_throughput(title: str, point: LoadPointSummary | None, otherwise: str) -> Headline:
    if point is None:
        return Headline(title, "–", otherwise)
    return Headline(title, f"{format_number(point.read('req_s').value or 0.0)}/s", f"at {point.load}")
