"""A run's numbers with their intervals, how much they cover, and by meta field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app import run_data, samples_table
from auricle.app.theme import draw_chart, escape_markdown
from auricle.app.views import charts, components
from auricle.core.errors import DataError
from auricle.report import html_format
from auricle.report.html_format import (
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
from auricle.report.sample_view import truncate

MAX_HEADLINES = 4
MAX_GROUPS = 100
MAX_NOTES = 20
MAX_ROWS = 60
Document = Mapping[str, Any]
Number = Mapping[str, Any]


def metric_title(number: Number) -> str:
    return f"{html_format.metric_title(number['metric'])} {'↑' if number['higher_is_better'] else '↓'}"


def draw_headline(document: Document) -> None:
    """The first numbers, large."""
    numbers = run_data.overall_numbers(document)[:MAX_HEADLINES]
    if not numbers:
        st.warning("No number could be made of this run.", icon=":material/warning:")
        return
    for place, number in zip(st.columns(len(numbers)), numbers, strict=True):
        place.metric(
            escape_markdown(metric_title(number)),
            typeset_value(number),
            f"95 % interval {typeset_interval(number)}",
            delta_color="off",
            delta_arrow="off",
            border=True,
        )


def draw_warnings(path: Path, document: Document) -> None:
    """What a reader has to know before believing anything."""
    if not document.get("complete"):
        st.warning(
            "This run is not finished: the numbers are over the samples so far.", icon=":material/hourglass_top:"
        )
    if run_data.is_stale(path):
        st.warning(
            "More was answered since these numbers were made; "
            f"`auricle score {escape_markdown(path.name)}` makes them anew.",
            icon=":material/update:",
        )
    try:
        run_data.find_foreign_code(path)
    except DataError as error:
        st.warning(escape_markdown(error), icon=":material/broken_image:")
    failed, total = document["outcomes"].get("failed", 0), document["outcomes"].get("total", 0)
    if failed:
        st.warning(
            f"{failed:,} of {total:,} samples failed and are in no number; the table tells "
            "what they could have changed.",
            icon=":material/error:",
        )
    components.draw_notes(*(truncate(str(note), 600) for note in document["notes"][:MAX_NOTES]))


def draw_overview(document: Document) -> None:
    """Every metric over all samples."""
    numbers = run_data.overall_numbers(document)[:MAX_ROWS]
    if not numbers:
        return
    unit = numbers[0]["unit"]
    alike = [each for each in numbers if unit and each["unit"] == unit]
    scale = Scale.fit(collect_extents(alike), include_zero=True) if alike else None
    head = ["Metric", "Value", "95 % interval", _format_scale(scale), "Scored", "Coverage", "Failed", "Unreadable"]
    bounded = any(html_format.has_bounds(each) for each in numbers)
    if bounded:
        head.append("Had the failed gone well – badly")
    rows = [_overview_row(each, scale if each in alike else None, bounded) for each in numbers]
    components.draw_markup(components.build_table(head, rows))


def _format_scale(scale: Scale | None) -> str:
    return f"{100 * scale.low:g} – {100 * scale.high:g} %" if scale else ""


def _overview_row(number: Number, scale: Scale | None, show_bounds: bool) -> list[Child]:
    low, value, high = (number[name] for name in ("low", "value", "high"))
    made: list[Child] = [
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
        case = f"{typeset_value(number, 'best')} – {typeset_value(number, 'worst')}"
        made.append(case if html_format.has_bounds(number) else "–")
    return made


def _ceiling_markup(number: Number) -> Markup | None:
    """How high a number can rise at all, where labels the model lacks hold it down."""
    highest = number["details"].get("ceiling")
    if not isinstance(highest, float):
        return None
    return tag("small", f" of at most {typeset_number(highest, 'share')}", class_="quiet")


# --- breakdowns -------------------------------------------------------------------------------


def draw_breakdown(document: Document, key: str) -> None:
    """One metric by one meta field, as the reader chooses."""
    fields = list(dict.fromkeys(each["field"] for each in document["numbers"] if each["field"]))
    if not fields:
        return
    st.subheader("By group", anchor=False)
    metrics = [each["metric"] for each in run_data.overall_numbers(document)]
    left, right = st.columns(2)
    field = left.selectbox("Field", fields, key=f"{key}-field")
    metric = right.selectbox("Metric", metrics, format_func=html_format.metric_title, key=f"{key}-metric")
    numbers = [each for each in document["numbers"] if each["field"] == field and each["metric"] == metric]
    if not numbers:
        components.draw_notes("This metric has no number by that field.")
        return
    whole = next(each for each in run_data.overall_numbers(document) if each["metric"] == metric)
    draw_chart(
        charts.interval_chart(_group_frame(numbers[:MAX_GROUPS]), whole["unit"], _axis_title(whole), whole["value"]),
        alt=f"{html_format.metric_title(str(metric))} by group",
    )
    components.draw_notes("Dots are values, bars 95 % intervals, the dashed line all samples together.")


def _axis_title(number: Number) -> str:
    better = "higher is better" if number["higher_is_better"] else "lower is better"
    return f"{html_format.metric_title(number['metric'])} ({better})"


def _group_frame(numbers: Sequence[Number]) -> pd.DataFrame:
    names = charts.make_unique([each["group"] or "(empty)" for each in numbers])
    return pd.DataFrame(
        [
            {"group": name, "value": each["value"], "low": each["low"], "high": each["high"], "scored": each["scored"]}
            for name, each in zip(names, numbers, strict=True)
        ]
    )


# --- what is missing, and where numbers come from -----------------------------------------


def draw_exclusions(document: Document) -> None:
    """What failed, what could not be read, what was not computed."""
    if not (document["failures"] or document["unreadable"] or document["refused"]):
        return
    st.subheader("What is not in the numbers", anchor=False)
    rows: list[list[Child]] = []
    for each in document["failures"]:
        example = next(iter(each.get("examples") or [{}]))
        rows.append(
            [
                "failed",
                str(each.get("kind")),
                truncate(str(example.get("message", "")), 200),
                format_count(each.get("count")),
            ]
        )
    for metric, reasons in document["unreadable"].items():
        rows += [
            ["unreadable", html_format.metric_title(metric), truncate(str(why), 200), format_count(times)]
            for why, times in reasons.items()
        ]
    unsuited = document.get("unsuited") or ()
    refused = {name: why for name, why in document["refused"].items() if name not in unsuited}
    rows += [["not computed", names, truncate(why, 300), ""] for names, why, _ in group_refusals(refused)]
    if rows:
        components.draw_markup(components.build_table(["What", "Kind or metric", "Why", "Samples"], rows[:MAX_ROWS], 3))


def draw_provenance(path: Path, document: Document) -> None:
    """Signatures, versions and files, folded away."""
    with st.expander("Signatures, method and files", icon=":material/fingerprint:"):
        signed = [
            (html_format.metric_title(each["metric"]), tag("code", each["signature"]))
            for each in run_data.overall_numbers(document)
        ]
        methods = dict.fromkeys(str(each.get("interval")) for each in run_data.overall_numbers(document))
        speed = document.get("speed") or {}
        facts: list[tuple[str, Child]] = [
            ("Made", str(document.get("created", ""))),
            ("Auricle", str(document.get("auricle", ""))),
            ("Intervals", ", ".join(methods)),
            ("RTFx", _format_number(speed.get("rtfx"))),
            ("Samples a second", _format_number(speed.get("samples_per_second"))),
        ]
        components.draw_markup(components.build_definition_list([*signed, *facts]))
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
    there = [name for name in DOWNLOADS if samples_table.is_file_inside_run(path / name)]
    if not there:
        return
    for place, name in zip(st.columns(len(there)), there, strict=True):
        place.download_button(
            name,
            (path / name).read_bytes,
            name,
            DOWNLOADS[name],
            icon=":material/download:",
            on_click="ignore",
            key=f"file-{path}-{name}",
        )
