"""Results of recognisers: what errors a rate is made of, by group, and the worst, word by word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app import run_data, samples_table
from auricle.app.theme import draw_chart
from auricle.app.views import charts, components, sample_card
from auricle.report.html_format import format_count, metric_title, typeset_number
from auricle.report.markup import Child, tag

ERROR_KINDS = ("substitutions", "deletions", "insertions")
MAX_CARDS = 5
Number = Mapping[str, Any]
Document = Mapping[str, Any]


def draw_word_errors(path: Path, document: Document, numbers: Sequence[Number], key: str) -> None:
    """Kinds of error over all samples and by group, then the samples that did worst."""
    st.subheader("Kinds of error", anchor=False)
    components.draw_markup(_error_table(numbers))
    first = numbers[0]
    fields = list(dict.fromkeys(each["field"] for each in document["numbers"] if each["field"]))
    if fields:
        field = st.selectbox("By", fields, key=f"{key}-errors-by")
        frame = _errors_by_group(document, str(first["metric"]), str(field))
        if len(frame):
            draw_chart(charts.stacked_error_chart(frame), alt="Kinds of error by group")
    st.subheader("Worst samples", anchor=False)
    worst = samples_table.sort_worst_first(run_data.load_samples(path).frame, first)
    components.draw_markup(
        tag(
            "p",
            tag("del", "missed"),
            " was said and not heard, ",
            tag("ins", "added"),
            " was heard and not said; one beside the other is a substitution.",
            class_="quiet",
        )
    )
    sample_card.draw_cards(path, worst, first, MAX_CARDS)


def _error_table(numbers: Sequence[Number]) -> Any:
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
    head = ["", "Substitutions", "Deletions", "Insertions", "Reference length", "Utterance mean"]
    return components.build_table(head, rows)


def _errors_by_group(document: Document, metric: str, field: str) -> pd.DataFrame:
    rows = []
    for each in document["numbers"]:
        if each["metric"] != metric or each["field"] not in ("", field):
            continue
        length = each["details"].get("reference_length")
        for order, kind in enumerate(ERROR_KINDS):
            size = each["details"].get(kind, 0)
            rows.append(
                {
                    "group": (each["group"] or "(empty)") if each["field"] else "all samples",
                    "kind": kind,
                    "order": order,
                    "count": size,
                    "share": size / length if length else 0.0,
                }
            )
    return pd.DataFrame(rows)
