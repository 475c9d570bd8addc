"""Render `summary.md`: the numbers of a load test as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from auricle.perf.report.tables import (
    Table,
    build_definitions_table,
    build_measures_table,
    build_overview,
    build_run_table,
    describe_series,
    describe_window,
    format_interval,
    format_remarks,
    list_facts,
)
from auricle.runs.perf_files import LoadPointSummary, PerfSummary


def render_markdown(summary: PerfSummary) -> str:
    """Render a table of all load points, a section for each, and the definitions."""
    parts = [
        f"# {_escape(f'Load test · {summary.model} · {summary.task}')}",
        "\n".join(f"- {name}: {_escape(text)}" for name, text in list_facts(summary)),
        *map(_escape, describe_series(summary)),
        render_table(build_overview(summary.points)),
        *(part for point in summary.points for part in _point_section(point)),
        "## Definitions",
        render_table(build_definitions_table(summary.points), "---"),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _point_section(point: LoadPointSummary) -> list[str]:
    remarks = "\n".join(f"- {_escape(remark)}" for remark in format_remarks(point))
    measures = build_measures_table(point)
    rows = [[*row, format_interval(point.measures[row[0]]["intervals"]["p50"])] for row in measures.rows]
    with_intervals = Table([*measures.titles, "95 % interval of p50"], rows)
    tables = [render_table(table) for table in (build_run_table(point), with_intervals)]
    return [f"## {point.load}", describe_window(point), remarks, *tables]


def render_table(table: Table, alignment: str = "--:") -> str:
    """Render a GitHub table; columns after the first have this alignment."""
    rule = ["---", *([alignment] * (len(table.titles) - 1))]
    return "\n".join(_render_row(cells) for cells in (table.titles, rule, *table.rows))


def _render_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_escape(cell) for cell in cells)} |"


def _escape(text: str) -> str:
    """Put a text on one line and escape what would end a table cell or start HTML."""
    line = " ".join(text.split())
    return line.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
