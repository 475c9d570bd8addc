"""Results of classifiers: the confusion matrix, whose cells open, and figures of each class."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app import run_data
from auricle.app.theme import chart
from auricle.app.views import components, heatmaps, sample_card
from auricle.report.class_sections import WIDEST_MATRIX, matched
from auricle.report.formatting import count, written
from auricle.report.markup import Child

MOST_CARDS = 5
MOST_CONFUSIONS = 20
Number = Mapping[str, Any]


def labels(path: Path, number: Number, key: str) -> None:
    """The matrix beside one number, and the samples of the cell that was chosen."""
    matrix = number["details"]["matrix"]
    st.subheader("Confusions", anchor=False)
    wide = max(len(matrix["rows"]), len(matrix["columns"])) > WIDEST_MATRIX
    if wide:
        _frequent(matrix)
    chosen = None if wide else _chosen(matrix, key)
    components.say(*_legend(matrix))
    _cell(path, matrix, chosen, number)
    st.subheader("Each class", anchor=False)
    _classes(number["details"].get("classes") or {})


def _chosen(matrix: Mapping[str, Any], key: str) -> tuple[int, int] | None:
    """Draw the matrix; the cell a visitor clicked on."""
    state = chart(
        heatmaps.confusion(matrix, "cell"),
        key=f"{key}-matrix",
        on_select="rerun",
        alt="Confusion matrix: true labels against what the model said",
    )
    points = (state.get("selection") or {}).get("cell") or [] if state else []
    first = points[0] if points else {}
    if not {"r", "c"} <= first.keys():
        return None
    return int(first["r"]), int(first["c"])


def _legend(matrix: Mapping[str, Any]) -> list[str]:
    told = ["Counts, and shares of each row. Click a cell to hear its samples."]
    if matrix["rows"] != matrix["columns"]:
        told.append(
            f"{matrix['shared']} labels are shared and lie along the outlined diagonal; "
            "the rest only one side has."
        )
    return [*told, *matched(matrix)]


def _cell(
    path: Path, matrix: Mapping[str, Any], chosen: tuple[int, int] | None, number: Number
) -> None:
    """The samples of a cell, with players."""
    if chosen is None:
        return
    row, column = chosen
    if not 0 <= row < len(matrix["rows"]) or not 0 <= column <= len(matrix["columns"]):
        return
    found = members(run_data.samples(path).frame, matrix, chosen)
    said = ([*matrix["columns_shown"], heatmaps.UNREADABLE])[column]
    words = (
        f"{count(len(found))} samples of {matrix['rows_shown'][row]} that the model calls "
        f"{said}; the first {min(MOST_CARDS, len(found))} are shown."
    )
    sample_card.cards(path, found, number, MOST_CARDS, words)


def members(
    frame: pd.DataFrame, matrix: Mapping[str, Any], chosen: tuple[int, int]
) -> pd.DataFrame:
    """Samples whose true and said labels are those of a cell."""
    if "true" not in frame:
        return frame.iloc[0:0]
    row, column = chosen
    of_row = frame["true"] == matrix["rows"][row]
    if column >= len(matrix["columns"]):
        return frame[of_row & frame["said"].isna()]
    return frame[of_row & (frame["said"] == matrix["columns"][column])]


def _classes(found: Mapping[str, Any]) -> None:
    names = ("precision", "recall", "f1")
    rows: list[list[Child]] = [
        [
            label,
            *(written(figures.get(name), "share") for name in names),
            count(figures.get("support")),
        ]
        for label, figures in found.items()
    ]
    components.show(components.table(["Class", "Precision", "Recall", "F1", "Samples"], rows))


def _frequent(matrix: Mapping[str, Any]) -> None:
    """The confusions that occur most, where a square would be too wide."""
    names = [*matrix["columns_shown"], heatmaps.UNREADABLE]
    missed = [
        (size, matrix["rows_shown"][true], names[said])
        for true, row in enumerate(matrix["counts"])
        for said, size in enumerate([*row, matrix["unreadable"][true]])
        if size and not said == true < matrix["shared"]
    ]
    missed.sort(key=lambda each: -each[0])
    rows: list[list[Child]] = [
        [true, said, count(size)] for size, true, said in missed[:MOST_CONFUSIONS]
    ]
    components.say(
        f"{len(matrix['rows'])} classes are too many for a square: the most frequent confusions."
    )
    components.show(components.table(["True", "Said", "Times"], rows, 2))
