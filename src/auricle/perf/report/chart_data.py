"""What the charts of a load test show, as plain data: the report draws it as SVG, the app with Altair.

The requests of a load point are reduced to the few thousand numbers that its charts need.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from auricle.perf.measures import compute_measures
from auricle.perf.report.tables import format_number
from auricle.perf.request_records import Floats, RequestColumns
from auricle.perf.server_metrics import ServerSamples
from auricle.perf.windows import count_in_flight
from auricle.runs.perf_files import LoadPointSummary

MAX_BARS = 150
"""Most requests in the timeline."""
IN_FLIGHT_BINS = 300
MAX_RATE_BINS = 60
"""Most time bins of a rate."""
MIN_REQUESTS_PER_BIN = 10
"""Mean number of requests per bin below which bins are made wider; smaller bins would show noise."""
MIN_RATE_BINS = 5
"""Fewest time bins of a rate, whatever the number of requests."""
MAX_DOTS = 500
QUANTILES = (*(at / 100 for at in range(100)), 0.992, 0.995, 0.998, 0.999, 1.0)
PERCENTILES = ("p50", "p95", "p99")
FAMILY_PERCENTILE = "p95"
"""The percentile that is compared between families of loads."""
LATENCY_LABELS = {"latency_s": "from sent", "sched_latency_s": "from due", "ttft_s": "first token"}
UNDERRUN_LABELS = {"underrun_max_s": "longest pause", "min_prebuffer_s": "prebuffer that prevents all"}

SERVER_CHARTS: tuple[tuple[str, str, float, dict[str, str]], ...] = (
    ("Requests in the server over time", "requests", 1.0, {"running": "running", "queued": "waiting"}),
    ("KV cache over time", "% in use", 100.0, {"kv_use": ""}),
    ("GPU power over time", "W", 1.0, {"power_w": ""}),
)
"""Title, label, scale and series of the charts of what was read from the server."""

Point: TypeAlias = tuple[float, float]
Style: TypeAlias = Literal["line", "dashed", "dots"]


@dataclass(frozen=True, slots=True)
class Series:
    """A named series of points."""

    name: str
    points: tuple[Point, ...]
    style: Style = "line"
    labels: tuple[str, ...] = ()
    """What is written beside the points; none if they have no names."""


@dataclass(frozen=True, slots=True)
class Chart:
    """Series on common axes; the y axis starts at zero."""

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    caption: str
    y_max: float | None = None
    """The end of the y axis. [default: above the largest value]"""


@dataclass(frozen=True, slots=True)
class RequestBar:
    """The times of one request, in seconds since the start of the load; None if it never got that far."""

    start: float
    sent: float | None
    first_token: float | None
    end: float | None
    status: str

    def split_stages(self) -> Iterator[tuple[str, float, float]]:
        """Yield the name, start and end of each stage: queued, waiting for the first token, receiving, failed."""
        sent = self.start if self.sent is None else self.sent
        end = sent if self.end is None else self.end
        if sent > self.start:
            yield "queued", self.start, sent
        if self.status != "ok":
            yield "failed", sent, end
            return
        first_token = end if self.first_token is None else self.first_token
        yield "waiting", sent, first_token
        yield "receiving", first_token, end


@dataclass(frozen=True, slots=True)
class PointCharts:
    """What the charts of one load point show; charts without data are left out."""

    bars: tuple[RequestBar, ...]
    """Evenly chosen requests, in the order in which they started."""
    charts: tuple[Chart, ...]


# --- one load point ---------------------------------------------------------------------------------


def build_point_charts(columns: RequestColumns, server: ServerSamples | None = None) -> PointCharts:
    """Build the charts of a load point from its requests, and from what was read from the server."""
    measures = compute_measures(columns)
    rows = columns.in_measure_phase & columns.ok
    measured = {name: values[rows] for name, values in measures.items()}
    charts = (
        _chart_rates(columns),
        _chart_in_flight(columns),
        *(_chart_server(server, *chart) for chart in SERVER_CHARTS),
        _chart_distributions(
            "Distribution of latency",
            measured,
            LATENCY_LABELS,
            "Share of requests that took at most this long. The difference between “from sent” and “from due” is the"
            " time that requests waited before they were sent.",
        ),
        _chart_request_speed(columns["audio_seconds"][rows], measured["rtfx_request"]),
        _chart_distributions(
            "Pauses in playback",
            measured,
            UNDERRUN_LABELS,
            "Share of responses whose longest pause is at most this long, and share that would play without a pause"
            " after a prebuffer of this length.",
        ),
    )
    return PointCharts(_build_bars(columns), tuple(chart for chart in charts if chart))


def _build_bars(columns: RequestColumns) -> tuple[RequestBar, ...]:
    order = np.argsort(columns.start_times, kind="stable")
    order = order[~np.isnan(columns.start_times[order])]
    status = columns.categorical["status"]
    last = np.where(np.isnan(columns["last_content"]), columns["done"], columns["last_content"])
    return tuple(
        RequestBar(
            start=round(float(columns.start_times[row]), 4),
            sent=_none_if_nan(columns["sent"][row]),
            first_token=_none_if_nan(columns["first_token"][row]),
            end=_none_if_nan(last[row]),
            status=status.categories[status.codes[row]],
        )
        for row in _thin(order, MAX_BARS).tolist()
    )


def _none_if_nan(time: float) -> float | None:
    return None if math.isnan(time) else round(float(time), 4)


def _thin(indices: NDArray[np.intp], limit: int) -> NDArray[np.intp]:
    """Choose at most `limit` indices, evenly."""
    return indices[np.unique(np.linspace(0, len(indices) - 1, limit).astype(int))] if len(indices) else indices


def _chart_rates(columns: RequestColumns) -> Chart | None:
    """Chart the rates of answered, sent and due requests per time bin."""
    succeeded = np.where(columns.ok, columns["done"], np.nan)
    events = {"answered": succeeded, "sent": columns["sent"], "offered": columns["due"]}
    times_by_name = {name: times[~np.isnan(times)] for name, times in events.items()}
    end = max((float(times.max()) for times in times_by_name.values() if len(times)), default=0.0)
    if end <= 0:
        return None
    bins = max(map(len, times_by_name.values())) / MIN_REQUESTS_PER_BIN
    width = _round_up(end / min(MAX_RATE_BINS, max(MIN_RATE_BINS, bins)))
    edges = np.arange(max(1, math.floor(end / width)) + 1) * width  # an incomplete last bin would mislead
    series = tuple(
        Series(name, _to_points(edges[:-1] + width / 2, rates), "dashed" if name == "offered" else "line")
        for name, times in times_by_name.items()
        if (rates := np.histogram(times, edges)[0] / width).any()
    )
    caption = f"Averaged over {format_number(width)} s."
    return Chart("Request rate over time", "seconds", "requests per second", series, caption)


def _round_up(value: float) -> float:
    """Round up to 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * factor for factor in (1.0, 2.0, 5.0, 10.0) if power * factor >= value * 0.999)


