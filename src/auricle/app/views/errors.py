"""Results of recognisers: what errors a rate is made of, by group, and the worst, word by word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app import run_data, samples_table
from auricle.app.theme import chart
from auricle.app.views import charts, components, sample_card
from auricle.report.formatting import count, title, written
from auricle.report.markup import Child, tag

KINDS = ("substitutions", "deletions", "insertions")
MOST_CARDS = 5
Number = Mapping[str, Any]
Document = Mapping[str, Any]


def errors(path: Path, found: Document, numbers: Sequence[Number], key: str) -> None:
    """Kinds of error over all samples and by group, then the samples that did worst."""
    st.subheader("Kinds of error", anchor=False)
    components.show(_table(numbers))
    first = numbers[0]
    fields = list(dict.fromkeys(each["field"] for each in found["numbers"] if each["field"]))
    if fields:
        field = st.selectbox("By", fields, key=f"{key}-errors-by")
        frame = _groups(found, str(first["metric"]), str(field))
        if len(frame):
            chart(charts.stacked_errors(frame), alt="Kinds of error by group")
    st.subheader("Worst samples", anchor=False)
    worst = samples_table.worst_first(run_data.samples(path).frame, first)
    components.show(
        tag(
            "p",
            tag("del", "missed"),
            " was said and not heard, ",
            tag("ins", "added"),
            " was heard and not said; one beside the other is a substitution.",
            class_="quiet",
        )
    )
    sample_card.cards(path, worst, first, MOST_CARDS)


def _table(numbers: Sequence[Number]) -> Any:
    rows: list[list[Child]] = []
    for number in numbers:
        details = number["details"]
        length = details["reference_length"]
        row: list[Child] = [title(number["metric"])]
        for kind in KINDS:
            share = details[kind] / length if length else None
            row.append(f"{count(details[kind])} ({written(share, 'share')})")
        row += [count(length), written(details.get("utterance_mean"), "share")]
        rows.append(row)
    head = ["", "Substitutions", "Deletions", "Insertions", "Reference length", "Utterance mean"]
    return components.table(head, rows)


def _groups(found: Document, metric: str, field: str) -> pd.DataFrame:
    rows = []
    for each in found["numbers"]:
        if each["metric"] != metric or each["field"] not in ("", field):
            continue
        length = each["details"].get("reference_length")
        for order, kind in enumerate(KINDS):
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
