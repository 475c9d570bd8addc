"""The confusion matrix of the candidate minus that of the baseline, from the metrics of two runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from auricle.metrics import matrix_difference
from auricle.metrics.intervals import newcombe_interval
from auricle.metrics.label_alignment import display_label, display_labels
from auricle.metrics.matrix_difference import ConfusionMatrix, MatrixDifference, match_by_meaning, subtract_matrices
from auricle.runs.metrics import Metrics, Number

UNREADABLE = "(unreadable)"
MAX_INCREASES = 10


@dataclass(frozen=True, slots=True)
class AxisLabel:
    """A label on an axis of the difference."""

    label: str
    """Spelling of the baseline, or of the candidate if the baseline lacks the label."""
    shown: str
    """The label in English, and different from all others of the axis."""
    spelled_by_candidate: str = ""
    """Spelling of the candidate, if it differs."""
    only_in: str = ""
    """The only side that has the label: `baseline`, `candidate` or empty."""


@dataclass(frozen=True, slots=True)
class RecallChange:
    """The recall of one class on both sides: a cell of the diagonal."""

    label: str
    row: int
    column: int
    recall_baseline: float
    recall_candidate: float
    difference: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ConfusionIncrease:
    """A confusion that the candidate makes more often."""

    true: str
    predicted: str
    difference: float


@dataclass(frozen=True, slots=True)
class MatrixChange:
    """The row-normalised confusion matrix of the candidate minus that of the baseline."""

    rows: tuple[AxisLabel, ...]
    columns: tuple[AxisLabel, ...]
    cells: tuple[tuple[float, ...] | None, ...]
    """Rows of differences of shares; None if either side has no sample of that class."""
    diagonal: tuple[RecallChange, ...]
    n_baseline: tuple[float, ...] = ()
    n_candidate: tuple[float, ...] = ()
    mean_absolute_diagonal: float | None = None
    """The mean absolute change of recall over the defined classes."""
    rises: tuple[ConfusionIncrease, ...] = ()

    @classmethod
    def describe(cls, difference: MatrixDifference) -> MatrixChange:
        """Describe the difference of two matrices."""
        return cls(
            rows=_describe_axis(difference.rows),
            columns=_describe_axis(difference.columns),
            cells=difference.cells,
            diagonal=tuple(_describe_recall(difference, change) for change in difference.diagonal),
            n_baseline=difference.n_baseline,
            n_candidate=difference.n_candidate,
            mean_absolute_diagonal=difference.mean_absolute_diagonal,
            rises=tuple(
                ConfusionIncrease(display_label(true), display_label(predicted), increase)
                for true, predicted, increase in difference.largest_increases(MAX_INCREASES)
            ),
        )


def subtract_run_matrices(a: Metrics, b: Metrics) -> MatrixChange | None:
    """Return the difference of the first matrices of two runs, or None if either has none."""
    first, second = _find_number_with_matrix(a), _find_number_with_matrix(b)
    if first is None or second is None:
        return None
    match = partial(match_by_meaning, synonyms=all(n.signature.metric.uses_synonyms for n in (first, second)))
    baseline, candidate = (build_matrix(number.details["matrix"]) for number in (first, second))
    return MatrixChange.describe(subtract_matrices(baseline, candidate, match))


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


def _describe_axis(labels: Sequence[matrix_difference.AxisLabel]) -> tuple[AxisLabel, ...]:
    names = display_labels([label.name for label in labels])
    return tuple(
        AxisLabel(label.name, name, label.candidate_spelling, label.only_side)
        for label, name in zip(labels, names, strict=True)
    )


def _describe_recall(difference: MatrixDifference, change: matrix_difference.RecallChange) -> RecallChange:
    n_a, n_b = int(difference.n_baseline[change.row]), int(difference.n_candidate[change.row])
    low, high = newcombe_interval(change.hits_baseline, n_a, change.hits_candidate, n_b)
    return RecallChange(
        label=display_label(difference.rows[change.row].name),
        row=change.row,
        column=change.column,
        recall_baseline=change.hits_baseline / n_a,
        recall_candidate=change.hits_candidate / n_b,
        difference=change.delta,
        low=low,
        high=high,
    )
