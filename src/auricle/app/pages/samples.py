"""Samples of a run: searched, sliced, sorted by how badly they went, and one of them opened."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app import run_data, samples_table
from auricle.app.samples_table import SamplesTable
from auricle.app.theme import draw_header
from auricle.app.views import components, run_picker, sample_card
from auricle.app.views.error_boundary import error_boundary
from auricle.core.errors import DataError
from auricle.report import html_format

PAGE_SIZE = 50
SORT_ORDERS = ("Worst first", "As in the data", "Slowest first", "Longest sound first")
OUTCOME_FILTERS = ("all", "answered", "failed", "unreadable")
Number = Mapping[str, Any]


def page() -> None:
    """Everything a run was asked, fifty rows at a time."""
    draw_header("Samples", "What was asked, what was answered, and how it sounds.")
    components.apply_styles()
    entry = run_picker.pick_run("Run", run_picker.list_entries("run"), "samples-run")
    if entry:
        with error_boundary():
            draw_samples(entry.path)


def draw_samples(path: Path) -> None:
    """The table, its filters, and the sample that was chosen."""
    held = run_data.load_samples(path)
    numbers = _sortable_numbers(path, held)
    number, frame = _apply_filters(held, numbers)
    _draw_warnings(held)
    pages = max(1, math.ceil(len(frame) / PAGE_SIZE))
    components.draw_notes(f"{len(frame):,} of {len(held.frame):,} samples.")
    at = 1
    if pages > 1:
        at = min(st.pagination(pages, key=f"page-of-{pages}"), pages)
    shown = frame.iloc[(at - 1) * PAGE_SIZE : at * PAGE_SIZE]
    if not len(shown):
        return
    state = st.dataframe(
        _build_table(shown, number, held),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=f"rows-{path.name}-{at}",
        column_config=COLUMN_CONFIG,
        height="content" if len(shown) < 12 else 420,
    )
    rows = state["selection"]["rows"]
    if not rows:
        components.draw_notes("Tick a row to open it; below is the first.")
    sample_card.draw_card(path, shown.iloc[min(rows[0], len(shown) - 1) if rows else 0], number)


COLUMN_CONFIG: Any = {
    "target": st.column_config.TextColumn("reference", width=210),
    "answer": st.column_config.TextColumn(width=250),
    "seconds": st.column_config.NumberColumn("answered in, s", format="%.3f"),
    "audio_seconds": st.column_config.NumberColumn("sound, s", format="%.1f"),
}


def _sortable_numbers(path: Path, table: SamplesTable) -> list[Number]:
    """Metrics samples can be sorted by; a run without numbers can still be read."""
    try:
        found = run_data.overall_numbers(run_data.load_metrics(path))
    except DataError as error:
        components.draw_notes(str(error))
        return []
    return [each for each in found if f"stat.{each['metric']}" in table.frame]


def _apply_filters(table: SamplesTable, numbers: Sequence[Number]) -> tuple[Number | None, pd.DataFrame]:
    first, second, third, fourth = st.columns([3, 2, 2, 2])
    words = first.text_input("Search", placeholder="id, reference, answer", key="samples-search")
    outcome = second.selectbox("Outcome", OUTCOME_FILTERS, key="samples-outcome")
    order = third.selectbox("Order", SORT_ORDERS, key="samples-order")
    titles = {each["metric"]: each for each in numbers}
    metric = fourth.selectbox(
        "Metric", list(titles) or ["none"], format_func=html_format.metric_title, key="samples-metric"
    )
    number = titles.get(str(metric))
    frame = _filter_by_metadata(search_samples(table.frame, words), table.fields)
    if outcome != "all":
        frame = frame[frame["outcome"] == outcome]
    return number, sort_samples(frame, str(order), number)


def search_samples(frame: pd.DataFrame, text: str) -> pd.DataFrame:
    """Samples that have these words in their id, reference or answer, whatever their case."""
    if not text.strip():
        return frame
    found = pd.Series(False, index=frame.index)
    for name in ("id", "target", "answer"):
        found |= frame[name].str.contains(text.strip(), case=False, regex=False)
    return frame[found]


def _filter_by_metadata(frame: pd.DataFrame, fields: Sequence[str]) -> pd.DataFrame:
    if not fields:
        return frame
    with st.expander("Slice by what is known of the samples", icon=":material/filter_alt:"):
        places = st.columns(min(4, len(fields)))
        for at, field in enumerate(fields):
            column = f"meta.{field}"
            values = sorted(frame[column].dropna().unique())
            with places[at % len(places)]:
                components.draw_notes(field)
                kept = st.multiselect(
                    "Values", values, key=f"slice-{field}", label_visibility="collapsed", placeholder="any"
                )
            if kept:
                frame = frame[frame[column].isin(kept)]
    return frame


def sort_samples(frame: pd.DataFrame, order: str, number: Number | None) -> pd.DataFrame:
    """In the order that was asked for; what a metric does not know comes last."""
    if order == "Worst first" and number is not None:
        keys = samples_table.badness(frame, number)
        return frame.loc[keys.sort_values(ascending=False, kind="stable", na_position="last").index]
    by = {"Slowest first": "seconds", "Longest sound first": "audio_seconds"}.get(order)
    return frame.sort_values(by, ascending=False, kind="stable") if by else frame


def _draw_warnings(table: SamplesTable) -> None:
    if table.damaged_lines:
        st.warning(
            f"{table.damaged_lines:,} lines of the journal are damaged and left out.", icon=":material/broken_image:"
        )
    if table.is_truncated:
        st.warning(f"Only the first {samples_table.MAX_SAMPLES:,} samples are listed.", icon=":material/content_cut:")


def _build_table(frame: pd.DataFrame, number: Number | None, table: SamplesTable) -> pd.DataFrame:
    made = frame[["id", "outcome", "target", "answer"]].copy()
    if number is not None:
        told = [sample_card.format_score(row, number) for row in frame.to_dict("records")]
        made.insert(1, "score", told)
    for name in table.fields[:4]:
        made[name] = frame[f"meta.{name}"]
    made["seconds"] = frame["seconds"]
    if frame["audio_seconds"].notna().any():
        made["audio_seconds"] = frame["audio_seconds"]
    return made