def _chart_in_flight(columns: RequestColumns) -> Chart | None:
    """Chart the maximum number of requests in flight per time bin, so that no peak is hidden."""
    in_flight = count_in_flight(columns)
    if not len(in_flight.times) or not in_flight.times[-1]:
        return None
    edges = np.linspace(0.0, float(in_flight.times[-1]), IN_FLIGHT_BINS + 1)
    before = np.searchsorted(in_flight.times, edges, side="right") - 1
    counts = np.append(in_flight.counts, 0.0)
    maxima = [
        counts[max(first, 0) : last + 1].max(initial=0.0) if last >= 0 else 0.0
        for first, last in zip(before[:-1].tolist(), before[1:].tolist(), strict=True)
    ]
    steps = _to_points(np.repeat(edges, 2)[1:-1], np.repeat(maxima, 2))
    caption = "Requests sent and not yet done; maximum per time bin."
    return Chart("Requests in flight over time", "seconds", "in flight", (Series("", steps),), caption)


def _chart_server(
    server: ServerSamples | None, title: str, label: str, scale: float, names: Mapping[str, str]
) -> Chart | None:
    """Chart what was read from the server while the load ran, on the time axis of the requests."""
    if server is None:
        return None
    during = server.times >= 0
    series = tuple(
        Series(text, _to_points(server.times[rows], scale * server.columns[name][rows]))
        for name, text in names.items()
        if name in server.columns and (rows := during & ~np.isnan(server.columns[name])).any()
    )
    return Chart(title, "seconds", label, series, "As the server reported it.") if series else None


def _chart_distributions(
    title: str, measures: Mapping[str, Floats], labels: Mapping[str, str], caption: str
) -> Chart | None:
    """Chart the cumulative distributions of measures, by their names in `labels`."""
    styles: tuple[Style, ...] = ("line", "dashed", "line")  # in turn, so that overlapping lines stay visible
    series = []
    for (name, label), style in zip(labels.items(), styles, strict=False):
        defined = measures[name][~np.isnan(measures[name])]
        if len(defined):
            shares = 100 * np.array(QUANTILES)
            series.append(Series(label, _to_points(np.quantile(defined, QUANTILES), shares), style))
    return Chart(title, "seconds", "% of requests", tuple(series), caption, y_max=100.0) if series else None


def _chart_request_speed(audio_seconds: Floats, speed: Floats) -> Chart | None:
    """Chart the speed of each request against the length of its audio."""
    chosen = _thin(np.flatnonzero(~np.isnan(audio_seconds) & ~np.isnan(speed)), MAX_DOTS)
    if not len(chosen):
        return None
    dots = Series("", _to_points(audio_seconds[chosen], speed[chosen]), "dots")
    caption = "The fixed cost of a request weighs most on short audio."
    return Chart("Speed of one request", "seconds of audio sent", "seconds of audio per second", (dots,), caption)


