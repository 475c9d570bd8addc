"""`summary.md`: the numbers of a load test as text that reads well anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from auricle.perf.definitions import DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.report.table import (
    Summary,
    columns_of,
    found,
    header,
    remarks,
    row,
    spread,
    written,
)

STATISTICS = ("n", "mean", "p50", "p90", "p95", "p99", "max")


def markdown(about: Mapping[str, Any], summaries: Sequence[Summary]) -> str:
    """All points in a table, then each by itself, then what the words mean."""
    columns = columns_of(summaries)
    parts = [f"# {_escaped(_title(about))}", *_facts(about)]
    parts += [_escaped(found(each)) for each in about.get("searches", ())]
    parts += [_escaped(spread(each)) for each in about.get("spreads", ())]
    parts.append(_table(header(columns), [row(each, columns) for each in summaries]))
    for summary in summaries:
        parts += _point(summary)
    parts += ["## Definitions", _definitions(summaries)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _title(about: Mapping[str, Any]) -> str:
    named = [str(about[name]) for name in ("model", "task") if about.get(name)]
    return " · ".join(["Load test", *named])


def _facts(about: Mapping[str, Any]) -> list[str]:
    known = [("Made", about.get("created")), ("Auricle", about.get("auricle"))]
    pairs = [*known, *about.get("facts", ())]
    return ["\n".join(f"- {name}: {_escaped(str(text))}" for name, text in pairs if text)]


def _point(summary: Summary) -> list[str]:
    window = summary["window"]
    counts = summary["counts"]["window"]
    told = (
        f"{window['requests']:,} requests in {written(window['length_s'])} s"
        f" ({'steady' if window['kind'] == 'steady' else 'all that was measured'}):"
        f" {counts['ok']:,} ended well, {counts['failed']:,} failed,"
        f" {counts['cancelled']:,} were cancelled."
    )
    notes = "\n".join(f"- {_escaped(each)}" for each in remarks(summary))
    return [f"## {summary['load']}", told, notes, _run(summary), _measures(summary)]


def _run(summary: Summary) -> str:
    rows = [
        [name, written(each["value"], RUN_DEFINITIONS[name].unit), _interval(each.get("interval"))]
        for name, each in summary["run"].items()
        if each["value"] is not None
    ]
    return _table(["of the run", "value", "95 % interval"], rows)


def _measures(summary: Summary) -> str:
    rows = [
        [name, f"{each['n']:,}", *(written(each[which]) for which in STATISTICS[1:]),
         _interval(each["intervals"]["p50"])]
        for name, each in summary["measures"].items()
        if each["n"]
    ]  # fmt: skip
    return _table(["of a request", *STATISTICS, "95 % interval of p50"], rows)


def _interval(ends: Sequence[float] | None) -> str:
    return " … ".join(written(end) for end in ends) if ends else "–"


def _definitions(summaries: Sequence[Summary]) -> str:
    said = [name for name in DEFINITIONS if any(each["measures"][name]["n"] for each in summaries)]
    known = {name: DEFINITIONS[name] for name in said} | RUN_DEFINITIONS
    rows = [[name, each.unit, each.text, each.undefined_when] for name, each in known.items()]
    return _table(["name", "unit", "is", "undefined when"], rows, "---")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], side: str = "--:") -> str:
    """As GitHub reads it; what is not in the first column stands to the right, unless told."""
    rule = ["---", *([side] * (len(head) - 1))]
    return "\n".join(_line(cells) for cells in (head, rule, *rows))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_escaped(cell) for cell in cells)} |"


def _escaped(text: str) -> str:
    """On one line, and without what would end a cell or begin HTML."""
    plain = " ".join(text.split())
    return plain.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
