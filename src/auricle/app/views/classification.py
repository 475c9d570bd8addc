"""Results of classifiers: the confusion matrix with the samples of each cell, and metrics per class."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app import run_data
from auricle.app.theme import draw_chart
from auricle.app.views import components, heatmaps, sample_card
from auricle.report.html_format import NumberDocument, format_count, typeset_number
from auricle.report.label_sections import MAX_MATRIX_LABELS, describe_label_matches
from auricle.report.markup import Child

MAX_CARDS = 5
MAX_CONFUSIONS = 20


def draw_classification(path: Path, number: NumberDocument, key: str) -> None:
    """Draw the confusion matrix, the samples of the selected cell, and the metrics per class."""
    matrix = number["details"]["matrix"]
    st.subheader("Confusions", anchor=False)
    is_too_large = max(len(matrix["rows"]), len(matrix["columns"])) > MAX_MATRIX_LABELS
    if is_too_large:
        _draw_frequent_confusions(matrix)
    cell = None if is_too_large else _select_cell(matrix, key)
    components.draw_notes(*_describe_matrix(matrix))
    _draw_cell_samples(path, matrix, cell, number)
    st.subheader("Per class", anchor=False)
    _draw_classes(number["details"].get("classes") or {})


def _select_cell(matrix: Mapping[str, Any], key: str) -> tuple[int, int] | None:
    """Draw the matrix and return the row and column of the cell that was clicked."""
    state = draw_chart(
        heatmaps.confusion_chart(matrix, "cell"),
        key=f"{key}-matrix",
        on_select="rerun",
        alt="Confusion matrix: true against predicted labels",
    )
    points = (state.get("selection") or {}).get("cell") or [] if state else []
    first = points[0] if points else {}
    if not {"r", "c"} <= first.keys():
        return None
    return int(first["r"]), int(first["c"])


def _describe_matrix(matrix: Mapping[str, Any]) -> list[str]:
    notes = ["Counts and row percentages. Click a cell to list and play its samples."]
    if matrix["rows"] != matrix["columns"]:
        notes.append(
            f"{matrix['shared']} labels occur on both sides and form the outlined diagonal; the others occur on one "
            "side only."
        )
    return [*notes, *describe_label_matches(matrix)]


def _draw_cell_samples(
    path: Path, matrix: Mapping[str, Any], cell: tuple[int, int] | None, number: NumberDocument
) -> None:
    if cell is None:
        return
    row, column = cell
    if not 0 <= row < len(matrix["rows"]) or not 0 <= column <= len(matrix["columns"]):
        return
    samples = select_cell_samples(run_data.load_samples(path).frame, matrix, cell)
    predicted = [*matrix["columns_shown"], heatmaps.UNREADABLE_LABEL][column]
    caption = (
        f"{format_count(len(samples))} samples labelled {matrix['rows_shown'][row]}, predicted {predicted}; showing "
        f"the first {min(MAX_CARDS, len(samples))}."
    )
    sample_card.draw_cards(path, samples, number, MAX_CARDS, caption)


def select_cell_samples(frame: pd.DataFrame, matrix: Mapping[str, Any], cell: tuple[int, int]) -> pd.DataFrame:
    """Select the samples with the true and the predicted label of a cell."""
    if "true_label" not in frame:
        return frame.iloc[0:0]
    row, column = cell
    has_true_label = frame["true_label"] == matrix["rows"][row]
    if column >= len(matrix["columns"]):
        return frame[has_true_label & frame["predicted_label"].isna()]
    return frame[has_true_label & (frame["predicted_label"] == matrix["columns"][column])]


def _draw_classes(classes: Mapping[str, Any]) -> None:
    names = ("precision", "recall", "f1")
    rows: list[list[Child]] = [
        [label, *(typeset_number(scores.get(name), "share") for name in names), format_count(scores.get("support"))]
        for label, scores in classes.items()
    ]
    components.draw_markup(components.build_table(["Class", "Precision", "Recall", "F1", "Samples"], rows))


def _draw_frequent_confusions(matrix: Mapping[str, Any]) -> None:
    """Draw a table of the most frequent confusions, if there are too many classes for a matrix."""
    names = [*matrix["columns_shown"], heatmaps.UNREADABLE_LABEL]
    confusions = [
        (count, matrix["rows_shown"][true], names[predicted])
        for true, row in enumerate(matrix["counts"])
        for predicted, count in enumerate([*row, matrix["unreadable"][true]])
        if count and not predicted == true < matrix["shared"]
    ]
    confusions.sort(key=lambda confusion: -confusion[0])
    rows: list[list[Child]] = [
        [true, predicted, format_count(count)] for count, true, predicted in confusions[:MAX_CONFUSIONS]
    ]
    components.draw_notes(
        f"Too many classes ({len(matrix['rows'])}) for a matrix; showing the most frequent confusions."
    )
    components.draw_markup(components.build_table(["True label", "Predicted label", "Count"], rows, 2))
