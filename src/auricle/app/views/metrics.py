"""Metrics of a run: intervals, coverage, breakdown by metadata, exclusions and provenance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app import run_data
from auricle.app.run_data import Document
from auricle.app.theme import draw_chart, escape_markdown
from auricle.app.views import charts, components
from auricle.app.workspace import current_workspace, is_file_inside_run
from auricle.core.errors import DataError
from auricle.report import html_format
from auricle.report.html_format import (
    NumberDocument,
    Scale,
    collect_extents,
    format_count,
    group_refusals,
    typeset_coverage,
    typeset_interval,
    typeset_number,
    typeset_value,
)
from auricle.report.markup import Child, Markup, join_markup, tag
from auricle.report.text_format import truncate

MAX_HEADLINES = 4
MAX_GROUPS = 100
MAX_NOTES = 20
MAX_ROWS = 60


def metric_title(number: NumberDocument) -> str:
    return f"{html_format.metric_title(number['metric'])} {'↑' if number['higher_is_better'] else '↓'}"


def draw_headline(document: Document) -> None:
    """Draw the first metrics in large type."""
    numbers = run_data.overall_numbers(document)[:MAX_HEADLINES]
    if not numbers:
        st.warning("No metric could be computed for this run.", icon=":material/warning:")
        return
    for column, number in zip(st.columns(len(numbers)), numbers, strict=True):
        column.metric(
            escape_markdown(metric_title(number)),
            typeset_value(number),
            f"95 % interval {typeset_interval(number)}",
            delta_color="off",
            delta_arrow="off",
            border=True,
        )


def draw_warnings(path: Path, document: Document) -> None:
    """Draw warnings about unfinished, outdated or failed parts of the run, and its notes."""
    if not document.get("complete"):
        st.warning(
            "This run is unfinished. Metrics cover the samples completed so far.", icon=":material/hourglass_top:"
        )
    if run_data.is_stale(path):
        st.warning(
            f"These metrics are out of date. Run `auricle score {escape_markdown(_run_name(path))}` to update them.",
            icon=":material/update:",
        )
    try:
        run_data.find_foreign_code(path)
    except DataError as error:
        st.warning(escape_markdown(error), icon=":material/broken_image:")
    failed, total = document["outcomes"].get("failed", 0), document["outcomes"].get("total", 0)
    if failed:
        st.warning(
            f"{failed:,} of {total:,} samples failed and are excluded. The table shows the best and worst case had "
            "they succeeded.",
            icon=":material/error:",
        )
    components.draw_notes(*(truncate(str(note), 600) for note in document["notes"][:MAX_NOTES]))


def _run_name(path: Path) -> str:
    root = current_workspace().root
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def draw_overview(document: Document) -> None:
    """Draw a table of all metrics over all samples."""
    numbers = run_data.overall_numbers(document)[:MAX_ROWS]
    if not numbers:
        return
    unit = numbers[0]["unit"]
    same_unit = [number for number in numbers if unit and number["unit"] == unit]
    scale = Scale.fit(collect_extents(same_unit), include_zero=True) if same_unit else None
    headers = ["Metric", "Value", "95 % interval", _format_scale(scale), "Scored", "Coverage", "Failed", "Unreadable"]
    show_bounds = any(html_format.has_bounds(number) for number in numbers)
    if show_bounds:
        headers.append("Best – worst case incl. failed")
    rows = [_overview_row(number, scale if number in same_unit else None, show_bounds) for number in numbers]
    components.draw_markup(components.build_table(headers, rows))


def _format_scale(scale: Scale | None) -> str:
    return f"{100 * scale.low:g} – {100 * scale.high:g} %" if scale else ""


def _overview_row(number: NumberDocument, scale: Scale | None, show_bounds: bool) -> list[Child]:
    low, value, high = (number[name] for name in ("low", "value", "high"))
    cells: list[Child] = [
        metric_title(number),
        join_markup(tag("strong", typeset_value(number)), _ceiling_markup(number)),
        typeset_interval(number),
        components.build_interval_bar(scale, low, value, high) if scale else None,
        format_count(number["scored"]),
        typeset_coverage(number),
        format_count(number["failed"]),
        format_count(number["unreadable"]),
    ]
    if show_bounds:
        bounds = f"{typeset_value(number, 'best')} – {typeset_value(number, 'worst')}"
        cells.append(bounds if html_format.has_bounds(number) else "–")
    return cells


def _ceiling_markup(number: NumberDocument) -> Markup | None:
    """Return the highest possible value, if the model lacks some of the labels."""
    ceiling = number["details"].get("ceiling")
    if not isinstance(ceiling, float):
        return None
    return tag("small", f" (maximum {typeset_number(ceiling, 'share')})", class_="muted")


# --- breakdowns -------------------------------------------------------------------------------


def draw_breakdown(document: Document, key: str) -> None:
    """Draw one metric by one metadata field; the user chooses both."""
    fields = list(dict.fromkeys(number["field"] for number in document["numbers"] if number["field"]))
    if not fields:
        return
    st.subheader("By metadata", anchor=False)
    overall = {number["metric"]: number for number in run_data.overall_numbers(document)}
    left, right = st.columns(2)
    field = left.selectbox("Field", fields, key=f"{key}-field")
    metric = right.selectbox("Metric", list(overall), format_func=html_format.metric_title, key=f"{key}-metric")
    numbers = [number for number in document["numbers"] if number["field"] == field and number["metric"] == metric]
    if not numbers:
        components.draw_notes("This metric is not available for that field.")
        return
    number = overall[metric]
    draw_chart(
        charts.interval_chart(_group_frame(numbers[:MAX_GROUPS]), number["unit"], _axis_title(number), number["value"]),
        alt=f"{html_format.metric_title(str(metric))} by group",
    )
    components.draw_notes("Dots: values. Bars: 95 % intervals. Dashed line: all samples.")


def _axis_title(number: NumberDocument) -> str:
    direction = "higher is better" if number["higher_is_better"] else "lower is better"
    return f"{html_format.metric_title(number['metric'])} ({direction})"


def _group_frame(numbers: Sequence[NumberDocument]) -> pd.DataFrame:
    names = charts.make_unique([number["group"] or "(empty)" for number in numbers])
    return pd.DataFrame(
        [
            {"group": name, **{key: number[key] for key in ("value", "low", "high", "scored")}}
            for name, number in zip(names, numbers, strict=True)
        ]
    )


# --- exclusions and provenance -------------------------------------------------------------


def draw_exclusions(document: Document) -> None:
    """Draw what failed, could not be parsed or was not computed."""
    if not (document["failures"] or document["unreadable"] or document["refused"]):
        return
    st.subheader("Excluded from the metrics", anchor=False)
    rows: list[list[Child]] = []
    for failure in document["failures"]:
        example = next(iter(failure.get("examples") or [{}]))
        rows.append(
            [
                "failed",
                str(failure.get("kind")),
                truncate(str(example.get("message", "")), 200),
                format_count(failure.get("count")),
            ]
        )
    for metric, reasons in document["unreadable"].items():
        rows += [
            ["unreadable", html_format.metric_title(metric), truncate(str(reason), 200), format_count(count)]
            for reason, count in reasons.items()
        ]
    unsuited = document.get("unsuited") or ()
    refused = {name: reason for name, reason in document["refused"].items() if name not in unsuited}
    rows += [["not computed", names, truncate(reason, 300), ""] for names, reason, _ in group_refusals(refused)]
    if rows:
        headers = ["Status", "Error or metric", "Reason", "Samples"]
        components.draw_markup(components.build_table(headers, rows[:MAX_ROWS], 3))


def draw_provenance(path: Path, document: Document) -> None:
    """Draw signatures, versions and files in an expander."""
    with st.expander("Signatures, method and files", icon=":material/fingerprint:"):
        numbers = run_data.overall_numbers(document)
        signatures = [
            (html_format.metric_title(number["metric"]), tag("code", number["signature"])) for number in numbers
        ]
        methods = dict.fromkeys(str(number.get("interval")) for number in numbers)
        speed = document.get("speed") or {}
        facts: list[tuple[str, Child]] = [
            ("Created", str(document.get("created", ""))),
            ("Auricle", str(document.get("auricle", ""))),
            ("Intervals", ", ".join(methods)),
            ("RTFx", _format_number(speed.get("rtfx"))),
            ("Samples per second", _format_number(speed.get("samples_per_second"))),
        ]
        components.draw_markup(components.build_definition_list([*signatures, *facts]))
        _draw_downloads(path)


def _format_number(value: Any) -> str:
    return f"{value:,.1f}" if isinstance(value, (int, float)) else "–"


DOWNLOADS = {
    "metrics_summary.csv": "text/csv",
    "metrics_detail.csv": "text/csv",
    "metrics.json": "application/json",
    "report.html": "text/html",
}


def _draw_downloads(path: Path) -> None:
    names = [name for name in DOWNLOADS if is_file_inside_run(path / name)]
    if not names:
        return
    for column, name in zip(st.columns(len(names)), names, strict=True):
        column.download_button(
            name,
            (path / name).read_bytes,
            name,
            DOWNLOADS[name],
            icon=":material/download:",
            on_click="ignore",
            key=f"file-{path}-{name}",
        )
