"""What more load costs: pictures over all load points of a test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from auricle.perf.report.charts import Axes, Line, chart, figure
from auricle.perf.report.table import Summary
from auricle.report.markup import Markup, tag

Number: TypeAlias = Callable[[Summary], float | None]
PERCENTILES = ("p50", "p95", "p99")


def frontier(summaries: Sequence[Summary]) -> Markup:
    """Latency against throughput, throughput and first words against load."""
    load, rate = _load(summaries)
    spoken = any(each["measures"]["ttfa_s"]["n"] for each in summaries)
    first, said = ("ttfa_s", "first sound, s") if spoken else ("ttft_s", "TTFT, s")
    answered = _run("req_s")

    def percentiles(across: Number, name: str) -> list[Line]:
        return [_line(each, summaries, across, _statistic(name, each)) for each in PERCENTILES]

    came = [
        _line("answered", summaries, rate, answered),
        _line("with promises kept", summaries, rate, _run("goodput_req_s"), "course dashed"),
    ]
    made = (
        figure(
            _drawn("Latency against throughput", Axes("answered a second", "latency, s"),
                   percentiles(answered, "latency_s")),
            "Each mark is a load point. Where the lines turn upwards, more load buys no more.",
        ),
        figure(
            _drawn("Throughput against load", Axes(load, "answered a second"), came),
            "What came back for what was asked.",
        ),
        figure(
            _drawn("First word against load", Axes(load, said), percentiles(rate, first)),
            "From when a request was sent.",
        ),
    )  # fmt: skip
    return tag("div", [each for each in made if each], class_="pictures")


def _load(summaries: Sequence[Summary]) -> tuple[str, Number]:
    """What load points differ by: the rate that was offered, or how many were at it."""
    if all(each["run"]["offered_rate"]["value"] is not None for each in summaries):
        return "offered a second", _run("offered_rate")
    return "in flight, on average", _run("in_flight_mean")


def _run(name: str) -> Number:
    return lambda summary: summary["run"][name]["value"]


def _statistic(name: str, statistic: str) -> Number:
    return lambda summary: summary["measures"][name][statistic]


def _line(
    name: str, summaries: Sequence[Summary], across: Number, up: Number, kind: str = "course"
) -> Line:
    pairs = [(across(each), up(each)) for each in summaries]
    return Line(name, sorted((x, y) for x, y in pairs if x is not None and y is not None), kind)


def _drawn(words: str, axes: Axes, lines: Sequence[Line]) -> Markup | None:
    known = [each for each in lines if len(each.points) > 1]
    return chart(words, axes, known) if known else None
