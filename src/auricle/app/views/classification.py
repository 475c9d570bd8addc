"""Results of classifiers: the confusion matrix with the samples of each cell, and metrics per class."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app import run_data
from auricle.app.theme import draw_chart
from auricle.app.views import components, heatmaps, sample_card
from auricle.report.html_format import format_count, typeset_number
from auricle.report.plot_data import ConfusionMatrix, list_classes
from auricle.runs.metrics import Number

MAX_CARDS = 5
MAX_CONFUSIONS = 20


def draw_classification(path: Path, number: Number, key: str) -> None:
    """Draw the confusion matrix, the samples of the selected cell, and the metrics per class."""
    matrix = ConfusionMatrix.from_details(number.details)
    st.subheader("Confusions", anchor=False)
    cell = _select_cell(matrix, key) if matrix.is_readable else None
    if not matrix.is_readable:
        _draw_frequent_confusions(matrix)
    components.draw_notes(*_describe_matrix(matrix))
    if cell:
        _draw_cell_samples(path, matrix, cell, number)
    st.subheader("Per class", anchor=False)
    rows = [
        [
            figures.label,
            *(typeset_number(share, "share") for share in (figures.precision, figures.recall, figures.f1)),
            format_count(figures.support),
        ]
        for figures in list_classes(number.details)
    ]
    components.draw_table(["Class", "Precision", "Recall", "F1", "Samples"], rows)


def _select_cell(matrix: ConfusionMatrix, key: str) -> tuple[int, int] | None:
    """Draw the matrix and return the row and column of the cell that was clicked."""
    state = draw_chart(
        heatmaps.confusion_chart(matrix, "cell"),
        key=f"{key}-matrix",
        on_select="rerun",
        alt="Confusion matrix: true against predicted labels",
    )
    selected: list[dict[str, Any]] = (state.get("selection") or {}).get("cell") or [] if state else []
    if not selected or not {"r", "c"} <= selected[0].keys():
        return None
    row, column = int(selected[0]["r"]), int(selected[0]["c"])
    return (row, column) if 0 <= row < len(matrix.rows) and 0 <= column < len(matrix.columns) else None


def _describe_matrix(matrix: ConfusionMatrix) -> list[str]:
    notes = ["Counts and row percentages. Click a cell to list and play its samples."]
    if matrix.rows != matrix.predicted_labels:
        notes.append(
            f"{matrix.shared} labels occur on both sides and form the outlined diagonal; the others occur on one side "
            "only."
        )
    return [*notes, *matrix.describe_label_matches()]


def _draw_cell_samples(path: Path, matrix: ConfusionMatrix, cell: tuple[int, int], number: Number) -> None:
    samples = select_cell_samples(run_data.load_samples(path).frame, matrix, cell)
    row, column = cell
    caption = (
        f"{format_count(len(samples))} samples labelled {matrix.row_names[row]}, predicted "
        f"{matrix.column_names[column]}; showing the first {min(MAX_CARDS, len(samples))}."
    )
    sample_card.draw_cards(path, samples, number, MAX_CARDS, caption)


def select_cell_samples(frame: pd.DataFrame, matrix: ConfusionMatrix, cell: tuple[int, int]) -> pd.DataFrame:
    """Select the samples with the true and the predicted label of a cell."""
    if "true_label" not in frame:
        return frame.iloc[0:0]
    row, column = cell
    has_true_label = frame["true_label"] == matrix.rows[row]
    if column >= len(matrix.predicted_labels):
        return frame[has_true_label & frame["predicted_label"].isna()]
    return frame[has_true_label & (frame["predicted_label"] == matrix.columns[column])]


def _draw_frequent_confusions(matrix: ConfusionMatrix) -> None:
    """Draw a table of the most frequent confusions, if there are too many classes for a matrix."""
    components.draw_notes(f"Too many classes ({len(matrix.rows)}) for a matrix; showing the most frequent confusions.")
    rows = [
        [true, predicted, format_count(count)] for count, true, predicted in matrix.frequent_confusions(MAX_CONFUSIONS)
    ]
    components.draw_table(["True label", "Predicted label", "Count"], rows, 2)
