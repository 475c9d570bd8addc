"""Render one load point of the page: charts, measures, breakdowns and failures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from auricle.perf.measure_definitions import REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.report import charts
from auricle.perf.report.charts import render_figure
from auricle.perf.report.tables import STATISTICS as STATISTICS
from auricle.perf.report.tables import Summary, describe_window, format_interval, format_number, format_outcomes
from auricle.report.markup import Markup, join_markup, tag

ChartData: TypeAlias = Mapping[str, Any]

BREAKDOWN_STATISTICS = ("p50", "p95")
LATENCY_LABELS = {"latency_s": "from sent", "sched_latency_s": "from due", "ttft_s": "first token"}
UNDERRUN_LABELS = {"underrun_max_s": "longest pause", "min_prebuffer_s": "prebuffer that prevents all"}
BREAKDOWN_TITLES = {"audio_seconds": "Seconds of audio sent", "turn": "Turn", "output_tokens": "Output tokens"}


def render_point(summary: Summary, chart_data: ChartData | None, *, folded: bool) -> Markup:
    """Render the section of a load point, folded if `folded`."""
    remarks = [tag("p", remark, class_="quiet") for remark in (*summary["notes"], *format_outcomes(summary))]
    figures = [figure for figure in _render_charts(chart_data) if figure] if chart_data else []
    content = join_markup(
        tag("p", describe_window(summary)),
        remarks,
        tag("div", figures, class_="pictures") if figures else None,
        _measures_table(summary),
        _run_table(summary),
        *(_breakdown_table(summary, field, title) for field, title in BREAKDOWN_TITLES.items()),
        _failures_table(summary),
    )
    name = tag("bdi", summary["load"])
    if folded:
        return tag("details", tag("summary", name), content, class_="point")
    return tag("div", tag("h3", name), content, class_="point")


def _render_charts(chart_data: ChartData) -> Iterator[Markup | None]:
    yield render_figure(
        charts.draw_timeline(chart_data),
        f"{len(chart_data['bars'])} evenly chosen requests, in the order in which they started.",
        full_width=True,
    )
    width = chart_data["rates"]["width_s"]
    yield render_figure(charts.draw_rates(chart_data), f"Averaged over {format_number(width)} s.")
    yield render_figure(charts.draw_in_flight(chart_data), "Requests sent and not yet done; maximum per time bin.")
    yield render_figure(
        charts.draw_cumulative(chart_data, LATENCY_LABELS, "Distribution of latency"),
        "Share of requests that took at most this long. The difference between “from sent” and “from due” is the time"
        " that requests waited before they were sent.",
    )
    yield render_figure(
        charts.draw_rtfx_by_length(chart_data), "The fixed cost of a request weighs most on short audio."
    )
    yield render_figure(
        charts.draw_cumulative(chart_data, UNDERRUN_LABELS, "Pauses in playback"),
        "Share of responses whose longest pause is at most this long, and share that would play without a pause"
        " after a prebuffer of this length.",
    )


def _measures_table(summary: Summary) -> Markup:
    rows = [
        [name, f"{entry['n']:,}", *(format_number(entry[statistic]) for statistic in STATISTICS[1:])]
        for name, entry in summary["measures"].items()
        if entry["n"]
    ]
    return render_table(header_cells("Request measure", *STATISTICS), rows)


def _run_table(summary: Summary) -> Markup:
    rows = [
        [name, format_number(entry["value"], RUN_DEFINITIONS[name].unit), format_interval(entry.get("interval"))]
        for name, entry in summary["run"].items()
        if entry["value"] is not None
    ]
    return render_table(header_cells("Run measure", "value", "95 % interval"), rows)


def _breakdown_table(summary: Summary, field: str, title: str) -> Markup | None:
    """Render medians and 95th percentiles per bucket; None if there are fewer than two buckets."""
    buckets = summary["breakdowns"].get(field, [])
    if len(buckets) < 2:
        return None
    names = list(dict.fromkeys(name for bucket in buckets for name in bucket["measures"]))
    rows = [
        [bucket["bucket"], f"{bucket['ok']:,}", f"{bucket['failed']:,}", *_format_measures(bucket["measures"], names)]
        for bucket in buckets
    ]
    titles = [f"{name} {statistic}" for name in names for statistic in BREAKDOWN_STATISTICS]
    return render_table(header_cells(title, "ok", "failed", *titles), rows)


def _format_measures(measures: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    return [format_number((measures.get(name) or {}).get(p)) for name in names for p in BREAKDOWN_STATISTICS]


def _failures_table(summary: Summary) -> Markup | None:
    if not summary["failures"]:
        return None
    rows = [
        [failure["examples"][0], f"{failure['count']:,}", format_number(failure["after_p50_s"])]
        for failure in summary["failures"]
    ]
    return render_table(header_cells("Error", "requests", "median time to failure, s"), rows)


# --- tables -------------------------------------------------------------------------------------


def header_cells(*titles: str) -> list[Markup]:
    """Render the header cells of a table with numbers in all columns but the first."""
    return [tag("th", title, scope="col", class_="number" if index else None) for index, title in enumerate(titles)]


def render_table(header: Sequence[Markup], rows: Sequence[Sequence[str]]) -> Markup:
    """Render a table of numbers; the name of a measure shows its definition as a tooltip."""
    body = [tag("tr", _name_cell(name), [tag("td", cell, class_="number") for cell in cells]) for name, *cells in rows]
    table = tag("table", tag("thead", tag("tr", header)), tag("tbody", body))
    return tag("div", table, class_="wide")


def _name_cell(name: str) -> Markup:
    definition = REQUEST_DEFINITIONS.get(name) or RUN_DEFINITIONS.get(name)
    return tag("th", tag("bdi", name), scope="row", title=definition.text if definition else None)
