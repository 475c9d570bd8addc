"""Render `summary.md`: the numbers of a load test as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from auricle.perf.measure_definitions import RUN_DEFINITIONS
from auricle.perf.report.tables import (
    STATISTICS,
    Summary,
    describe_window,
    format_header,
    format_interval,
    format_number,
    format_remarks,
    format_repeats,
    format_row,
    format_search,
    select_columns,
    used_definitions,
)


def render_markdown(about: Mapping[str, Any], summaries: Sequence[Summary]) -> str:
    """Render a table of all load points, a section for each, and the definitions."""
    columns = select_columns(summaries)
    parts = [f"# {_escape(_title(about))}", *_facts(about)]
    parts += [_escape(format_search(result)) for result in about.get("searches", ())]
    parts += [_escape(format_repeats(repeats)) for repeats in about.get("spreads", ())]
    parts.append(_render_table(format_header(columns), [format_row(summary, columns) for summary in summaries]))
    for summary in summaries:
        parts += _point_section(summary)
    parts += ["## Definitions", _definitions_table(summaries)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _title(about: Mapping[str, Any]) -> str:
    names = [str(about[name]) for name in ("model", "task") if about.get(name)]
    return " · ".join(["Load test", *names])


def _facts(about: Mapping[str, Any]) -> list[str]:
    pairs = [("Created", about.get("created")), ("Auricle version", about.get("auricle")), *about.get("facts", ())]
    return ["\n".join(f"- {name}: {_escape(str(text))}" for name, text in pairs if text)]


def _point_section(summary: Summary) -> list[str]:
    remarks = "\n".join(f"- {_escape(remark)}" for remark in format_remarks(summary))
    return [f"## {summary['load']}", describe_window(summary), remarks, _run_table(summary), _measures_table(summary)]


def _run_table(summary: Summary) -> str:
    rows = [
        [name, format_number(entry["value"], RUN_DEFINITIONS[name].unit), format_interval(entry.get("interval"))]
        for name, entry in summary["run"].items()
        if entry["value"] is not None
    ]
    return _render_table(["run measure", "value", "95 % interval"], rows)


def _measures_table(summary: Summary) -> str:
    rows = [
        [
            name,
            f"{entry['n']:,}",
            *(format_number(entry[statistic]) for statistic in STATISTICS[1:]),
            format_interval(entry["intervals"]["p50"]),
        ]
        for name, entry in summary["measures"].items()
        if entry["n"]
    ]
    return _render_table(["request measure", *STATISTICS, "95 % interval of p50"], rows)


def _definitions_table(summaries: Sequence[Summary]) -> str:
    rows = [[name, *definition] for name, definition in used_definitions(summaries).items()]
    return _render_table(["name", "unit", "definition", "undefined when"], rows, "---")


def _render_table(header: Sequence[str], rows: Sequence[Sequence[str]], alignment: str = "--:") -> str:
    """Render a GitHub table; columns after the first have this alignment."""
    rule = ["---", *([alignment] * (len(header) - 1))]
    return "\n".join(_render_row(cells) for cells in (header, rule, *rows))


def _render_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_escape(cell) for cell in cells)} |"


def _escape(text: str) -> str:
    """Put a text on one line and escape what would end a table cell or start HTML."""
    line = " ".join(text.split())
    return line.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
