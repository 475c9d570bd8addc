"""The confusion matrix of the candidate minus that of the baseline, from the metrics of two runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from auricle.metrics.intervals import newcombe_interval
from auricle.metrics.label_alignment import display_label, display_labels
from auricle.metrics.matrix_difference import (
    AxisLabel,
    ConfusionMatrix,
    MatrixDifference,
    match_by_meaning,
    subtract_matrices,
)
from auricle.report.compare.metric_selection import Document, overall_numbers

UNREADABLE = "(unreadable)"
MAX_INCREASES = 10


def subtract_run_matrices(a: Document, b: Document) -> dict[str, Any] | None:
    """Return the difference of the first matrices of two runs, or None if either has none."""
    numbers = _find_number_with_matrix(a), _find_number_with_matrix(b)
    if numbers[0] is None or numbers[1] is None:
        return None
    strict = any("no-synonyms" in number["signature"] for number in numbers if number)
    baseline, candidate = (build_matrix(number["details"]["matrix"]) for number in numbers if number)
    return to_document(subtract_matrices(baseline, candidate, partial(match_by_meaning, synonyms=not strict)))


def _find_number_with_matrix(document: Document) -> Mapping[str, Any] | None:
    """Return the first metric that has a confusion matrix."""
    return next((each for each in overall_numbers(document).values() if "matrix" in each["details"]), None)


def get_known_labels(document: Document) -> set[str] | None:
    """Return the true labels that the model can predict, or None without a matrix."""
    number = _find_number_with_matrix(document)
    if number is None:
        return None
    matrix = number["details"]["matrix"]
    return set(matrix["rows"][: matrix["shared"]])


def build_matrix(details: Mapping[str, Any]) -> ConfusionMatrix:
    """Return the confusion matrix of a metric; unreadable answers are an extra column."""
    columns, counts = details["columns"], details["counts"]
    silent = details.get("unreadable") or [0] * len(counts)
    if any(silent):
        columns = [*columns, UNREADABLE]
        counts = [[*row, unread] for row, unread in zip(counts, silent, strict=True)]
    return ConfusionMatrix.from_dict({"rows": details["rows"], "columns": columns, "counts": counts})


def to_document(difference: MatrixDifference) -> dict[str, Any]:
    """Convert the difference to JSON types; undefined rows are null."""
    return {
        "rows": _axis_document(difference.rows),
        "columns": _axis_document(difference.columns),
        "cells": [None if row is None else list(row) for row in difference.cells],
        "n_baseline": list(difference.n_baseline),
        "n_candidate": list(difference.n_candidate),
        "diagonal": [_recall_document(difference, at) for at in range(len(difference.diagonal))],
        "mean_absolute_diagonal": difference.mean_absolute_diagonal,
        "rises": [
            {"true": display_label(true), "predicted": display_label(predicted), "difference": rise}
            for true, predicted, rise in difference.largest_increases(MAX_INCREASES)
        ],
    }


def _axis_document(labels: Sequence[AxisLabel]) -> list[dict[str, str]]:
    names = display_labels([each.name for each in labels])
    return [
        {"label": each.name, "shown": name, "spelled_by_candidate": each.candidate_spelling, "only_in": each.only_side}
        for each, name in zip(labels, names, strict=True)
    ]


def _recall_document(difference: MatrixDifference, index: int) -> dict[str, Any]:
    each = difference.diagonal[index]
    n_a, n_b = int(difference.n_baseline[each.row]), int(difference.n_candidate[each.row])
    low, high = newcombe_interval(each.hits_baseline, n_a, each.hits_candidate, n_b)
    return {
        "label": display_label(difference.rows[each.row].name),
        "row": each.row,
        "column": each.column,
        "recall_baseline": each.hits_baseline / n_a,
        "recall_candidate": each.hits_candidate / n_b,
        "difference": each.delta,
        "low": low,
        "high": high,
    }
