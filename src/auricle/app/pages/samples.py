"""The page that lists the samples of a run, with a filter and an order that the URL names, and opens one of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app import run_data
from auricle.app.run_data import LoadedSamples
from auricle.app.sample_pairs import ABSENT, SECOND_COLUMN, add_second_run
from auricle.app.theme import draw_header, escape_markdown
from auricle.app.views import column_filter, components, run_list, sample_card
from auricle.core.errors import DataError, SpecError
from auricle.report.text_format import format_reading
from auricle.runs.metrics import Number
from auricle.runs.run_summary import RunSummary
from auricle.scoring.sample_filter import SampleColumns

PAGE_SIZE = 50
WORST_FIRST = "Worst first"
CONFIDENT_ERRORS_FIRST = "Confident errors first"
SORT_COLUMNS = {"Original order": "", "Slowest first": "seconds", "Longest audio first": "audio_seconds"}
SECOND_RUN_HELP = (
    "Switch between the answers of both runs below one player. `changed=worse` finds the samples that this run answers "
    "worse than the second one, `changed=better` those that it answers better."
)
FILTER_HELP = (
    "Words are searched in id, reference and answer. Conditions, all of which must match: `label=happy`, "
    "`predicted=sad`, `answer:word`, `outcome=failed`, `correct:no`, `duration>5`, `snr<10`, `wer>20`, any metadata "
    "field such as `speaker=s1`, and `-speaker=s1` for the others. Several values of one field: any of them."
)


def page() -> None:
    """Draw the selection of a run and its samples."""
    draw_header("Samples", "Inputs, outputs and audio of every sample.")
    entries = run_list.list_runs("run")
    left, right = st.columns(2)
    with left:
        entry = run_list.pick_run("Run", entries, "samples-run")
    if entry:
        with right:
            second = _draw_second_run(entry, entries)
        with components.error_boundary():
            draw_samples(entry, second)


def _draw_second_run(entry: RunSummary, entries: Sequence[RunSummary]) -> RunSummary | None:
    """Draw the choice of another run, whose answers to the same samples are shown, too; runs of the task come first."""
    others = {other.name: other for other in entries if other.name != entry.name and not other.error}
    if not others:
        return None
    names = sorted(others, key=lambda name: others[name].task != entry.task)
    options: Any = {"key": "with", "bind": "query-params", "placeholder": "None"}
    return others.get(str(st.selectbox("Second run", names, index=None, help=SECOND_RUN_HELP, **options)))


def draw_samples(entry: RunSummary, second: RunSummary | None) -> None:
    """Draw the filter, one page of the table and the open sample."""
    path = entry.path
    table = run_data.load_samples(path)
    number, columns = _draw_metric_choice(path, second, table)
    frame = _draw_filter(columns, number)
    column_filter.draw_column_filter(path, columns, frame)
    if table.damaged_lines:
        st.warning(f"{table.damaged_lines:,} damaged journal lines were skipped.", icon=":material/broken_image:")
    if table.is_truncated:
        st.warning(f"Only the first {run_data.MAX_SAMPLES:,} samples are listed.", icon=":material/content_cut:")
    components.draw_notes(f"{len(frame):,} of {len(table.frame):,} samples.")
    if second is not None and not (columns.table[SECOND_COLUMN] != ABSENT).any():
        components.draw_notes(f"{second.name} has none of these samples, so there is no second answer to show.")
    if not len(frame):
        return
    positions = (frame["id"] == st.query_params.get("sample", "")).to_numpy().nonzero()[0]
    position = int(positions[0]) if len(positions) else 0
    _draw_table(path, frame, position, number, table)
    _draw_steps(frame, position)
    sample_card.draw_open_sample(_list_answers(entry, second, frame.iloc[position]), number)


def _list_answers(entry: RunSummary, second: RunSummary | None, row: pd.Series) -> list[sample_card.Answer]:
    """Return the answer of the run to a sample and, if the second run has the sample, too, that one's."""
    answers = [sample_card.Answer(entry.name, entry.path, row)]
    position = ABSENT if second is None else row[SECOND_COLUMN]
    if second is not None and position != ABSENT:
        others = run_data.load_samples(second.path).frame
        answers.append(sample_card.Answer(second.name, second.path, others.iloc[position]))
    return answers


# --- filter and order -----------------------------------------------------------------------


def _draw_filter(columns: SampleColumns, number: Number | None) -> pd.DataFrame:
    """Draw the filter and the order, which are part of the URL; return the matching samples in that order."""
    left, right = st.columns([7, 3])
    text = left.text_input(
        "Filter",
        key=column_filter.FILTER_KEY,
        bind="query-params",
        placeholder="label=happy duration>5",
        help=FILTER_HELP,
    )
    order = right.selectbox("Order", list_orders(columns.table, number), key="order", bind="query-params")
    try:
        frame = columns.table[columns.match(text or "")]
    except SpecError as error:
        st.warning(escape_markdown(error), icon=":material/filter_alt:")
        frame = columns.table
    return sort_samples(frame, str(order), number)


