"""Write the reports of a measurement next to its `summary.json`: Markdown, CSV and one HTML page that works offline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from auricle.core.csv_text import render_records
from auricle.core.files import write_atomically
from auricle.perf.measures import REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.report import tables
from auricle.perf.report.chart_data import PointCharts, build_load_charts, build_point_charts
from auricle.perf.report.charts import draw_chart, draw_timeline
from auricle.perf.report.headline import choose_headline
from auricle.perf.report.tables import Points, Table, format_interval
from auricle.perf.request_records import RequestColumns
from auricle.perf.server_metrics import ServerSamples
from auricle.report import templating
from auricle.report.html_format import format_count
from auricle.runs.perf_files import REQUESTS_FILE, LoadPointSummary, PerfSummary

MAX_UNFOLDED_POINTS = 3
"""Number of load points above which their sections are folded."""
MAX_OVERVIEW_COLUMNS = 9
"""Most measure columns in the table of all points."""
CSV_BASE_COLUMNS = (
    *("load", "valid", "window", "window_start_s", "window_end_s", "requests"),
    *("ok", "failed", "cancelled", "slo_met", "saturated"),
)
CSV_STATISTICS = ("n", "mean", "std", "min", "p50", "p75", "p90", "p95", "p99", "p99.9", "max")
CSV_COLUMNS = (
    *CSV_BASE_COLUMNS,
    *(f"{name}{suffix}" for name in RUN_DEFINITIONS for suffix in ("", "_low", "_high")),
    *(f"{name}_{statistic}" for name in REQUEST_DEFINITIONS for statistic in CSV_STATISTICS),
)
"""Always the same columns, so that files of several measurements can be concatenated."""


def write_reports(folder: Path, summary: PerfSummary) -> None:
    """Write `summary.md`, `summary.csv` and `report.html` from a summary."""
    charts = [_load_charts(folder / point.folder) for point in summary.points]
    write_atomically(folder / "summary.md", render_markdown(summary).encode())
    write_atomically(folder / "summary.csv", render_csv(summary.points))
    write_atomically(folder / "report.html", render_page(summary, charts).encode())


def _load_charts(point_folder: Path) -> PointCharts | None:
    """Build the charts of a point; None if its requests were deleted."""
    path = point_folder / REQUESTS_FILE
    return build_point_charts(RequestColumns.read(path), ServerSamples.read(point_folder)) if path.exists() else None


# --- Markdown -------------------------------------------------------------------------------


def render_markdown(summary: PerfSummary) -> str:
    """Render a table of all load points, a section for each, and the definitions."""
    parts = [
        f"# {_escape(f'Load test · {summary.model} · {summary.task}')}",
        _escape(str(choose_headline(summary.points))),
        "\n".join(f"- {name}: {_escape(text)}" for name, text in tables.list_facts(summary)),
        *map(_escape, tables.describe_series(summary)),
        render_table(tables.build_overview(summary.points)),
        *(part for point in summary.points for part in _point_section(point)),
        "## Definitions",
        render_table(tables.build_definitions_table(summary.points), "---"),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _point_section(point: LoadPointSummary) -> list[str]:
    remarks = "\n".join(
        f"- {_escape(remark)}" for remark in (*tables.format_remarks(point), *tables.format_sizes(point))
    )
    measures = tables.build_measures_table(point)
    names = [name for name, entry in point.measures.items() if entry.n]
    intervals = [format_interval(point.read(name, "p50").interval) for name in names]
    rows = [[*row, interval] for row, interval in zip(measures.rows, intervals, strict=True)]
    with_intervals = Table([*measures.titles, "95 % interval of p50"], rows)
    rendered = [render_table(table) for table in (tables.build_run_table(point), with_intervals)]
    return [f"## {point.load}", tables.describe_window(point), remarks, *rendered]


def render_table(table: Table, alignment: str = "--:") -> str:
    """Render a GitHub table; columns after the first have this alignment."""
    rule = ["---", *([alignment] * (len(table.titles) - 1))]
    return "\n".join(f"| {' | '.join(map(_escape, cells))} |" for cells in (table.titles, rule, *table.rows))


def _escape(text: str) -> str:
    """Put a text on one line and escape what would end a table cell or start HTML."""
    line = " ".join(text.split())
    return line.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


# --- CSV ------------------------------------------------------------------------------------


def render_csv(points: Points) -> bytes:
    """Render one row per load point; unknown values are empty."""
    return render_records(CSV_COLUMNS, map(flatten_point, points)).encode()


def flatten_point(point: LoadPointSummary) -> dict[str, Any]:
    """Flatten a load point's summary into one value per CSV column."""
    window, counts = point.window, point.counts.window
    base = (point.load, point.validity.valid, window.kind, window.start_s, window.end_s, window.requests)
    outcome = (*astuple(counts), point.slo.met if point.slo else None, point.saturation.saturated)
    row: dict[str, Any] = dict(zip(CSV_BASE_COLUMNS, (*base, *outcome), strict=True))
    for name, number in point.run.items():
        low, high = number.interval or (None, None)
        row |= {name: number.value, f"{name}_low": low, f"{name}_high": high}
    for name, measure in point.measures.items():
        row |= {f"{name}_{statistic}": measure[statistic] for statistic in CSV_STATISTICS}
    return row


# --- HTML -----------------------------------------------------------------------------------


def render_page(summary: PerfSummary, charts: Sequence[PointCharts | None]) -> str:
    """Render the page from a summary and the charts of each load point."""
    points = summary.points
    notices = [tables.INTERRUPTED_NOTICE] * summary.interrupted
    notices += [reason for point in points for reason in tables.format_invalidities(point)]
    definitions = REQUEST_DEFINITIONS | RUN_DEFINITIONS
    return templating.render_page(
        "perf/report/templates/load_test.html",
        stylesheets=("perf/report/page.css",),
        script="",
        version=summary.about.versions.get("auricle", ""),
        summary=summary,
        points=list(zip(points, charts, strict=True)),
        tables=tables,
        notices=notices + tables.describe_series(summary),
        headline=choose_headline(points),
        command=tables.format_command(summary),
        facts=_list_counts(points),
        overview=tables.build_overview(points, MAX_OVERVIEW_COLUMNS),
        load_charts=build_load_charts(points) if len(points) > 1 else (),
        draw_chart=draw_chart,
        draw_timeline=draw_timeline,
        folded=len(points) > MAX_UNFOLDED_POINTS,
        definition_texts={definition.heading: f"{name}: {definition.text}" for name, definition in definitions.items()},
    )


def _list_counts(points: Points) -> list[tuple[str, str]]:
    counts = [point.counts.window for point in points]
    conversations = [point.counts.conversations.total for point in points if point.counts.conversations]
    hours = sum(point.run["audio_hours"].value or 0.0 for point in points)
    return [
        ("Load points", format_count(len(points))),
        *([("Conversations", format_count(sum(conversations)))] if any(conversations) else []),
        ("Turns" if any(conversations) else "Requests", format_count(sum(count.total for count in counts))),
        ("Failed", format_count(sum(count.failed for count in counts))),
        ("Cancelled", format_count(sum(count.cancelled for count in counts))),
        ("Measured for", f"{sum(point.window.length_s for point in points):,.0f} s"),
        *([("Audio sent", f"{hours:.2g} h")] if hours else []),
    ]
