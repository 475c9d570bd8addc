"""Edit errors between two sequences, plainly or with compounds that may be written apart.

`white paper` against `whitepaper` is two errors plainly and none joined, as the Open ASR
Leaderboard counts: words of one side that together spell one word of the other match for nothing.
The reference keeps the length it was written with.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

# One number carries total, deletions and insertions, so that a row of the table is one array and
# the cheapest way is the smallest number.
_INSERTION = (1 << 42) + 1
_DELETION = (1 << 42) + (1 << 21)
_SUBSTITUTION = 1 << 42
_COUNT_MASK = (1 << 21) - 1


class JoinedWords(NamedTuple):
    """Words from `start` to `end` that together spell a word of the other side."""

    start: int
    end: int
    text: str


def count_errors(reference: Sequence[str], hypothesis: Sequence[str]) -> tuple[int, int, int]:
    """Substitutions, deletions and insertions of a cheapest alignment."""
    if reference == hypothesis:
        return 0, 0, 0
    tags = [tag for tag, _, _ in Levenshtein.editops(reference, hypothesis).as_list()]
    return tags.count("replace"), tags.count("delete"), tags.count("insert")


def count_errors_with_joins(reference: Sequence[str], hypothesis: Sequence[str]) -> tuple[int, int, int]:
    """Substitutions, deletions and insertions when runs may be joined on either side."""
    apart = list(_find_joins(reference, set(hypothesis)))
    split = list(_find_joins(hypothesis, set(reference)))
    if not apart and not split:
        return count_errors(reference, hypothesis)
    cheapest = _minimum_cost(reference, hypothesis, apart, split)
    deletions, insertions = cheapest >> 21 & _COUNT_MASK, cheapest & _COUNT_MASK
    return (cheapest >> 42) - deletions - insertions, deletions, insertions


def _find_joins(words: Sequence[str], vocabulary: set[str]) -> Iterator[JoinedWords]:
    longest = max(map(len, vocabulary), default=0)
    for end in range(2, len(words) + 1):
        together = words[end - 1]
        for start in range(end - 2, -1, -1):
            together = words[start] + together
            if len(together) > longest:
                break
            if together in vocabulary:
                yield JoinedWords(start, end, together)


def _minimum_cost(
    reference: Sequence[str],
    hypothesis: Sequence[str],
    reference_joins: list[JoinedWords],
    hypothesis_joins: list[JoinedWords],
) -> int:
    """Fill the table row by row; only as many rows stay as the longest run looks back."""
    import numpy as np

    codes = {word: code for code, word in enumerate({*reference, *hypothesis})}
    said = np.array([codes[word] for word in hypothesis], dtype=np.int64)
    inserted = np.arange(len(hypothesis) + 1, dtype=np.int64) * _INSERTION
    rows = deque([inserted], maxlen=max((run.end - run.start for run in reference_joins), default=1))
    for row, word in enumerate(reference, start=1):
        above = rows[-1]
        best = above + _DELETION
        changed = np.where(said == codes[word], 0, _SUBSTITUTION)
        best[1:] = np.minimum(best[1:], above[:-1] + changed)
        for run in (run for run in reference_joins if run.end == row):
            at = np.flatnonzero(said == codes[run.text])
            best[at + 1] = np.minimum(best[at + 1], rows[run.start - row][at])
        for run in (run for run in hypothesis_joins if run.text == word):
            best[run.end] = min(best[run.end], above[run.start])
        rows.append(np.minimum.accumulate(best - inserted) + inserted)
    return int(rows[-1][-1])
