"""One load point on the page: its pictures, its measures, what failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from auricle.perf.definitions import REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.report import charts
from auricle.perf.report.charts import render_figure
from auricle.perf.report.tables import Summary, format_number, format_outcomes
from auricle.report.markup import Markup, join_markup, tag

ChartData: TypeAlias = Mapping[str, Any]

STATISTICS = ("n", "mean", "p50", "p90", "p95", "p99", "max")
BREAKDOWN_STATISTICS = ("p50", "p95")
LATENCY_LABELS = {"latency_s": "from sent", "sched_latency_s": "from due", "ttft_s": "first word"}
SILENCE_LABELS = {"underrun_max_s": "longest silence", "min_prebuffer_s": "wait that prevents all"}
BREAKDOWN_TITLES = {"audio_seconds": "Seconds of sound sent", "turn": "Turn", "output_tokens": "Output tokens"}


def render_point(summary: Summary, chart_data: ChartData | None, *, folded: bool) -> Markup:
    """All about one; folded where there are many."""
    words = (*summary["notes"], *format_outcomes(summary))
    said = [tag("p", each, class_="quiet") for each in words]
    pictures = [each for each in _render_charts(chart_data) if each] if chart_data else []
    content = join_markup(
        tag("p", _describe_window(summary)),
        said,
        tag("div", pictures, class_="pictures") if pictures else None,
        _measures_table(summary),
        _run_table(summary),
        *(_breakdown_table(summary, field, title) for field, title in BREAKDOWN_TITLES.items()),
        _failures_table(summary),
    )
    name = tag("bdi", summary["load"])
    if folded:
        return tag("details", tag("summary", name), content, class_="point")
    return tag("div", tag("h3", name), content, class_="point")


def _describe_window(summary: Summary) -> str:
    window, counts = summary["window"], summary["counts"]["window"]
    kind = "steady" if window["kind"] == "steady" else "all that was measured"
    return (
        f"{window['requests']:,} requests in {format_number(window['length_s'])} s ({kind}):"
        f" {counts['ok']:,} ended well, {counts['failed']:,} failed,"
        f" {counts['cancelled']:,} were cancelled."
    )


def _render_charts(chart_data: ChartData) -> Iterator[Markup | None]:
    yield render_figure(
        charts.draw_timeline(chart_data),
        f"{len(chart_data['bars'])} requests, evenly chosen, in the order in which they began.",
        full_width=True,
    )
    width = chart_data["rates"]["width_s"]
    yield render_figure(charts.draw_rates(chart_data), f"Counted over {format_number(width)} s at a time.")
    yield render_figure(charts.draw_in_flight(chart_data), "Requests sent and not yet done: the most at a time.")
    yield render_figure(
        charts.draw_cumulative(chart_data, LATENCY_LABELS, "How long requests took"),
        "The share that took no longer. Between “from sent” and “from due” lies what a client"
        " waited before its request could be sent.",
    )
    yield render_figure(charts.draw_rtfx_by_length(chart_data), "Short sounds pay most for what every request costs.")
    yield render_figure(
        charts.draw_cumulative(chart_data, SILENCE_LABELS, "Silences while playing"),
        "The share of answers whose longest silence is no longer, and the share that would play"
        " without one had the player waited so long after the first sound.",
    )


def _measures_table(summary: Summary) -> Markup:
    rows = [
        [name, f"{each['n']:,}", *(format_number(each[which]) for which in STATISTICS[1:])]
        for name, each in summary["measures"].items()
        if each["n"]
    ]
    return render_table(header_cells("Of a request", *STATISTICS), rows)


def _run_table(summary: Summary) -> Markup:
    rows = [
        [name, format_number(each["value"], RUN_DEFINITIONS[name].unit), _format_interval(each.get("interval"))]
        for name, each in summary["run"].items()
        if each["value"] is not None
    ]
    return render_table(header_cells("Of the run", "value", "95 % interval"), rows)


def _format_interval(interval: Sequence[float] | None) -> str:
    return f"{format_number(interval[0])} – {format_number(interval[1])}" if interval else "–"


def _breakdown_table(summary: Summary, field: str, title: str) -> Markup | None:
    """Where there is more than one bucket: medians and 95th percentiles of what it has."""
    buckets = summary["breakdowns"].get(field, [])
    if len(buckets) < 2:
        return None
    names = list(dict.fromkeys(name for each in buckets for name in each["measures"]))
    rows = [
        [each["bucket"], f"{each['ok']:,}", f"{each['failed']:,}", *_format_measures(each["measures"], names)]
        for each in buckets
    ]
    titles = [f"{name} {which}" for name in names for which in BREAKDOWN_STATISTICS]
    return render_table(header_cells(title, "ok", "failed", *titles), rows)


def _format_measures(measures: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    return [format_number((measures.get(name) or {}).get(which)) for name in names for which in BREAKDOWN_STATISTICS]


def _failures_table(summary: Summary) -> Markup | None:
    if not summary["failures"]:
        return None
    rows = [
        [each["examples"][0], f"{each['count']:,}", format_number(each["after_p50_s"])] for each in summary["failures"]
    ]
    return render_table(header_cells("Failed with", "requests", "after, median s"), rows)


# --- tables -------------------------------------------------------------------------------------


def header_cells(*titles: str) -> list[Markup]:
    """Titles of columns, numbers in all but the first."""
    return [tag("th", title, scope="col", class_="number" if at else None) for at, title in enumerate(titles)]


def render_table(header: Sequence[Markup], rows: Sequence[Sequence[str]]) -> Markup:
    """A table of numbers; a measure's name tells what it is."""
    lines = [tag("tr", _name_cell(first), [tag("td", each, class_="number") for each in rest]) for first, *rest in rows]
    table = tag("table", tag("thead", tag("tr", header)), tag("tbody", lines))
    return tag("div", table, class_="wide")


def _name_cell(name: str) -> Markup:
    known = REQUEST_DEFINITIONS.get(name) or RUN_DEFINITIONS.get(name)
    return tag("th", tag("bdi", name), scope="row", title=known.text if known else None)
