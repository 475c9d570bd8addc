"""Filter samples by the distribution of a column: mark a range of a histogram, or click values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from auricle.app import run_data
from auricle.app.measure_jobs import MeasureJob, open_measure_jobs
from auricle.app.theme import draw_chart, escape_markdown
from auricle.app.views import charts, components
from auricle.app.workspace import current_workspace
from auricle.runs.filter_terms import EQUALS, Term, format_filter, parse_terms
from auricle.scoring.sample_filter import SampleColumns

FILTER_KEY = "filter"
MIN_BINS, MAX_BINS = 8, 40
MAX_VALUES = 30
MIN_DISTINCT_NUMBERS = 12
"""Metadata with fewer different numbers are drawn as values."""
HIDDEN_FIELDS = ("id", "reference", "answer", "reason", "row")
TITLES = {
    "duration": "duration (s)",
    "time": "model time (s)",
    "confidence": "confidence (%)",
    "snr": "signal-to-noise ratio, estimated (dB)",
    "level": "level (dB of full scale)",
    "peak": "peak (dB of full scale)",
    "clipped": "clipped samples (%)",
    "band": "bandwidth (Hz)",
}
REFRESH_SECONDS = 2


def draw_column_filter(path: Path, columns: SampleColumns, matching: pd.DataFrame) -> None:
    """Draw the choice of a column and how its values are distributed, among all samples and among those that match."""
    fields = [name for name in columns.names if name not in HIDDEN_FIELDS and has_several_values(columns, name)]
    is_open = bool(st.session_state.get("column") or st.query_params.get("column"))
    with st.expander("Filter by a column", icon=":material/bar_chart:", expanded=is_open):
        field = st.selectbox(
            "Column", fields, index=None, key="column", bind="query-params", placeholder="Choose a column",
            format_func=str,
        )  # fmt: skip
        _draw_signal_state(path, columns.table)
        if not field:
            return
        numbers, text = (
            None if values is None else pd.Series(values, index=columns.table.index)
            for values in (columns.read_numbers(field), columns.get_text(field))
        )
        if numbers is not None and is_continuous(columns, field, numbers):
            frame = count_bins(numbers, matching.index)
            chart, key = charts.histogram_chart(frame, TITLES.get(field, field)), f"histogram-{field}"
            alt = f"Histogram of {field}, of all samples and of those that match"
            draw_chart(chart, key=key, on_select=lambda: _apply_range(field, key), alt=alt)
            unknown = int(numbers.isna().sum())
            notes = [f"{unknown:,} samples have no value."] if unknown else []
            components.draw_notes(" ".join(["Drag over a range to select it; double-click to remove it.", *notes]))
        else:
            _draw_values(field, numbers.map("{:g}".format) if text is None and numbers is not None else text, matching)


def has_several_values(columns: SampleColumns, field: str) -> bool:
    """Return whether samples differ in a field."""
    column = columns.find_column(field)
    return column is not None and int(columns.table[column].nunique()) > 1


def is_continuous(columns: SampleColumns, field: str, numbers: pd.Series) -> bool:
    """Return whether a field is a number with so many values that ranges of them are of interest."""
    if columns.get_numbers(field) is None and numbers.isna().any():
        return False
    return int(numbers.nunique()) >= MIN_DISTINCT_NUMBERS


# --- distributions ----------------------------------------------------------------------------


def count_bins(numbers: pd.Series, matching: pd.Index) -> pd.DataFrame:
    """Count all samples and those that match in bins of equal width."""
    known = numbers.dropna()
    known = known[np.isfinite(known)]
    counts, edges = np.histogram(known, min(MAX_BINS, max(MIN_BINS, 2 * int(len(known) ** 0.5))))
    shown, _ = np.histogram(known[known.index.isin(matching)], edges)
    return pd.DataFrame({"start": edges[:-1], "end": edges[1:], "all": counts, "matching": shown})


def _draw_values(field: str, text: pd.Series | None, matching: pd.DataFrame) -> None:
    if text is None:
        return
    frame = count_values(text, matching.index)
    key, alt = f"values-{field}", f"Samples by {field}, all and those that match"
    draw_chart(charts.value_chart(frame), key=key, on_select=lambda: _apply_values(field, key), alt=alt)
    distinct = int(text.nunique())
    notes = [f"Showing the {MAX_VALUES} most frequent of {distinct:,} values."] if distinct > MAX_VALUES else []
    components.draw_notes(" ".join(["Click a value to select it, with Shift another one, too.", *notes]))


def count_values(text: pd.Series, matching: pd.Index) -> pd.DataFrame:
    """Count all samples and those that match with each of the most frequent values."""
    counts = text.value_counts()[:MAX_VALUES]
    shown = text[text.index.isin(matching)].value_counts().reindex(counts.index, fill_value=0)
    names = [value or "(empty)" for value in counts.index]
    return pd.DataFrame({"name": names, "value": counts.index, "all": counts.to_numpy(), "matching": shown.to_numpy()})


# --- from a selection to the filter -------------------------------------------------------------


def _apply_range(field: str, key: str) -> None:
    ends = _get_selection(key).get("start") or ()
    terms = build_range_terms(field, *ends) if len(ends) == 2 else []
    _replace_terms(field, terms, lambda operator: operator in (">=", "<=", ">", "<"))


def build_range_terms(field: str, low: float, high: float) -> list[Term]:
    """Return the filter for a range, with as many digits as its width needs."""
    digits = max(0, 3 - int(np.floor(np.log10(high - low)))) if high > low else 6
    return [Term(field, sign, f"{end:.{min(digits, 12)}f}") for sign, end in ((">=", low), ("<=", high))]


def _apply_values(field: str, key: str) -> None:
    selected = _get_selection(key)
    values = [mark["value"] for mark in selected] if isinstance(selected, list) else []
    _replace_terms(field, [Term(field, EQUALS, value) for value in values], lambda operator: operator == EQUALS)


def _get_selection(key: str) -> Any:
    selection: Mapping[str, Any] = st.session_state[key].get("selection") or {}
    return selection.get(charts.COLUMN_SELECTION) or {}


def _replace_terms(field: str, terms: Iterable[Term], replaces: Any) -> None:
    """Replace the terms of a field in the filter, which the user may have written, too."""
    kept = [
        term
        for term in parse_terms(st.session_state.get(FILTER_KEY) or "")
        if term.field != field or not replaces(term.operator) or term.is_negated
    ]
    st.session_state[FILTER_KEY] = format_filter(*kept, *terms)


# --- measures of recordings -----------------------------------------------------------------------


def _draw_signal_state(path: Path, frame: pd.DataFrame) -> None:
    """Draw how many recordings were measured, with a button to measure the others."""
    total = int(frame["audio_seconds"].notna().sum())
    if not total:
        return
    job = open_measure_jobs().get(path)
    if job and job.is_running:
        _draw_progress(job, total)
        return
    if job and job.error:
        st.warning(escape_markdown(job.error), icon=":material/warning:")
    missing = run_data.count_unmeasured(path, frame)
    if missing:
        left, right = st.columns([3, 1], vertical_alignment="center")
        with left:
            components.draw_notes(f"Level and signal-to-noise ratio of {missing:,} recordings are not measured yet.")
        if right.button("Measure", key="measure-signals", width="stretch"):
            open_measure_jobs().start(path, current_workspace())
            st.rerun()


@st.fragment(run_every=REFRESH_SECONDS)
def _draw_progress(job: MeasureJob, total: int) -> None:
    if not job.is_running:
        st.rerun()
    st.progress(min(1.0, job.count / total), text=f"Measuring recordings: {job.count:,} of {total:,}")
