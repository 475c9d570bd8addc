"""Render `report.html` of a load test: one file that works offline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from auricle.perf.measure_definitions import REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.report import tables
from auricle.perf.report.chart_data import PointCharts, build_load_charts
from auricle.perf.report.charts import draw_chart, draw_timeline
from auricle.perf.report.tables import Points, format_number
from auricle.report import templating
from auricle.report.html_format import format_count
from auricle.runs.perf_files import PerfSummary

MAX_UNFOLDED_POINTS = 3
"""Number of load points above which their sections are folded."""
MAX_OVERVIEW_COLUMNS = 10
"""Most measure columns in the table of all points."""


class Headline(NamedTuple):
    """The most important number of the page."""

    title: str
    figure: str
    detail: str


def render_page(summary: PerfSummary, charts: Sequence[PointCharts | None]) -> str:
    """Render the page from a summary and the charts of each load point."""
    points = summary.points
    notices = [tables.INTERRUPTED_NOTICE] * summary.interrupted
    notices += [reason for point in points for reason in tables.format_invalidities(point)]
    definitions = REQUEST_DEFINITIONS | RUN_DEFINITIONS
    return templating.render_page(
        "perf/report/templates/load_test.html",
        version=summary.about.versions.get("auricle", ""),
        summary=summary,
        points=list(zip(points, charts, strict=True)),
        tables=tables,
        notices=notices + tables.describe_series(summary),
        headline=_choose_headline(points),
        facts=_list_counts(points),
        overview=tables.build_overview(points, MAX_OVERVIEW_COLUMNS),
        load_charts=build_load_charts(points) if len(points) > 1 else (),
        draw_chart=draw_chart,
        draw_timeline=draw_timeline,
        folded=len(points) > MAX_UNFOLDED_POINTS,
        definition_texts={name: definition.text for name, definition in definitions.items()},
    )


def _choose_headline(points: Points) -> Headline:
    """Return the highest throughput of several points, or the median TTFT or latency of one."""
    if not points:
        return Headline("No result", "–", "no request succeeded")
    if len(points) > 1:
        best = max(points, key=lambda point: point.run["req_s"].value or 0.0)
        return Headline("Highest throughput", f"{format_number(best.run['req_s'].value or 0.0)}/s", f"at {best.load}")
    (point,) = points
    is_streamed = bool(point.measures["ttft_s"]["n"])
    statistics = point.measures["ttft_s" if is_streamed else "latency_s"]
    interval = statistics["intervals"]["p50"]
    return Headline(
        "Median time to first token" if is_streamed else "Median latency",
        f"{format_number(statistics['p50'])} s",
        f"95 % interval {' – '.join(map(format_number, interval))}" if interval else f"at {point.load}",
    )


def _list_counts(points: Points) -> list[tuple[str, str]]:
    counts = [point.counts.window for point in points]
    hours = sum(point.run["audio_hours"].value or 0.0 for point in points)
    return [
        ("Load points", format_count(len(points))),
        ("Requests", format_count(sum(count.total for count in counts))),
        ("Failed", format_count(sum(count.failed for count in counts))),
        ("Cancelled", format_count(sum(count.cancelled for count in counts))),
        ("Measured for", f"{sum(point.window.length_s for point in points):,.0f} s"),
        *([("Audio sent", f"{hours:.2g} h")] if hours else []),
    ]
