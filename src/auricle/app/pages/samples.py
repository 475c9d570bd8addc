"""The page that lists the samples of a run, with search, filters and sorting, and shows one of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app import run_data
from auricle.app.run_data import SamplesTable
from auricle.app.theme import draw_header
from auricle.app.views import components, run_list, sample_card
from auricle.core.errors import DataError
from auricle.core.types import Outcome
from auricle.report.text_format import format_reading
from auricle.runs.metrics import Number
from auricle.runs.scores import READINGS

PAGE_SIZE = 50
WORST_FIRST = "Worst first"
SORT_COLUMNS = {"Original order": "", "Slowest first": "seconds", "Longest audio first": "audio_seconds"}
OUTCOME_FILTERS = ("all", *(outcome.value for outcome in Outcome))
READING_FILTERS = ("all", *READINGS)


def page() -> None:
    """Draw the selection of a run and its samples."""
    draw_header("Samples", "Inputs, outputs and audio of every sample.")
    entry = run_list.pick_run("Run", run_list.list_runs("run"), "samples-run")
    if entry:
        with components.error_boundary():
            draw_samples(entry.path)


def draw_samples(path: Path) -> None:
    """Draw the filters, one page of the table and the selected sample."""
    table = run_data.load_samples(path)
    number, frame = _apply_filters(table, _sortable_numbers(path, table))
    _draw_warnings(table)
    page_count = max(1, math.ceil(len(frame) / PAGE_SIZE))
    components.draw_notes(f"{len(frame):,} of {len(table.frame):,} samples.")
    page_number = 1
    if page_count > 1:
        page_number = min(st.pagination(page_count, key=f"page-of-{page_count}"), page_count)
    page_rows = frame.iloc[(page_number - 1) * PAGE_SIZE : page_number * PAGE_SIZE]
    if not len(page_rows):
        return
    state = st.dataframe(
        _build_table(page_rows, number, table),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=f"rows-{path.name}-{page_number}",
        column_config=COLUMN_CONFIG,
        height="content" if len(page_rows) < 12 else 420,
    )
    selected = state["selection"]["rows"]
    if not selected:
        components.draw_notes("Select a row to open it. Showing the first row.")
    sample_card.draw_card(path, page_rows.iloc[min(selected[0], len(page_rows) - 1) if selected else 0], number)


COLUMN_CONFIG: Any = {
    "target": st.column_config.TextColumn("reference", width=210),
    "answer": st.column_config.TextColumn(width=250),
    "seconds": st.column_config.NumberColumn("model time (s)", format="%.3f"),
    "audio_seconds": st.column_config.NumberColumn("audio length (s)", format="%.1f"),
}


def _sortable_numbers(path: Path, table: SamplesTable) -> list[Number]:
    """Return the metrics to sort samples by; none if the run is not scored."""
    try:
        numbers = run_data.load_metrics(path).overall
    except DataError as error:
        components.draw_notes(str(error))
        return []
    return [number for number in numbers if f"stat.{number.metric}" in table.frame]


def _apply_filters(table: SamplesTable, numbers: Sequence[Number]) -> tuple[Number | None, pd.DataFrame]:
    first, second, third, fourth, fifth = st.columns([3, 2, 2, 2, 2])
    search_text = first.text_input("Search", placeholder="id, reference, answer", key="samples-search")
    outcome = second.selectbox("Outcome", OUTCOME_FILTERS, key="samples-outcome")
    reading = third.selectbox("Reading", READING_FILTERS, format_func=format_reading, key="samples-reading")
    order = fourth.selectbox("Sort by", (WORST_FIRST, *SORT_COLUMNS), key="samples-order")
    titles = {number.metric: number.title for number in numbers}
    metric = fifth.selectbox(
        "Metric", list(titles) or ["none"], format_func=lambda name: titles.get(name, name), key="samples-metric"
    )
    number = next((number for number in numbers if number.metric == metric), None)
    frame = _filter_by_metadata(search_samples(table.frame, search_text), table.fields)
    if outcome != "all":
        frame = frame[frame["outcome"] == outcome]
    if reading != "all":
        frame = frame[frame["reading"] == reading]
    return number, sort_samples(frame, str(order), number)


def search_samples(frame: pd.DataFrame, text: str) -> pd.DataFrame:
    """Select samples whose id, reference or answer contains the text, ignoring case."""
    if not text.strip():
        return frame
    is_match = pd.Series(False, index=frame.index)
    for name in ("id", "target", "answer"):
        is_match |= frame[name].str.contains(text.strip(), case=False, regex=False)
    return frame[is_match]


def _filter_by_metadata(frame: pd.DataFrame, fields: Sequence[str]) -> pd.DataFrame:
    if not fields:
        return frame
    with st.expander("Filter by metadata", icon=":material/filter_alt:"):
        columns = st.columns(min(4, len(fields)))
        for index, field in enumerate(fields):
            column = f"meta.{field}"
            values = sorted(frame[column].dropna().unique())
            with columns[index % len(columns)]:
                components.draw_notes(field)
                selected = st.multiselect(
                    "Values", values, key=f"slice-{field}", label_visibility="collapsed", placeholder="any"
                )
            if selected:
                frame = frame[frame[column].isin(selected)]
    return frame


def sort_samples(frame: pd.DataFrame, order: str, number: Number | None) -> pd.DataFrame:
    """Sort samples; those that the metric did not score come last."""
    if order == WORST_FIRST and number is not None:
        return run_data.sort_worst_first(frame, number, drop_unscored=False)
    column = SORT_COLUMNS.get(order)
    return frame.sort_values(column, ascending=False, kind="stable") if column else frame


def _draw_warnings(table: SamplesTable) -> None:
    if table.damaged_lines:
        st.warning(f"{table.damaged_lines:,} damaged journal lines were skipped.", icon=":material/broken_image:")
    if table.is_truncated:
        st.warning(f"Only the first {run_data.MAX_SAMPLES:,} samples are listed.", icon=":material/content_cut:")


def _build_table(frame: pd.DataFrame, number: Number | None, table: SamplesTable) -> pd.DataFrame:
    visible = frame[["id", "outcome", "target", "answer"]].copy()
    if number is not None:
        visible.insert(1, "score", [sample_card.format_score(row, number) for row in frame.to_dict("records")])
    if frame["reading"].any():
        visible["reading"] = frame["reading"].map(format_reading)
    for name in table.fields[:4]:
        visible[name] = frame[f"meta.{name}"]
    visible["seconds"] = frame["seconds"]
    if frame["audio_seconds"].notna().any():
        visible["audio_seconds"] = frame["audio_seconds"]
    return visible