def _to_points(x_values: Iterable[float], y_values: Iterable[float]) -> tuple[Point, ...]:
    return tuple((float(f"{x:.5g}"), float(f"{y:.5g}")) for x, y in zip(x_values, y_values, strict=True))


# --- all load points ----------------------------------------------------------------------------------


FAMILY_PATTERN = re.compile(r":[\d.]+(?=,|$)")


def name_load_family(load: str) -> str:
    """Return a load without its level: `poisson` for `poisson:4`, `closed,think=2` for `closed:8,think=2`."""
    return FAMILY_PATTERN.sub("", load)


def _read_level(load: str) -> str:
    """Return the level that `name_load_family` leaves out: `8` for `closed:8,think=2`; empty if there is none."""
    level = FAMILY_PATTERN.search(load)
    return level[0][1:] if level else ""


def build_load_charts(*tests: Sequence[LoadPointSummary]) -> tuple[Chart, ...]:
    """Build charts of latency against throughput, and of throughput and time to first output against load.

    Points of different families, such as `closed` and `poisson`, are different curves, and so are those of two tests,
    A and B. Each curve joins its points in the order of their loads.
    """
    points = [point for test in tests for point in test]
    has_rate = all(point.read("offered_rate").value is not None for point in points)
    load_label, load = ("offered per second", "offered_rate") if has_rate else ("mean in flight", "in_flight_mean")
    has_audio = any(point.measures["ttfa_s"].n for point in points)
    first_measure, first_label = ("ttfa_s", "first audio, s") if has_audio else ("ttft_s", "TTFT, s")
    families: dict[str, list[LoadPointSummary]] = {}
    for name, test in zip("AB" if len(tests) > 1 else ("",), tests, strict=True):
        for point in test:
            families.setdefault(f"{name} {name_load_family(point.load)}".lstrip(), []).append(point)
    for family in families.values():
        family.sort(key=lambda point: float(_read_level(point.load) or 0))
    charts = (
        Chart(
            "Latency against throughput",
            "answered per second",
            _label_percentile("latency, s", families),
            _build_percentile_series(families, "req_s", "latency_s"),
            "Each mark is a load point with its level, such as 8 for closed:8; lines join them in the order of load."
            " Where a line turns upwards or back, more load no longer raises throughput.",
        ),
        Chart(
            "Throughput against load",
            load_label,
            "answered per second",
            _build_throughput_series(families, load),
            "Answered requests per second at each load.",
        ),
        Chart(
            "Time to first output against load",
            load_label,
            _label_percentile(first_label, families),
            _build_percentile_series(families, load, first_measure),
            "Measured from when a request was sent.",
        ),
    )
    known = (replace(chart, series=tuple(line for line in chart.series if line.points)) for chart in charts)
    return tuple(chart for chart in known if len({x for line in chart.series for x, _ in line.points}) > 1)


Families: TypeAlias = Mapping[str, Sequence[LoadPointSummary]]


def _label_percentile(label: str, families: Families) -> str:
    """Name the percentile that is shown of several families; of one family, each percentile is a curve."""
    return label if len(families) == 1 else f"{FAMILY_PERCENTILE} of {label}"


def _build_percentile_series(families: Families, x_name: str, measure: str) -> tuple[Series, ...]:
    if len(families) == 1:
        (points,) = families.values()
        curves = [_build_series(name, points, x_name, (measure, name)) for name in PERCENTILES]
        highest = [curve for curve in curves if curve.points][-1:]
        return tuple(curve if curve in highest else replace(curve, labels=()) for curve in curves)
    return tuple(
        _build_series(family, points, x_name, (measure, FAMILY_PERCENTILE)) for family, points in families.items()
    )


def _build_throughput_series(families: Families, x_name: str) -> tuple[Series, ...]:
    if len(families) > 1:
        return tuple(_build_series(family, points, x_name, ("req_s",)) for family, points in families.items())
    (points,) = families.values()
    return (
        _build_series("answered", points, x_name, ("req_s",)),
        _build_series("SLOs met", points, x_name, ("goodput_req_s",), "dashed"),
    )


def _build_series(
    title: str, points: Sequence[LoadPointSummary], x_name: str, y_name: tuple[str, ...], style: Style = "line"
) -> Series:
    """Build a series of a run measure against another, or against a statistic of a request measure."""
    values = [(point.read(x_name).value, point.read(*y_name).value, _read_level(point.load)) for point in points]
    known = [(x, y, level) for x, y, level in values if x is not None and y is not None]
    labels = tuple(level for *_, level in known) if x_name == "req_s" else ()
    return Series(title, tuple((x, y) for x, y, _ in known), style, labels)
