"""How to read the difference of two confusion matrices: what B recognises less or more often than the baseline.

Work on emotional speech subtracts the matrix of human recordings from that of generated ones, with one model for both:
a drop on the diagonal is an emotion that the synthesiser loses, a rise elsewhere is what it is taken for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auricle.metrics.matrix_difference import ConfusionIncrease, MatrixDifference, RecallChange
from auricle.report.difference_format import format_difference, format_difference_interval, typeset
from auricle.report.text_format import format_number

if TYPE_CHECKING:
    from auricle.scoring.compare import Comparison

MAX_CONFUSIONS = 3


@dataclass(frozen=True, slots=True)
class MatrixReading:
    """Labels by how their recall changed from the baseline to B, the largest change first."""

    lost: tuple[RecallChange, ...]
    """The interval is below zero."""
    gained: tuple[RecallChange, ...]
    """The interval is above zero."""
    unclear: tuple[RecallChange, ...]
    """The interval includes zero: B matches the baseline, or there are too few samples to see a change."""
    confusions: tuple[ConfusionIncrease, ...]
    """What B confuses more often, the largest rise first."""
    absent: tuple[str, ...]
    """Labels without samples in one of the runs."""

    @classmethod
    def from_matrix(cls, matrix: MatrixDifference) -> MatrixReading:
        changes = sorted(matrix.diagonal, key=lambda change: -abs(change.difference))
        return cls(
            lost=tuple(change for change in changes if change.high < 0),
            gained=tuple(change for change in changes if change.low > 0),
            unclear=tuple(change for change in changes if change.low <= 0 <= change.high),
            confusions=matrix.rises[:MAX_CONFUSIONS],
            absent=tuple(label.shown for label, row in zip(matrix.rows, matrix.cells, strict=True) if row is None),
        )


def describe_reading(comparison: Comparison) -> list[str]:
    """Describe what the difference of the confusion matrices shows, in sentences; empty if there is none."""
    if comparison.matrix is None:
        return []
    return [
        *_describe_coverage(comparison, comparison.matrix),
        *_describe_subject(comparison),
        *_describe_changes(comparison, comparison.matrix),
    ]


def describe_cells(comparison: Comparison) -> str:
    """Describe what the cells of the difference mean."""
    a, b = (side.name or letter for letter, side in (("A", comparison.a), ("B", comparison.b)))
    return (
        f"Diagonal near 0: {b} matches {a}. Diagonal below 0 (orange): the label is recognised less often in {b}. "
        f"Elsewhere above 0 (blue): a confusion that {b} adds. Rows sum to 0."
    )


def _describe_coverage(comparison: Comparison, matrix: MatrixDifference) -> Iterator[str]:
    """Describe which samples the matrices cover, if not all of them are paired."""
    if comparison.is_paired and comparison.pairs.coverage < 1:
        a, b = (f"{sum(counts):,.0f}" for counts in (matrix.n_baseline, matrix.n_candidate))
        yield (
            f"The matrices cover all scored samples of each run ({a} in A, {b} in B), not only the "
            f"{comparison.pairs.count:,} pairs that the differences of the metrics are computed from."
        )


def _describe_subject(comparison: Comparison) -> Iterator[str]:
    """Describe what the difference is due to: the models, the recordings, or both."""
    names = [side.name for side in (comparison.a, comparison.b)]
    if comparison.pairing == "content":
        return
    if not comparison.is_same_model:
        yield "Both the models and the samples differ: the difference is not that of either alone."
        return
    yield "Both sides have the same model: the difference is one between the samples."
    if all(names):
        yield f"Labels recognised less often are what {names[1]} loses against {names[0]}, the baseline."
    else:
        yield (
            "If A is human speech and B generated speech, labels recognised less often are what the generated speech "
            "loses, and more frequent confusions are what it is taken for."
        )


def _describe_changes(comparison: Comparison, matrix: MatrixDifference) -> Iterator[str]:
    reading = MatrixReading.from_matrix(matrix)
    b = comparison.b.name or "B"
    if matrix.diagonal:
        yield _describe_mean(matrix.diagonal, comparison)
    for heading, changes in (
        (f"Recognised less often in {b}", reading.lost),
        (f"Recognised more often in {b}", reading.gained),
        ("No clear change (the interval includes zero)", reading.unclear),
    ):
        if changes:
            yield f"{heading}: {', '.join(map(_format_change, changes))}."
    if reading.confusions:
        rises = (
            f"{rise.true} as {rise.predicted} ({typeset(format_difference(rise.difference, 'share'))})"
            for rise in reading.confusions
        )
        yield f"Confused more often in {b}: {', '.join(rises)}."
    if reading.absent:
        yield f"Without samples on one side, and left out: {', '.join(reading.absent)}."
    if cluster := next((row.cluster for row in comparison.overall if row.cluster), ""):
        yield f"The intervals of single labels treat samples, not values of {cluster}, as independent."


def _describe_mean(diagonal: Sequence[RecallChange], comparison: Comparison) -> str:
    """Describe the change of the mean recall over the labels of both sides."""
    a, b = (
        sum(getattr(change, name) for change in diagonal) / len(diagonal)
        for name in ("recall_baseline", "recall_candidate")
    )
    names = [side.name or letter for letter, side in (("A", comparison.a), ("B", comparison.b))]
    return (
        f"Mean recall of the {len(diagonal)} labels of both: {format_number(a, 'share')} in {names[0]}, "
        f"{format_number(b, 'share')} in {names[1]} ({typeset(format_difference(b - a, 'share'))})."
    )


def _format_change(change: RecallChange) -> str:
    size = typeset(format_difference(change.difference, "share").removesuffix(" pp"))
    return f"{change.label} {size} ({format_difference_interval(change, 'share')})"
