"""The difference between two confusion matrices: the candidate's row shares minus the baseline's.

Each row is normalised before the subtraction, so every row of the difference sums to zero. The row of a class without
samples on one side is undefined and left out of means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from auricle.metrics.intervals import newcombe_interval
from auricle.metrics.label_alignment import align_labels, display_label, display_labels

LabelMatcher: TypeAlias = Callable[[Sequence[str], Sequence[str]], Iterable[tuple[int, int]]]
"""Return pairs of indices of the names in two lists that mean the same; each name at most once."""
Counts: TypeAlias = Sequence[Sequence[float]]

TOLERANCE = 1e-9
UNREADABLE = "(unreadable)"
MAX_INCREASES = 10


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """Counts of predicted classes (columns) for each true class (rows)."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[float, ...], ...]

    @classmethod
    def from_details(cls, details: Mapping[str, Any]) -> ConfusionMatrix:
        """Build the matrix in the details of a number; unreadable answers are an extra column."""
        unreadable = details.get("unreadable") or []
        if not any(unreadable):
            return cls(tuple(details["rows"]), tuple(details["columns"]), tuple(map(tuple, details["counts"])))
        counts = tuple((*row, count) for row, count in zip(details["counts"], unreadable, strict=True))
        return cls(tuple(details["rows"]), (*details["columns"], UNREADABLE), counts)

    def __post_init__(self) -> None:
        if len(self.counts) != len(self.rows) or any(len(row) != len(self.columns) for row in self.counts):
            raise ValueError(
                f"Expected counts of {len(self.rows)} rows and {len(self.columns)} columns, not "
                f"{len(self.counts)} rows of lengths {sorted(map(len, self.counts))}."
            )


class MergedLabel(NamedTuple):
    """A label of either side, with its indices."""

    name: str
    in_baseline: int | None
    in_candidate: int | None
    spelled_by_candidate: str = ""

    @property
    def only_side(self) -> str:
        """The only side that has the label, or an empty string."""
        if self.in_baseline is None:
            return "candidate"
        return "baseline" if self.in_candidate is None else ""


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

    @property
    def spellings(self) -> tuple[str | None, str | None]:
        """The label as the baseline and as the candidate spell it; None on a side that lacks it."""
        baseline = None if self.only_in == "candidate" else self.label
        candidate = None if self.only_in == "baseline" else self.spelled_by_candidate or self.label
        return baseline, candidate


@dataclass(frozen=True, slots=True)
class RecallChange:
    """The recall of one class on both sides, a cell of the diagonal, with an interval for independent samples."""

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
class MatrixDifference:
    """The candidate's matrix minus the baseline's, over the labels of both."""

    rows: tuple[AxisLabel, ...]
    columns: tuple[AxisLabel, ...]
    cells: tuple[tuple[float, ...] | None, ...]
    """Rows of differences of shares; None if either side has no sample of that class."""
    diagonal: tuple[RecallChange, ...]
    """Cells of the rows that are defined and have a matching column."""
    n_baseline: tuple[float, ...] = ()
    n_candidate: tuple[float, ...] = ()
    mean_absolute_diagonal: float | None = None
    """The mean absolute change of recall over the defined classes."""
    rises: tuple[ConfusionIncrease, ...] = ()
    """The confusions with the largest increases."""


def match_by_meaning(left: Sequence[str], right: Sequence[str], synonyms: bool = True) -> list[tuple[int, int]]:
    matches = align_labels(left, right, synonyms).matches
    return [(left.index(match.truth), right.index(match.prediction)) for match in matches]


def subtract_matrices(
    baseline: ConfusionMatrix, candidate: ConfusionMatrix, match: LabelMatcher = match_by_meaning
) -> MatrixDifference:
    """Subtract the baseline's row shares from the candidate's, over the union of the labels.

    A column that one side lacks counts as 0 there.
    """
    merged_rows = _merge_axes(baseline.rows, candidate.rows, match)
    merged_columns = _merge_axes(baseline.columns, candidate.columns, match)
    rows, columns = _label_axis(merged_rows), _label_axis(merged_columns)
    left = [_aligned_counts(baseline, row.in_baseline, [c.in_baseline for c in merged_columns]) for row in merged_rows]
    right = [
        _aligned_counts(candidate, row.in_candidate, [c.in_candidate for c in merged_columns]) for row in merged_rows
    ]
    cells = tuple(_row_difference(b, a) for a, b in zip(left, right, strict=True))
    assert all(abs(sum(row)) < TOLERANCE for row in cells if row is not None)
    hits = match([label.label for label in rows], [label.label for label in columns])
    diagonal = tuple(_compare_recalls(rows, left, right, *hit) for hit in hits if cells[hit[0]] is not None)
    increases = sorted(_find_increases(rows, columns, cells, diagonal), key=lambda rise: -rise.difference)
    return MatrixDifference(
        rows=rows,
        columns=columns,
        cells=cells,
        diagonal=diagonal,
        n_baseline=tuple(map(sum, left)),
        n_candidate=tuple(map(sum, right)),
        mean_absolute_diagonal=sum(abs(hit.difference) for hit in diagonal) / len(diagonal) if diagonal else None,
        rises=tuple(increases[:MAX_INCREASES]),
    )


def _merge_axes(baseline: Sequence[str], candidate: Sequence[str], match: LabelMatcher) -> list[MergedLabel]:
    """Return shared labels in the baseline's order, then those only the baseline has, then the candidate's."""
    pairs = sorted(match(baseline, candidate))
    shared = [MergedLabel(baseline[a], a, b, candidate[b] if candidate[b] != baseline[a] else "") for a, b in pairs]
    in_a, in_b = {a for a, _ in pairs}, {b for _, b in pairs}
    only_a = [MergedLabel(name, index, None) for index, name in enumerate(baseline) if index not in in_a]
    only_b = [MergedLabel(name, None, index) for index, name in enumerate(candidate) if index not in in_b]
    return [*shared, *only_a, *only_b]


def _label_axis(merged: Sequence[MergedLabel]) -> tuple[AxisLabel, ...]:
    shown = display_labels([label.name for label in merged])
    return tuple(
        AxisLabel(label.name, name, label.spelled_by_candidate, label.only_side)
        for label, name in zip(merged, shown, strict=True)
    )


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


def _compare_recalls(rows: Sequence[AxisLabel], left: Counts, right: Counts, row: int, column: int) -> RecallChange:
    hits_a, n_a, hits_b, n_b = left[row][column], sum(left[row]), right[row][column], sum(right[row])
    low, high = newcombe_interval(hits_a, int(n_a), hits_b, int(n_b))
    return RecallChange(
        label=display_label(rows[row].label),
        row=row,
        column=column,
        recall_baseline=hits_a / n_a,
        recall_candidate=hits_b / n_b,
        difference=hits_b / n_b - hits_a / n_a,
        low=low,
        high=high,
    )


def _find_increases(
    rows: Sequence[AxisLabel],
    columns: Sequence[AxisLabel],
    cells: Sequence[Sequence[float] | None],
    diagonal: Sequence[RecallChange],
) -> Iterator[ConfusionIncrease]:
    hits = {(change.row, change.column) for change in diagonal}
    for row, row_cells in enumerate(cells):
        for column, cell in enumerate(row_cells or ()):
            if cell > TOLERANCE and (row, column) not in hits:
                yield ConfusionIncrease(display_label(rows[row].label), display_label(columns[column].label), cell)
