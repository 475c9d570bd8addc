"""Draw charts over all load points: latency and throughput against load."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from auricle.perf.report.charts import Axes, Series, draw_chart, render_figure
from auricle.perf.report.tables import Summary
from auricle.report.markup import Markup, tag

SummaryReader: TypeAlias = Callable[[Summary], float | None]
PERCENTILES = ("p50", "p95", "p99")


def draw_load_charts(summaries: Sequence[Summary]) -> Markup:
    """Draw latency against throughput, and throughput and time to first output against load."""
    load_label, read_load = _choose_load_axis(summaries)
    has_audio = any(summary["measures"]["ttfa_s"]["n"] for summary in summaries)
    first_measure, first_label = ("ttfa_s", "first audio, s") if has_audio else ("ttft_s", "TTFT, s")
    read_throughput = _run_reader("req_s")

    def percentiles(read_x: SummaryReader, name: str) -> list[Series]:
        return [_build_series(p, summaries, read_x, _statistic_reader(name, p)) for p in PERCENTILES]

    throughputs = [
        _build_series("answered", summaries, read_load, read_throughput),
        _build_series("SLOs met", summaries, read_load, _run_reader("goodput_req_s"), "line dashed"),
    ]
    figures = (
        render_figure(
            _draw_if_known(
                "Latency against throughput",
                Axes("answered per second", "latency, s"),
                percentiles(read_throughput, "latency_s"),
            ),
            "Each mark is a load point. Where the lines turn upwards, more load no longer raises throughput.",
        ),
        render_figure(
            _draw_if_known("Throughput against load", Axes(load_label, "answered per second"), throughputs),
            "Answered requests per second at each load.",
        ),
        render_figure(
            _draw_if_known(
                "Time to first output against load",
                Axes(load_label, first_label),
                percentiles(read_load, first_measure),
            ),
            "Measured from when a request was sent.",
        ),
    )
    return tag("div", [figure for figure in figures if figure], class_="pictures")


def _choose_load_axis(summaries: Sequence[Summary]) -> tuple[str, SummaryReader]:
    """Return the label and reader of the load: the offered rate, or the concurrency if a point has no rate."""
    if all(summary["run"]["offered_rate"]["value"] is not None for summary in summaries):
        return "offered per second", _run_reader("offered_rate")
    return "mean in flight", _run_reader("in_flight_mean")


def _run_reader(name: str) -> SummaryReader:
    return lambda summary: summary["run"][name]["value"]


def _statistic_reader(name: str, statistic: str) -> SummaryReader:
    return lambda summary: summary["measures"][name][statistic]


def _build_series(
    name: str, summaries: Sequence[Summary], read_x: SummaryReader, read_y: SummaryReader, kind: str = "line"
) -> Series:
    pairs = [(read_x(summary), read_y(summary)) for summary in summaries]
    return Series(name, sorted((x, y) for x, y in pairs if x is not None and y is not None), kind)


def _draw_if_known(title: str, axes: Axes, series: Sequence[Series]) -> Markup | None:
    lines = [line for line in series if len(line.points) > 1]
    return draw_chart(title, axes, lines) if lines else None
