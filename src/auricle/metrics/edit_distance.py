"""Count edit errors between two token sequences, optionally allowing compounds to be split.

`white paper` against `whitepaper` is normally two errors. With joins, as on the Open ASR Leaderboard, it is none:
words of one side that together spell one word of the other match at no cost. The reference length does not change.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

# One integer packs the total, the deletions and the insertions: a table row is then one array, and the minimum
# of the integers is the cheapest alignment.
_INSERTION = (1 << 42) + 1
_DELETION = (1 << 42) + (1 << 21)
_SUBSTITUTION = 1 << 42
_COUNT_MASK = (1 << 21) - 1


class JoinedWords(NamedTuple):
    """Words from `start` to `end` that together spell one word of the other side."""

    start: int
    end: int
    text: str


def count_errors(reference: Sequence[str], hypothesis: Sequence[str]) -> tuple[int, int, int]:
    """Return the substitutions, deletions and insertions of a minimum-cost alignment."""
    if reference == hypothesis:
        return 0, 0, 0
    tags = [tag for tag, _, _ in Levenshtein.editops(reference, hypothesis).as_list()]
    return tags.count("replace"), tags.count("delete"), tags.count("insert")


def count_errors_with_joins(reference: Sequence[str], hypothesis: Sequence[str]) -> tuple[int, int, int]:
    """Return the same counts when neighbouring words may be joined on either side."""
    reference_joins = list(_find_joins(reference, set(hypothesis)))
    hypothesis_joins = list(_find_joins(hypothesis, set(reference)))
    if not reference_joins and not hypothesis_joins:
        return count_errors(reference, hypothesis)
    cheapest = _minimum_cost(reference, hypothesis, reference_joins, hypothesis_joins)
    deletions, insertions = cheapest >> 21 & _COUNT_MASK, cheapest & _COUNT_MASK
    return (cheapest >> 42) - deletions - insertions, deletions, insertions


def _find_joins(words: Sequence[str], vocabulary: set[str]) -> Iterator[JoinedWords]:
    longest = max(map(len, vocabulary), default=0)
    for end in range(2, len(words) + 1):
        joined = words[end - 1]
        for start in range(end - 2, -1, -1):
            joined = words[start] + joined
            if len(joined) > longest:
                break
            if joined in vocabulary:
                yield JoinedWords(start, end, joined)


def _minimum_cost(
    reference: Sequence[str],
    hypothesis: Sequence[str],
    reference_joins: list[JoinedWords],
    hypothesis_joins: list[JoinedWords],
) -> int:
    """Fill the alignment table row by row, keeping only the rows that the longest join refers to."""
    import numpy as np

    codes = {word: code for code, word in enumerate({*reference, *hypothesis})}
    hypothesis_codes = np.array([codes[word] for word in hypothesis], dtype=np.int64)
    inserted = np.arange(len(hypothesis) + 1, dtype=np.int64) * _INSERTION
    rows = deque([inserted], maxlen=max((join.end - join.start for join in reference_joins), default=1))
    for row, word in enumerate(reference, start=1):
        above = rows[-1]
        best = above + _DELETION
        substitution = np.where(hypothesis_codes == codes[word], 0, _SUBSTITUTION)
        best[1:] = np.minimum(best[1:], above[:-1] + substitution)
        for join in (join for join in reference_joins if join.end == row):
            positions = np.flatnonzero(hypothesis_codes == codes[join.text])
            best[positions + 1] = np.minimum(best[positions + 1], rows[join.start - row][positions])
        for join in (join for join in hypothesis_joins if join.text == word):
            best[join.end] = min(best[join.end], above[join.start])
        rows.append(np.minimum.accumulate(best - inserted) + inserted)
    return int(rows[-1][-1])
