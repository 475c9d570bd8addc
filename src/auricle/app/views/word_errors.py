"""Results of speech recognisers: substitutions, deletions and insertions, and the worst samples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st
from markupsafe import Markup

from auricle.app import run_data, samples_table
from auricle.app.theme import draw_chart
from auricle.app.views import charts, components, sample_card
from auricle.report.html_format import format_count, typeset_number
from auricle.runs.metrics import Metrics, Number

ERROR_KINDS = ("substitutions", "deletions", "insertions")
MAX_CARDS = 5


LEGEND = Markup(
    '<p class="muted"><del>Struck through</del>: deleted words. <ins>Underlined</ins>: inserted words. Both together: '
    "a substitution.</p>"
)


def draw_word_errors(path: Path, metrics: Metrics, numbers: Sequence[Number], key: str) -> None:
    """Draw the kinds of error over all samples and by group, then the worst samples."""
    st.subheader("Kinds of error", anchor=False)
    headers = ["", "Substitutions", "Deletions", "Insertions", "Reference length", "Mean per utterance"]
    components.draw_table(headers, map(_error_row, numbers))
    first = numbers[0]
    if metrics.fields:
        field = st.selectbox("Group by", metrics.fields, key=f"{key}-errors-by")
        frame = _errors_by_group(metrics, first.metric, field)
        if len(frame):
            draw_chart(charts.stacked_error_chart(frame), alt="Kinds of error by group")
    st.subheader("Worst samples", anchor=False)
    worst = samples_table.sort_worst_first(run_data.load_samples(path).frame, first)
    components.draw_markup(LEGEND)
    sample_card.draw_cards(path, worst, first, MAX_CARDS)


def _error_row(number: Number) -> list[str]:
    details, length = number.details, number.details["reference_length"]
    shares = (
        f"{format_count(details[kind])} ({typeset_number(details[kind] / length if length else None, 'share')})"
        for kind in ERROR_KINDS
    )
    mean = typeset_number(details.get("utterance_mean"), "share")
    return [number.title, *shares, format_count(length), mean]


def _errors_by_group(metrics: Metrics, metric: str, field: str) -> pd.DataFrame:
    rows = []
    for number in metrics.numbers:
        if number.metric != metric or number.field not in ("", field):
            continue
        group = (number.group or "(empty)") if number.field else "all samples"
        length = number.details.get("reference_length")
        for order, kind in enumerate(ERROR_KINDS):
            count = number.details.get(kind, 0)
            share = count / length if length else 0.0
            rows.append({"group": group, "kind": kind, "order": order, "count": count, "share": share})
    return pd.DataFrame(rows)
