"""`summary.md`: the numbers of a load test as text that reads well anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from auricle.perf.definitions import REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.report.tables import (
    Summary,
    format_header,
    format_number,
    format_remarks,
    format_repeats,
    format_row,
    format_search,
    select_columns,
)

STATISTICS = ("n", "mean", "p50", "p90", "p95", "p99", "max")


def render_markdown(about: Mapping[str, Any], summaries: Sequence[Summary]) -> str:
    """All points in a table, then each by itself, then what the words mean."""
    columns = select_columns(summaries)
    parts = [f"# {_escape(_title(about))}", *_facts(about)]
    parts += [_escape(format_search(each)) for each in about.get("searches", ())]
    parts += [_escape(format_repeats(each)) for each in about.get("spreads", ())]
    parts.append(_render_table(format_header(columns), [format_row(each, columns) for each in summaries]))
    for summary in summaries:
        parts += _point_section(summary)
    parts += ["## Definitions", _definitions_table(summaries)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _title(about: Mapping[str, Any]) -> str:
    named = [str(about[name]) for name in ("model", "task") if about.get(name)]
    return " · ".join(["Load test", *named])


def _facts(about: Mapping[str, Any]) -> list[str]:
    known = [("Made", about.get("created")), ("Auricle", about.get("auricle"))]
    pairs = [*known, *about.get("facts", ())]
    return ["\n".join(f"- {name}: {_escape(str(text))}" for name, text in pairs if text)]


def _point_section(summary: Summary) -> list[str]:
    window = summary["window"]
    counts = summary["counts"]["window"]
    told = (
        f"{window['requests']:,} requests in {format_number(window['length_s'])} s"
        f" ({'steady' if window['kind'] == 'steady' else 'all that was measured'}):"
        f" {counts['ok']:,} ended well, {counts['failed']:,} failed,"
        f" {counts['cancelled']:,} were cancelled."
    )
    notes = "\n".join(f"- {_escape(each)}" for each in format_remarks(summary))
    return [f"## {summary['load']}", told, notes, _run_table(summary), _measures_table(summary)]


def _run_table(summary: Summary) -> str:
    rows = [
        [name, format_number(each["value"], RUN_DEFINITIONS[name].unit), _format_interval(each.get("interval"))]
        for name, each in summary["run"].items()
        if each["value"] is not None
    ]
    return _render_table(["of the run", "value", "95 % interval"], rows)


def _measures_table(summary: Summary) -> str:
    rows = [
        [name, f"{each['n']:,}", *(format_number(each[which]) for which in STATISTICS[1:]),
         _format_interval(each["intervals"]["p50"])]
        for name, each in summary["measures"].items()
        if each["n"]
    ]  # fmt: skip
    return _render_table(["of a request", *STATISTICS, "95 % interval of p50"], rows)


def _format_interval(interval: Sequence[float] | None) -> str:
    return " … ".join(format_number(end) for end in interval) if interval else "–"


def _definitions_table(summaries: Sequence[Summary]) -> str:
    said = [name for name in REQUEST_DEFINITIONS if any(each["measures"][name]["n"] for each in summaries)]
    known = {name: REQUEST_DEFINITIONS[name] for name in said} | RUN_DEFINITIONS
    rows = [[name, each.unit, each.text, each.undefined_when] for name, each in known.items()]
    return _render_table(["name", "unit", "is", "undefined when"], rows, "---")


def _render_table(header: Sequence[str], rows: Sequence[Sequence[str]], alignment: str = "--:") -> str:
    """As GitHub reads it; what is not in the first column stands to the right, unless told."""
    rule = ["---", *([alignment] * (len(header) - 1))]
    return "\n".join(_render_row(cells) for cells in (header, rule, *rows))


def _render_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_escape(cell) for cell in cells)} |"


def _escape(text: str) -> str:
    """On one line, and without what would end a cell or begin HTML."""
    plain = " ".join(text.split())
    return plain.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
