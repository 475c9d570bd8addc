"""A run's numbers with their intervals, how much they cover, and by meta field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app import run_data, samples_table
from auricle.app.theme import chart, plain
from auricle.app.views import charts, components
from auricle.core.errors import DataError
from auricle.report import formatting
from auricle.report.formatting import Scale, count, covered, ends, refusals, spread, told, written
from auricle.report.markup import Child, Markup, tag, together
from auricle.report.worst_samples import clip

MOST_HEADLINES = 4
MOST_GROUPS = 100
MOST_NOTES = 20
MOST_ROWS = 60
Document = Mapping[str, Any]
Number = Mapping[str, Any]


def titled(number: Number) -> str:
    return f"{formatting.title(number['metric'])} {'↑' if number['higher_is_better'] else '↓'}"


def headline(found: Document) -> None:
    """The first numbers, large."""
    numbers = run_data.overall(found)[:MOST_HEADLINES]
    if not numbers:
        st.warning("No number could be made of this run.", icon=":material/warning:")
        return
    for place, number in zip(st.columns(len(numbers)), numbers, strict=True):
        place.metric(
            plain(titled(number)),
            told(number),
            f"95 % interval {spread(number)}",
            delta_color="off",
            delta_arrow="off",
            border=True,
        )


def remarks(path: Path, found: Document) -> None:
    """What a reader has to know before believing anything."""
    if not found.get("complete"):
        st.warning(
            "This run is not finished: the numbers are over the samples so far.",
            icon=":material/hourglass_top:",
        )
    if run_data.is_stale(path):
        st.warning(
            "More was answered since these numbers were made; "
            f"`auricle score {plain(path.name)}` makes them anew.",
            icon=":material/update:",
        )
    try:
        run_data.foreign_code(path)
    except DataError as error:
        st.warning(plain(error), icon=":material/broken_image:")
    failed, total = found["outcomes"].get("failed", 0), found["outcomes"].get("total", 0)
    if failed:
        st.warning(
            f"{failed:,} of {total:,} samples failed and are in no number; the table tells "
            "what they could have changed.",
            icon=":material/error:",
        )
    components.say(*(clip(str(note), 600) for note in found["notes"][:MOST_NOTES]))


def overview(found: Document) -> None:
    """Every metric over all samples."""
    numbers = run_data.overall(found)[:MOST_ROWS]
    if not numbers:
        return
    unit = numbers[0]["unit"]
    alike = [each for each in numbers if unit and each["unit"] == unit]
    scale = Scale.over(ends(alike), zero=True) if alike else None
    head = [
        "Metric",
        "Value",
        "95 % interval",
        _axis(scale),
        "Scored",
        "Coverage",
        "Failed",
        "Unreadable",
    ]
    bounded = any(formatting.bounded(each) for each in numbers)
    if bounded:
        head.append("Had the failed gone well – badly")
    rows = [_row(each, scale if each in alike else None, bounded) for each in numbers]
    components.show(components.table(head, rows))


def _axis(scale: Scale | None) -> str:
    return f"{100 * scale.low:g} – {100 * scale.high:g} %" if scale else ""


def _row(number: Number, scale: Scale | None, bounded: bool) -> list[Child]:
    low, value, high = (number[name] for name in ("low", "value", "high"))
    made: list[Child] = [
        titled(number),
        together(tag("strong", told(number)), _ceiling(number)),
        spread(number),
        components.mark(scale, low, value, high) if scale else None,
        count(number["scored"]),
        covered(number),
        count(number["failed"]),
        count(number["unreadable"]),
    ]
    if bounded:
        case = f"{told(number, 'best')} – {told(number, 'worst')}"
        made.append(case if formatting.bounded(number) else "–")
    return made


def _ceiling(number: Number) -> Markup | None:
    """How high a number can rise at all, where labels the model lacks hold it down."""
    highest = number["details"].get("ceiling")
    if not isinstance(highest, float):
        return None
    return tag("small", f" of at most {written(highest, 'share')}", class_="quiet")


# --- breakdowns -------------------------------------------------------------------------------


def breakdown(found: Document, key: str) -> None:
    """One metric by one meta field, as the reader chooses."""
    fields = list(dict.fromkeys(each["field"] for each in found["numbers"] if each["field"]))
    if not fields:
        return
    st.subheader("By group", anchor=False)
    metrics = [each["metric"] for each in run_data.overall(found)]
    left, right = st.columns(2)
    field = left.selectbox("Field", fields, key=f"{key}-field")
    metric = right.selectbox("Metric", metrics, format_func=formatting.title, key=f"{key}-metric")
    numbers = [
        each for each in found["numbers"] if each["field"] == field and each["metric"] == metric
    ]
    if not numbers:
        components.say("This metric has no number by that field.")
        return
    whole = next(each for each in run_data.overall(found) if each["metric"] == metric)
    chart(
        charts.intervals(
            _groups(numbers[:MOST_GROUPS]), whole["unit"], _title(whole), whole["value"]
        ),
        alt=f"{formatting.title(str(metric))} by group",
    )
    components.say("Dots are values, bars 95 % intervals, the dashed line all samples together.")


def _title(number: Number) -> str:
    better = "higher is better" if number["higher_is_better"] else "lower is better"
    return f"{formatting.title(number['metric'])} ({better})"


def _groups(numbers: Sequence[Number]) -> pd.DataFrame:
    names = charts.distinct([each["group"] or "(empty)" for each in numbers])
    return pd.DataFrame(
        [
            {
                "group": name,
                "value": each["value"],
                "low": each["low"],
                "high": each["high"],
                "scored": each["scored"],
            }
            for name, each in zip(names, numbers, strict=True)
        ]
    )


# --- what is missing, and where numbers come from -----------------------------------------


def losses(found: Document) -> None:
    """What failed, what could not be read, what was not computed."""
    if not (found["failures"] or found["unreadable"] or found["refused"]):
        return
    st.subheader("What is not in the numbers", anchor=False)
    rows: list[list[Child]] = []
    for each in found["failures"]:
        example = next(iter(each.get("examples") or [{}]))
        rows.append(
            [
                "failed",
                str(each.get("kind")),
                clip(str(example.get("message", "")), 200),
                count(each.get("count")),
            ]
        )
    for metric, reasons in found["unreadable"].items():
        rows += [
            ["unreadable", formatting.title(metric), clip(str(why), 200), count(times)]
            for why, times in reasons.items()
        ]
    unsuited = found.get("unsuited") or ()
    refused = {name: why for name, why in found["refused"].items() if name not in unsuited}
    rows += [["not computed", names, clip(why, 300), ""] for names, why, _ in refusals(refused)]
    if rows:
        components.show(
            components.table(["What", "Kind or metric", "Why", "Samples"], rows[:MOST_ROWS], 3)
        )


def provenance(path: Path, found: Document) -> None:
    """Signatures, versions and files, folded away."""
    with st.expander("Signatures, method and files", icon=":material/fingerprint:"):
        signed = [
            (formatting.title(each["metric"]), tag("code", each["signature"]))
            for each in run_data.overall(found)
        ]
        methods = dict.fromkeys(str(each.get("interval")) for each in run_data.overall(found))
        speed = found.get("speed") or {}
        facts: list[tuple[str, Child]] = [
            ("Made", str(found.get("created", ""))),
            ("Auricle", str(found.get("auricle", ""))),
            ("Intervals", ", ".join(methods)),
            ("RTFx", _figure(speed.get("rtfx"))),
            ("Samples a second", _figure(speed.get("samples_per_second"))),
        ]
        components.show(components.listed([*signed, *facts]))
        _downloads(path)


def _figure(value: Any) -> str:
    return f"{value:,.1f}" if isinstance(value, (int, float)) else "–"


FILES = {
    "metrics_summary.csv": "text/csv",
    "metrics_detail.csv": "text/csv",
    "metrics.json": "application/json",
    "report.html": "text/html",
}


def _downloads(path: Path) -> None:
    there = [name for name in FILES if samples_table.is_own(path / name)]
    if not there:
        return
    for place, name in zip(st.columns(len(there)), there, strict=True):
        place.download_button(
            name,
            (path / name).read_bytes,
            name,
            FILES[name],
            icon=":material/download:",
            on_click="ignore",
            key=f"file-{path}-{name}",
        )
