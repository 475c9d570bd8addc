"""Results of classifiers: the confusion matrix, whose cells open, and figures of each class."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app import run_data
from auricle.app.theme import draw_chart
from auricle.app.views import components, heatmaps, sample_card
from auricle.report.html_format import format_count, typeset_number
from auricle.report.label_sections import MAX_MATRIX_LABELS, describe_label_matches
from auricle.report.markup import Child

MAX_CARDS = 5
MAX_CONFUSIONS = 20
Number = Mapping[str, Any]


def draw_classification(path: Path, number: Number, key: str) -> None:
    """The matrix beside one number, and the samples of the cell that was chosen."""
    matrix = number["details"]["matrix"]
    st.subheader("Confusions", anchor=False)
    wide = max(len(matrix["rows"]), len(matrix["columns"])) > MAX_MATRIX_LABELS
    if wide:
        _draw_frequent_confusions(matrix)
    chosen = None if wide else _select_cell(matrix, key)
    components.draw_notes(*_describe_matrix(matrix))
    _draw_cell_samples(path, matrix, chosen, number)
    st.subheader("Each class", anchor=False)
    _draw_classes(number["details"].get("classes") or {})


def _select_cell(matrix: Mapping[str, Any], key: str) -> tuple[int, int] | None:
    """Draw the matrix; the cell a visitor clicked on."""
    state = draw_chart(
        heatmaps.confusion_chart(matrix, "cell"),
        key=f"{key}-matrix",
        on_select="rerun",
        alt="Confusion matrix: true labels against what the model said",
    )
    points = (state.get("selection") or {}).get("cell") or [] if state else []
    first = points[0] if points else {}
    if not {"r", "c"} <= first.keys():
        return None
    return int(first["r"]), int(first["c"])


def _describe_matrix(matrix: Mapping[str, Any]) -> list[str]:
    told = ["Counts, and shares of each row. Click a cell to hear its samples."]
    if matrix["rows"] != matrix["columns"]:
        told.append(
            f"{matrix['shared']} labels are shared and lie along the outlined diagonal; the rest only one side has."
        )
    return [*told, *describe_label_matches(matrix)]


def _draw_cell_samples(path: Path, matrix: Mapping[str, Any], cell: tuple[int, int] | None, number: Number) -> None:
    """The samples of a cell, with players."""
    if cell is None:
        return
    row, column = cell
    if not 0 <= row < len(matrix["rows"]) or not 0 <= column <= len(matrix["columns"]):
        return
    found = select_cell_samples(run_data.load_samples(path).frame, matrix, cell)
    said = ([*matrix["columns_shown"], heatmaps.UNREADABLE_LABEL])[column]
    words = (
        f"{format_count(len(found))} samples of {matrix['rows_shown'][row]} that the model calls "
        f"{said}; the first {min(MAX_CARDS, len(found))} are shown."
    )
    sample_card.draw_cards(path, found, number, MAX_CARDS, words)


def select_cell_samples(frame: pd.DataFrame, matrix: Mapping[str, Any], cell: tuple[int, int]) -> pd.DataFrame:
    """Samples whose true and said labels are those of a cell."""
    if "true" not in frame:
        return frame.iloc[0:0]
    row, column = cell
    of_row = frame["true"] == matrix["rows"][row]
    if column >= len(matrix["columns"]):
        return frame[of_row & frame["said"].isna()]
    return frame[of_row & (frame["said"] == matrix["columns"][column])]


def _draw_classes(classes: Mapping[str, Any]) -> None:
    names = ("precision", "recall", "f1")
    rows: list[list[Child]] = [
        [label, *(typeset_number(figures.get(name), "share") for name in names), format_count(figures.get("support"))]
        for label, figures in classes.items()
    ]
    components.draw_markup(components.build_table(["Class", "Precision", "Recall", "F1", "Samples"], rows))


def _draw_frequent_confusions(matrix: Mapping[str, Any]) -> None:
    """The confusions that occur most, where a square would be too wide."""
    names = [*matrix["columns_shown"], heatmaps.UNREADABLE_LABEL]
    missed = [
        (size, matrix["rows_shown"][true], names[said])
        for true, row in enumerate(matrix["counts"])
        for said, size in enumerate([*row, matrix["unreadable"][true]])
        if size and not said == true < matrix["shared"]
    ]
    missed.sort(key=lambda each: -each[0])
    rows: list[list[Child]] = [[true, said, format_count(size)] for size, true, said in missed[:MAX_CONFUSIONS]]
    components.draw_notes(f"{len(matrix['rows'])} classes are too many for a square: the most frequent confusions.")
    components.draw_markup(components.build_table(["True", "Said", "Times"], rows, 2))
