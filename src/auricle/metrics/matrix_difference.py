"""The difference between two confusion matrices: the candidate's row shares minus the baseline's.

Each row is normalised before the subtraction, so every row of the difference sums to zero. The row of a class without
samples on one side is undefined and left out of means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from auricle.metrics.label_alignment import align_labels

LabelMatcher: TypeAlias = Callable[[Sequence[str], Sequence[str]], Iterable[tuple[int, int]]]
"""Return pairs of indices of the names in two lists that mean the same; each name at most once."""

TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """Counts of predicted classes (columns) for each true class (rows)."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[float, ...], ...]

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> ConfusionMatrix:
        """Build a matrix from `{"rows": [...], "columns": [...], "counts": [[...], ...]}`."""
        counts = tuple(tuple(row) for row in document["counts"])
        return cls(tuple(document["rows"]), tuple(document["columns"]), counts)

    def __post_init__(self) -> None:
        if len(self.counts) != len(self.rows) or any(len(row) != len(self.columns) for row in self.counts):
            raise ValueError(
                f"Expected counts of {len(self.rows)} rows and {len(self.columns)} columns, not "
                f"{len(self.counts)} rows of lengths {sorted(map(len, self.counts))}."
            )


@dataclass(frozen=True, slots=True)
class AxisLabel:
    """A label on an axis of the difference, and its index on each side."""

    name: str
    """Spelling of the baseline, or of the candidate if the baseline lacks the label."""
    baseline_index: int | None
    candidate_index: int | None
    candidate_spelling: str = ""
    """Spelling of the candidate, if it differs."""

    @property
    def only_side(self) -> str:
        """Return the only side that has the label, or an empty string."""
        if self.baseline_index is None:
            return "candidate"
        return "baseline" if self.candidate_index is None else ""


@dataclass(frozen=True, slots=True)
class RecallChange:
    """Recall of one class on both sides: a cell of the diagonal."""

    row: int
    column: int
    hits_baseline: float
    hits_candidate: float
    delta: float


@dataclass(frozen=True, slots=True)
class MatrixDifference:
    """The candidate's matrix minus the baseline's, over the labels of both."""

    rows: tuple[AxisLabel, ...]
    columns: tuple[AxisLabel, ...]
    cells: tuple[tuple[float, ...] | None, ...]
    """Rows of differences of shares; None if either side has no sample of that class."""
    n_baseline: tuple[float, ...]
    n_candidate: tuple[float, ...]
    diagonal: tuple[RecallChange, ...]
    """Cells of the rows that are defined and have a matching column."""

    @property
    def mean_absolute_diagonal(self) -> float | None:
        """Return the mean absolute change of recall over the defined classes."""
        changes = [abs(change.delta) for change in self.diagonal]
        return sum(changes) / len(changes) if changes else None

    def largest_increases(self, limit: int = 5) -> list[tuple[str, str, float]]:
        """Return the confusions with the largest increase as (true class, predicted class, increase)."""
        hits = {(change.row, change.column) for change in self.diagonal}
        increases = [
            (self.rows[row].name, self.columns[column].name, cell)
            for row, cells in enumerate(self.cells)
            for column, cell in enumerate(cells or ())
            if cell > TOLERANCE and (row, column) not in hits
        ]
        return sorted(increases, key=lambda increase: -increase[2])[:limit]


def match_by_meaning(left: Sequence[str], right: Sequence[str], synonyms: bool = True) -> list[tuple[int, int]]:
    """Match names with `align_labels`."""
    matches = align_labels(left, right, synonyms).matches
    return [(left.index(match.truth), right.index(match.prediction)) for match in matches]


def subtract_matrices(
    baseline: ConfusionMatrix, candidate: ConfusionMatrix, match: LabelMatcher = match_by_meaning
) -> MatrixDifference:
    """Subtract the baseline's row shares from the candidate's, over the union of the labels.

    A column that one side lacks counts as 0 there.
    """
    rows = merge_axes(baseline.rows, candidate.rows, match)
    columns = merge_axes(baseline.columns, candidate.columns, match)
    left = [_aligned_counts(baseline, row.baseline_index, [c.baseline_index for c in columns]) for row in rows]
    right = [_aligned_counts(candidate, row.candidate_index, [c.candidate_index for c in columns]) for row in rows]
    sizes = [(sum(a), sum(b)) for a, b in zip(left, right, strict=True)]
    cells = tuple(_row_difference(b, a) for a, b in zip(left, right, strict=True))
    assert all(abs(sum(row)) < TOLERANCE for row in cells if row is not None)
    diagonal = tuple(
        RecallChange(row, column, left[row][column], right[row][column], deltas[column])
        for row, column in match([label.name for label in rows], [label.name for label in columns])
        if (deltas := cells[row]) is not None
    )
    n_baseline, n_candidate = (tuple(side) for side in zip(*sizes, strict=True)) if sizes else ((), ())
    return MatrixDifference(rows, columns, cells, n_baseline, n_candidate, diagonal)


def merge_axes(baseline: Sequence[str], candidate: Sequence[str], match: LabelMatcher) -> tuple[AxisLabel, ...]:
    """Return shared labels in the baseline's order, then those only the baseline has, then the candidate's."""
    pairs = sorted(match(baseline, candidate))
    shared = [AxisLabel(baseline[a], a, b, candidate[b] if candidate[b] != baseline[a] else "") for a, b in pairs]
    in_a, in_b = {a for a, _ in pairs}, {b for _, b in pairs}
    only_a = [AxisLabel(name, index, None) for index, name in enumerate(baseline) if index not in in_a]
    only_b = [AxisLabel(name, None, index) for index, name in enumerate(candidate) if index not in in_b]
    return (*shared, *only_a, *only_b)


def _aligned_counts(matrix: ConfusionMatrix, row: int | None, columns: Sequence[int | None]) -> list[float]:
    """Return the counts of one row in the order of the merged columns; 0 for a missing row or column."""
    if row is None:
        return [0.0] * len(columns)
    counts = matrix.counts[row]
    return [0.0 if index is None else float(counts[index]) for index in columns]


def _row_difference(candidate: Sequence[float], baseline: Sequence[float]) -> tuple[float, ...] | None:
    candidate_total, baseline_total = sum(candidate), sum(baseline)
    if not candidate_total or not baseline_total:
        return None
    return tuple(b / candidate_total - a / baseline_total for a, b in zip(baseline, candidate, strict=True))
