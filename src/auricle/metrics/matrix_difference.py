"""What changed between two confusion matrices: the candidate's row shares less the baseline's.

A row is what became of one true class, so it is normalised before it is subtracted, and what
left one cell has entered others: every row of the difference sums to zero. A class that one side
never met has no row to subtract; such a row stays undefined and is part of no mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from auricle.metrics.label_alignment import align_labels

LabelMatcher: TypeAlias = Callable[[Sequence[str], Sequence[str]], Iterable[tuple[int, int]]]
"""Which names of two lists mean the same, as pairs of places; each name at most once."""

TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """True classes down, what was said of them across, how often each."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[float, ...], ...]

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> ConfusionMatrix:
        """From `{"rows": [...], "columns": [...], "counts": [[...], ...]}`."""
        counts = tuple(tuple(row) for row in document["counts"])
        return cls(tuple(document["rows"]), tuple(document["columns"]), counts)

    def __post_init__(self) -> None:
        wide = {len(row) for row in self.counts} - {len(self.columns)}
        if len(self.counts) != len(self.rows) or wide:
            raise ValueError(
                f"a matrix of {len(self.rows)} rows and {len(self.columns)} columns needs as many "
                f"counts, not {len(self.counts)} rows of {sorted(map(len, self.counts))}"
            )


@dataclass(frozen=True, slots=True)
class AxisLabel:
    """A name on an axis of the difference, and where each side has it."""

    name: str
    """As the baseline spells it, where it knows it."""
    baseline_index: int | None
    candidate_index: int | None
    candidate_spelling: str = ""
    """As the candidate spells it, where that differs."""

    @property
    def only_side(self) -> str:
        """Which side alone knows it, if one does."""
        if self.baseline_index is None:
            return "candidate"
        return "baseline" if self.candidate_index is None else ""


@dataclass(frozen=True, slots=True)
class RecallChange:
    """How often a class was recognised, on both sides: a cell of the diagonal."""

    row: int
    column: int
    hits_baseline: float
    hits_candidate: float
    delta: float


@dataclass(frozen=True, slots=True)
class MatrixDifference:
    """The candidate's matrix less the baseline's, over the labels of both."""

    rows: tuple[AxisLabel, ...]
    columns: tuple[AxisLabel, ...]
    cells: tuple[tuple[float, ...] | None, ...]
    """A row of differences of shares; None where either side has no sample of that class."""
    n_baseline: tuple[float, ...]
    n_candidate: tuple[float, ...]
    diagonal: tuple[RecallChange, ...]
    """Only of rows that are defined and have a column of their own."""

    @property
    def mean_absolute_diagonal(self) -> float | None:
        """How much recall moved, up or down, on average over the defined classes."""
        moved = [abs(each.delta) for each in self.diagonal]
        return sum(moved) / len(moved) if moved else None

    def largest_increases(self, limit: int = 5) -> list[tuple[str, str, float]]:
        """The confusions that became more frequent, most first: true class, said, by how much."""
        hits = {(each.row, each.column) for each in self.diagonal}
        found = [
            (self.rows[row].name, self.columns[column].name, cell)
            for row, cells in enumerate(self.cells)
            for column, cell in enumerate(cells or ())
            if cell > TOLERANCE and (row, column) not in hits
        ]
        return sorted(found, key=lambda each: -each[2])[:limit]


def match_by_meaning(left: Sequence[str], right: Sequence[str], synonyms: bool = True) -> list[tuple[int, int]]:
    """Names that mean the same, found as a model's labels are matched to a dataset's."""
    pairs = align_labels(left, right, synonyms).matches
    return [(left.index(pair.truth), right.index(pair.prediction)) for pair in pairs]


def subtract_matrices(
    baseline: ConfusionMatrix, candidate: ConfusionMatrix, match: LabelMatcher = match_by_meaning
) -> MatrixDifference:
    """R(candidate) - R(baseline), R being each row's shares, over the union of the axes.

    A column that one side does not have counts as 0 there: that side could not say it.
    """
    rows = merge_axes(baseline.rows, candidate.rows, match)
    columns = merge_axes(baseline.columns, candidate.columns, match)
    left = [_aligned_counts(baseline, each.baseline_index, [c.baseline_index for c in columns]) for each in rows]
    right = [_aligned_counts(candidate, each.candidate_index, [c.candidate_index for c in columns]) for each in rows]
    sizes = [(sum(a), sum(b)) for a, b in zip(left, right, strict=True)]
    cells = tuple(_row_difference(b, a) for a, b in zip(left, right, strict=True))
    assert all(abs(sum(row)) < TOLERANCE for row in cells if row is not None)
    diagonal = tuple(
        RecallChange(row, column, left[row][column], right[row][column], found[column])
        for row, column in _diagonal_positions(rows, columns, match)
        if (found := cells[row]) is not None
    )
    before, after = (tuple(side) for side in zip(*sizes, strict=True)) if sizes else ((), ())
    return MatrixDifference(rows, columns, cells, before, after, diagonal)


def merge_axes(baseline: Sequence[str], candidate: Sequence[str], match: LabelMatcher) -> tuple[AxisLabel, ...]:
    """Shared labels first, in the baseline's order and spelling; then its own; then the rest."""
    pairs = sorted(match(baseline, candidate))
    shared = [AxisLabel(baseline[a], a, b, candidate[b] if candidate[b] != baseline[a] else "") for a, b in pairs]
    in_a, in_b = {a for a, _ in pairs}, {b for _, b in pairs}
    only_a = [AxisLabel(name, at, None) for at, name in enumerate(baseline) if at not in in_a]
    only_b = [AxisLabel(name, None, at) for at, name in enumerate(candidate) if at not in in_b]
    return (*shared, *only_a, *only_b)


def _aligned_counts(matrix: ConfusionMatrix, row: int | None, columns: Sequence[int | None]) -> list[float]:
    """A side's counts in the order of the union; nothing where it has no such row or column."""
    if row is None:
        return [0.0] * len(columns)
    counts = matrix.counts[row]
    return [0.0 if at is None else float(counts[at]) for at in columns]


def _row_difference(candidate: Sequence[float], baseline: Sequence[float]) -> tuple[float, ...] | None:
    new, old = sum(candidate), sum(baseline)
    if not new or not old:
        return None
    return tuple(b / new - a / old for a, b in zip(baseline, candidate, strict=True))


def _diagonal_positions(
    rows: Sequence[AxisLabel], columns: Sequence[AxisLabel], match: LabelMatcher
) -> list[tuple[int, int]]:
    """Each row with the column that means the same class."""
    return list(match([each.name for each in rows], [each.name for each in columns]))
