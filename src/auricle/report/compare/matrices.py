"""The confusion matrix of the candidate minus that of the baseline, from the metrics of two runs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from auricle.metrics.matrix_difference import ConfusionMatrix, MatrixDifference, match_by_meaning, subtract_matrices
from auricle.runs.metrics import Metrics, Number

UNREADABLE = "(unreadable)"


def subtract_run_matrices(a: Metrics, b: Metrics) -> MatrixDifference | None:
    """Return the difference of the first matrices of two runs, or None if either has none."""
    first, second = _find_number_with_matrix(a), _find_number_with_matrix(b)
    if first is None or second is None:
        return None
    use_synonyms = first.signature.metric.uses_synonyms and second.signature.metric.uses_synonyms
    baseline, candidate = (build_matrix(number.details["matrix"]) for number in (first, second))
    return subtract_matrices(baseline, candidate, partial(match_by_meaning, synonyms=use_synonyms))


def _find_number_with_matrix(results: Metrics) -> Number | None:
    """Return the first metric that has a confusion matrix."""
    return next((number for number in results.overall if "matrix" in number.details), None)


def get_known_labels(results: Metrics) -> set[str] | None:
    """Return the true labels that the model can predict, or None without a matrix."""
    number = _find_number_with_matrix(results)
    if number is None:
        return None
    matrix = number.details["matrix"]
    return set(matrix["rows"][: matrix["shared"]])


def build_matrix(details: Mapping[str, Any]) -> ConfusionMatrix:
    """Return the confusion matrix of a metric; unreadable answers are an extra column."""
    columns, counts = details["columns"], details["counts"]
    silent = details.get("unreadable") or [0] * len(counts)
    if any(silent):
        columns = [*columns, UNREADABLE]
        counts = [[*row, unread] for row, unread in zip(counts, silent, strict=True)]
    return ConfusionMatrix.from_dict({"rows": details["rows"], "columns": columns, "counts": counts})
