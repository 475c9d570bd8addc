"""Alignments of the words of a reference with those of an answer, as pairs of positions.

`align` is the alignment of the word error rate, in which every error costs 1. `align_weighted` is that of the public
scorer of biasing lists: an insertion or a deletion costs 3, a substitution 4. Of equal costs it prefers, from the end
of both texts, to align two words, then an insertion, then a deletion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

INSERTION_COST = DELETION_COST = 3
SUBSTITUTION_COST = 4
MAX_CELLS = 16_000_000
"""Largest table of a weighted alignment. Longer texts are cut, where possible between many equal words in a row."""
MIN_ANCHOR = 20
"""Equal words in a row in whose middle long texts are cut."""
Steps: TypeAlias = "NDArray[np.int8]"
_ALIGNED, _INSERTED, _DELETED = range(3)


class Pair(NamedTuple):
    """Positions of two aligned words; one is None for a word that was deleted or inserted."""

    reference: int | None
    hypothesis: int | None


class Counts(NamedTuple):
    """Errors of an alignment, and the words of the reference."""

    substitutions: int = 0
    deletions: int = 0
    insertions: int = 0
    length: int = 0


def align(reference: Sequence[str], hypothesis: Sequence[str]) -> list[Pair]:
    """Return an alignment with the fewest errors.

    >>> align(["a", "b"], ["b"])
    [Pair(reference=0, hypothesis=None), Pair(reference=1, hypothesis=0)]
    """
    pairs: list[Pair] = []
    for code in Levenshtein.opcodes(reference, hypothesis):
        references, hypotheses = range(code.src_start, code.src_end), range(code.dest_start, code.dest_end)
        if code.tag in ("equal", "replace"):  # both sides have the same length
            pairs += map(Pair, references, hypotheses)
        else:
            pairs += (Pair(position, None) for position in references)
            pairs += (Pair(None, position) for position in hypotheses)
    return pairs


def align_weighted(reference: Sequence[str], hypothesis: Sequence[str]) -> list[Pair]:
    """Return the alignment of the public scorer of biasing lists.

    >>> align_weighted(["a"], ["a", "a"])
    [Pair(reference=None, hypothesis=0), Pair(reference=0, hypothesis=1)]
    """
    if len(reference) * len(hypothesis) <= MAX_CELLS:
        return _align_part(reference, hypothesis)
    pairs: list[Pair] = []
    for rows, columns in _cut_at_anchors(reference, hypothesis):
        part = _align_part(reference[rows.start : rows.stop], hypothesis[columns.start : columns.stop])
        pairs += (
            Pair(
                None if pair.reference is None else pair.reference + rows.start,
                None if pair.hypothesis is None else pair.hypothesis + columns.start,
            )
            for pair in part
        )
    return pairs


def _align_part(reference: Sequence[str], hypothesis: Sequence[str]) -> list[Pair]:
    # Equal words at the end are aligned in any case: no alignment is cheaper, and aligning is preferred.
    equal = 0
    shorter = min(len(reference), len(hypothesis))
    while equal < shorter and reference[-1 - equal] == hypothesis[-1 - equal]:
        equal += 1
    rows, columns = len(reference) - equal, len(hypothesis) - equal
    pairs = list(_trace_back(_fill_table(reference[:rows], hypothesis[:columns]), rows, columns))[::-1]
    return [*pairs, *(Pair(rows + index, columns + index) for index in range(equal))]


def _fill_table(reference: Sequence[str], hypothesis: Sequence[str]) -> Steps:
    """Return the last step of the cheapest alignment of every two beginnings."""
    codes = {word: code for code, word in enumerate({*reference, *hypothesis})}
    words = np.array([codes[word] for word in hypothesis], dtype=np.int64)
    inserted = np.arange(len(words) + 1, dtype=np.int64) * INSERTION_COST
    steps = np.full((len(reference) + 1, len(words) + 1), _INSERTED, dtype=np.int8)
    costs = inserted
    for row, word in enumerate(reference, start=1):
        aligned = costs[:-1] + np.where(words == codes[word], 0, SUBSTITUTION_COST)
        deleted = costs + DELETION_COST
        best = deleted.copy()
        best[1:] = np.minimum(best[1:], aligned)
        costs = np.minimum.accumulate(best - inserted) + inserted
        steps[row] = _DELETED
        steps[row, 1:][costs[:-1] + INSERTION_COST == costs[1:]] = _INSERTED
        steps[row, 1:][aligned == costs[1:]] = _ALIGNED
    return steps


def _trace_back(steps: Steps, row: int, column: int) -> Iterator[Pair]:
    while row or column:
        step = steps[row, column]
        row -= int(step != _INSERTED)
        column -= int(step != _DELETED)
        yield Pair(row if step != _INSERTED else None, column if step != _DELETED else None)


def _cut_at_anchors(reference: Sequence[str], hypothesis: Sequence[str]) -> Iterator[tuple[range, range]]:
    """Cut two long texts in the middle of runs of equal words of an alignment with the fewest errors.

    Parts without such a run are cut where their table would become too large.
    """
    anchors = {
        block.src_start + size // 2
        for block in Levenshtein.opcodes(reference, hypothesis)
        if block.tag == "equal" and (size := block.src_end - block.src_start) >= MIN_ANCHOR
    }
    row = column = next_row = next_column = 0
    for pair in align(reference, hypothesis):
        is_full = (next_row - row + 1) * (next_column - column + 1) > MAX_CELLS
        if is_full or (pair.hypothesis is not None and pair.reference in anchors):
            yield range(row, next_row), range(column, next_column)
            row, column = next_row, next_column
        next_row += pair.reference is not None
        next_column += pair.hypothesis is not None
    yield range(row, len(reference)), range(column, len(hypothesis))


def count_pairs(reference: Sequence[str], hypothesis: Sequence[str], pairs: Sequence[Pair]) -> Counts:
    """Count the errors of an alignment.

    >>> count_pairs(["a", "b"], ["b"], align(["a", "b"], ["b"]))
    Counts(substitutions=0, deletions=1, insertions=0, length=2)
    """
    deletions = sum(pair.hypothesis is None for pair in pairs)
    insertions = sum(pair.reference is None for pair in pairs)
    substitutions = sum(
        pair.reference is not None
        and pair.hypothesis is not None
        and reference[pair.reference] != hypothesis[pair.hypothesis]
        for pair in pairs
    )
    return Counts(substitutions, deletions, insertions, len(reference))