def list_orders(frame: pd.DataFrame, number: Number | None) -> list[str]:
    """List the orders that make sense for these samples, the default first."""
    orders = [] if number is None else [WORST_FIRST]
    if number is not None and frame["confidence"].notna().any():
        orders.insert(0, CONFIDENT_ERRORS_FIRST)
    return [*orders, *SORT_COLUMNS]


def sort_samples(frame: pd.DataFrame, order: str, number: Number | None) -> pd.DataFrame:
    """Sort samples; those that the metric did not score come last."""
    if order == CONFIDENT_ERRORS_FIRST and number is not None:
        return run_data.sort_confident_errors_first(frame, number)
    if order == WORST_FIRST and number is not None:
        return run_data.sort_worst_first(frame, number, drop_unscored=False)
    column = SORT_COLUMNS.get(order)
    return frame.sort_values(column, ascending=False, kind="stable") if column else frame


def _draw_metric_choice(
    path: Path, second: RunSummary | None, table: LoadedSamples
) -> tuple[Number | None, SampleColumns]:
    """Draw the choice of the metric that orders samples, if there are several."""
    try:
        numbers = run_data.load_metrics(path).overall
    except DataError as error:
        components.draw_notes(str(error))
        numbers = ()
    by_name = {number.metric: number for number in numbers if f"stat.{number.metric}" in table.frame}
    metric = next(iter(by_name), "")
    if len(by_name) > 1:
        options: Any = {"key": "metric", "bind": "query-params"}
        metric = str(st.segmented_control("Metric", list(by_name), default=metric, required=True, **options))
    frame = run_data.add_signals(path, table.frame)
    if second is not None:
        frame = add_second_run(path, second.path, frame, by_name.get(metric))
    return by_name.get(metric), SampleColumns(frame, numbers, by_name.get(metric))


# --- the table and the open sample ------------------------------------------------------------


def _open_sample(sample_id: str) -> None:
    st.query_params["sample"] = sample_id


def _draw_table(path: Path, frame: pd.DataFrame, position: int, number: Number | None, table: LoadedSamples) -> None:
    """Draw the page of the table with the open sample, which is selected."""
    page_count = math.ceil(len(frame) / PAGE_SIZE)
    first = position // PAGE_SIZE * PAGE_SIZE
    if page_count > 1:
        pages_key = f"page-of-{page_count}"
        st.session_state[pages_key] = first // PAGE_SIZE + 1
        st.pagination(page_count, key=pages_key, on_change=_open_page, args=(pages_key, frame["id"]))
    rows = frame.iloc[first : first + PAGE_SIZE]
    ids = rows["id"].tolist()
    key = f"rows-{path.name}-{hash(tuple(ids))}"
    st.session_state[key] = {"selection": {"rows": [position - first], "columns": [], "cells": []}}
    st.dataframe(
        _build_table(rows, number, table),
        hide_index=True,
        on_select=lambda: _open_selected(key, ids),
        selection_mode="single-row",
        key=key,
        column_config=COLUMN_CONFIG,
        height="content" if len(rows) < 12 else 420,
    )


def _open_page(key: str, ids: pd.Series) -> None:
    _open_sample(ids.iloc[(st.session_state[key] - 1) * PAGE_SIZE])


def _open_selected(key: str, ids: list[str]) -> None:
    if selected := st.session_state[key]["selection"]["rows"]:
        _open_sample(ids[selected[0]])


def _draw_steps(frame: pd.DataFrame, position: int) -> None:
    """Draw the buttons for the previous and the next sample, and their keys."""
    last = len(frame) - 1
    steps = {"Previous": (position - 1, "K"), "Next": (position + 1, "J")}
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, (target, shortcut) in steps.items():
            st.button(
                label,
                key=f"samples-{label}",
                disabled=not 0 <= target <= last,
                on_click=_open_sample,
                args=(frame["id"].iloc[min(max(target, 0), last)],),
                shortcut=shortcut,
            )
        components.draw_notes(f"Sample {position + 1:,} of {len(frame):,}. Space plays and pauses.")


COLUMN_CONFIG: Any = {
    "target": st.column_config.TextColumn("reference", width=210),
    "answer": st.column_config.TextColumn(width=250),
    "confidence": st.column_config.NumberColumn("confidence", format="percent"),
    "signal.snr": st.column_config.NumberColumn("SNR (dB)", format="%.0f"),
    "seconds": st.column_config.NumberColumn("model time (s)", format="%.3f"),
    "audio_seconds": st.column_config.NumberColumn("audio length (s)", format="%.1f"),
}


def _build_table(frame: pd.DataFrame, number: Number | None, table: LoadedSamples) -> pd.DataFrame:
    visible = frame[["id", "outcome", "target", "answer"]].copy()
    if number is not None:
        visible.insert(1, "score", [sample_card.format_score(row, number) for row in frame.to_dict("records")])
    if "changed" in frame:
        visible["changed"] = frame["changed"]
    if frame["reading"].any():
        visible["reading"] = frame["reading"].map(format_reading)
    for name in table.fields[:4]:
        visible[name] = frame[f"meta.{name}"]
    for name in ("confidence", "audio_seconds", "signal.snr"):
        if name in frame and frame[name].notna().any():
            visible[name] = frame[name]
    visible["seconds"] = frame["seconds"]
    return visible
