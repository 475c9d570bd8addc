"""Format the results of runs for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from auricle.report.text_format import format_coverage, format_number, format_value, group_by_reason

TABLE_HEADER = ("model", "metric", "group", "value", "95 % interval", "n", "coverage", "notes")
RIGHT_ALIGNED = {"value", "n", "coverage", "A", "B", "B − A", "p", "adjusted p", "Cohen's d", "better", "worse"}


def format_metrics(documents: Sequence[Mapping[str, Any]], by: Iterable[str] = ()) -> list[str]:
    """Format the results of one or more runs, over all samples and by the given fields."""
    fields = ["", *by]
    rows = [
        _metric_row(document, number)
        for field in fields
        for document in documents
        for number in document["numbers"]
        if number["field"] == field
    ]
    return format_table(TABLE_HEADER, rows) if rows else ["No results: no sample was scored."]


def _metric_row(document: Mapping[str, Any], number: Mapping[str, Any]) -> tuple[str, ...]:
    metric = number["metric"]
    group = f"{number['field']}={number['group']}" if number["field"] else "all"
    interval = "–"
    if number["low"] is not None:
        interval = f"{format_value(number, 'low')} … {format_value(number, 'high')}"
    return (
        document["model"]["name"],
        f"{metric} {'↑' if number['higher_is_better'] else '↓'}",
        group,
        format_value(number),
        interval,
        str(number["scored"]),
        format_coverage(number),
        _notes(number),
    )


def _notes(number: Mapping[str, Any]) -> str:
    notes = []
    details = number["details"]
    if "substitutions" in details and not number["field"]:
        notes.append("S {substitutions} D {deletions} I {insertions}".format(**details))
    if (highest := details.get("ceiling")) is not None:
        notes.append(f"at most {format_number(highest, 'share')}")
    if ties := details.get("ties"):
        notes.append(f"{ties} tie{'s' * (ties != 1)}")
    if number["failed"]:
        notes.append(f"{number['failed']} failed{_format_bounds(number)}")
    if number["unreadable"]:
        notes.append(f"{number['unreadable']} unreadable")
    left = number["total"] - number["scored"] - number["failed"]
    if left > 0 and left != number["unreadable"]:
        notes.append(f"{left} not scored")
    return ", ".join(notes)


def _format_bounds(number: Mapping[str, Any]) -> str:
    """Format both bounds, if they are known."""
    low, high = ("worst", "best") if number["higher_is_better"] else ("best", "worst")
    if number["worst"] == number["best"]:
        return ""
    return f" (bounds {format_value(number, low)} … {format_value(number, high)})"


def format_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Align columns to their widest cell and omit empty columns."""
    used = [at for at, _ in enumerate(header) if any(row[at] for row in rows)]
    whole = [header, *rows]
    widths = {at: max(len(row[at]) for row in whole) for at in used}

    def line(row: Sequence[str]) -> str:
        cells = (row[at].rjust(widths[at]) if header[at] in RIGHT_ALIGNED else row[at].ljust(widths[at]) for at in used)
        return "  ".join(cells).rstrip()

    return [line(header), "  ".join("─" * widths[at] for at in used), *map(line, rows)]


def format_failures(document: Mapping[str, Any], max_examples: int = 3) -> list[str]:
    """Format failures by kind, with a few examples."""
    lines = []
    for each in document["failures"]:
        lines.append(f"{each['count']} × {each['kind']}")
        for example in each["examples"][:max_examples]:
            where = example["origin"] or example["id"]
            lines.append(f"    {where}: {to_one_line(example['message'])}")
        if each["count"] > max_examples:
            lines.append(f"    … and {each['count'] - max_examples} more: auricle samples RUN --failed")
    refused = group_by_reason(document["refused"])
    lines += [f"{', '.join(names)}: {to_one_line(why)}" for names, why in refused]
    return lines


def format_notes(document: Mapping[str, Any]) -> list[str]:
    """Format notes about the data and possible contamination."""
    return [f"Note: {to_one_line(each, 600)}" for each in document.get("notes", [])]


def to_one_line(text: str, max_length: int = 200) -> str:
    """Put a message on one line and remove control characters."""
    printable = "".join(each if each.isprintable() else " " for each in text)
    printable = " ".join(printable.split())
    return printable if len(printable) <= max_length else printable[: max_length - 1] + "…"
