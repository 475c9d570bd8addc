"""What more load costs: pictures over all load points of a test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from auricle.perf.report.charts import Axes, Series, draw_chart, render_figure
from auricle.perf.report.tables import Summary
from auricle.report.markup import Markup, tag

SummaryReader: TypeAlias = Callable[[Summary], float | None]
PERCENTILES = ("p50", "p95", "p99")


def draw_load_charts(summaries: Sequence[Summary]) -> Markup:
    """Latency against throughput, throughput and first words against load."""
    load, rate = _choose_load_axis(summaries)
    spoken = any(each["measures"]["ttfa_s"]["n"] for each in summaries)
    first, said = ("ttfa_s", "first sound, s") if spoken else ("ttft_s", "TTFT, s")
    answered = _run_reader("req_s")

    def percentiles(across: SummaryReader, name: str) -> list[Series]:
        return [_build_series(each, summaries, across, _statistic_reader(name, each)) for each in PERCENTILES]

    came = [
        _build_series("answered", summaries, rate, answered),
        _build_series("with promises kept", summaries, rate, _run_reader("goodput_req_s"), "course dashed"),
    ]
    made = (
        render_figure(
            _draw_if_known("Latency against throughput", Axes("answered a second", "latency, s"),
                   percentiles(answered, "latency_s")),
            "Each mark is a load point. Where the lines turn upwards, more load buys no more.",
        ),
        render_figure(
            _draw_if_known("Throughput against load", Axes(load, "answered a second"), came),
            "What came back for what was asked.",
        ),
        render_figure(
            _draw_if_known("First word against load", Axes(load, said), percentiles(rate, first)),
            "From when a request was sent.",
        ),
    )  # fmt: skip
    return tag("div", [each for each in made if each], class_="pictures")


def _choose_load_axis(summaries: Sequence[Summary]) -> tuple[str, SummaryReader]:
    """What load points differ by: the rate that was offered, or how many were at it."""
    if all(each["run"]["offered_rate"]["value"] is not None for each in summaries):
        return "offered a second", _run_reader("offered_rate")
    return "in flight, on average", _run_reader("in_flight_mean")


def _run_reader(name: str) -> SummaryReader:
    return lambda summary: summary["run"][name]["value"]


def _statistic_reader(name: str, statistic: str) -> SummaryReader:
    return lambda summary: summary["measures"][name][statistic]


def _build_series(
    name: str, summaries: Sequence[Summary], read_x: SummaryReader, read_y: SummaryReader, kind: str = "course"
) -> Series:
    pairs = [(read_x(each), read_y(each)) for each in summaries]
    return Series(name, sorted((x, y) for x, y in pairs if x is not None and y is not None), kind)


def _draw_if_known(title: str, axes: Axes, series: Sequence[Series]) -> Markup | None:
    known = [each for each in series if len(each.points) > 1]
    return draw_chart(title, axes, known) if known else None
