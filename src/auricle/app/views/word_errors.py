"""Results of speech recognisers: substitutions, deletions and insertions, and the worst samples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from auricle.app import run_data, samples_table
from auricle.app.run_data import Document
from auricle.app.theme import draw_chart
from auricle.app.views import charts, components, sample_card
from auricle.report.html_format import NumberDocument, format_count, metric_title, typeset_number
from auricle.report.markup import Child, Markup, tag

ERROR_KINDS = ("substitutions", "deletions", "insertions")
MAX_CARDS = 5


def draw_word_errors(path: Path, document: Document, numbers: Sequence[NumberDocument], key: str) -> None:
    """Draw the kinds of error over all samples and by group, then the worst samples."""
    st.subheader("Kinds of error", anchor=False)
    components.draw_markup(_error_table(numbers))
    first = numbers[0]
    fields = list(dict.fromkeys(number["field"] for number in document["numbers"] if number["field"]))
    if fields:
        field = st.selectbox("Group by", fields, key=f"{key}-errors-by")
        frame = _errors_by_group(document, str(first["metric"]), str(field))
        if len(frame):
            draw_chart(charts.stacked_error_chart(frame), alt="Kinds of error by group")
    st.subheader("Worst samples", anchor=False)
    worst = samples_table.sort_worst_first(run_data.load_samples(path).frame, first)
    components.draw_markup(
        tag(
            "p",
            tag("del", "Struck through"),
            ": deleted words. ",
            tag("ins", "Underlined"),
            ": inserted words. Both together: a substitution.",
            class_="muted",
        )
    )
    sample_card.draw_cards(path, worst, first, MAX_CARDS)


def _error_table(numbers: Sequence[NumberDocument]) -> Markup:
    rows: list[list[Child]] = []
    for number in numbers:
        details = number["details"]
        length = details["reference_length"]
        row: list[Child] = [metric_title(number["metric"])]
        for kind in ERROR_KINDS:
            share = details[kind] / length if length else None
            row.append(f"{format_count(details[kind])} ({typeset_number(share, 'share')})")
        row += [format_count(length), typeset_number(details.get("utterance_mean"), "share")]
        rows.append(row)
    headers = ["", "Substitutions", "Deletions", "Insertions", "Reference length", "Mean per utterance"]
    return components.build_table(headers, rows)


def _errors_by_group(document: Document, metric: str, field: str) -> pd.DataFrame:
    rows = []
    for number in document["numbers"]:
        if number["metric"] != metric or number["field"] not in ("", field):
            continue
        length = number["details"].get("reference_length")
        for order, kind in enumerate(ERROR_KINDS):
            count = number["details"].get(kind, 0)
            rows.append(
                {
                    "group": (number["group"] or "(empty)") if number["field"] else "all samples",
                    "kind": kind,
                    "order": order,
                    "count": count,
                    "share": count / length if length else 0.0,
                }
            )
    return pd.DataFrame(rows)
