"""ROUGE scores of a summary and its reference, each a function of tokens or sentences.

ROUGE has no single definition. The functions here are the F-measures of Google's rouge-score.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rapidfuzz.distance import LCSseq

_TOKEN = re.compile(r"[a-z0-9]+")

Sentences = Sequence[Sequence[str]]


def split_rouge_tokens(text: str) -> list[str]:
    """Split a text as rouge-score does: lower case, Latin letters and digits only.

    >>> split_rouge_tokens("Don't stop: 3.5 km!")
    ['don', 't', 'stop', '3', '5', 'km']
    """
    return _TOKEN.findall(text.lower())


def score_ngrams(reference: Sequence[str], summary: Sequence[str], size: int) -> float:
    """Compute the F-measure of ROUGE-N, where repeated n-grams count as often as they occur."""
    reference_counts, summary_counts = Counter(_ngrams(reference, size)), Counter(_ngrams(summary, size))
    common = (reference_counts & summary_counts).total()
    return _f_measure(common, (reference_counts.total(), summary_counts.total()))


def score_sequence(reference: Sequence[str], summary: Sequence[str]) -> float:
    """Compute the F-measure of ROUGE-L over the whole text."""
    return _f_measure(LCSseq.similarity(reference, summary), (len(reference), len(summary)))


def score_summary(reference: Sentences, summary: Sentences) -> float:
    """Compute the F-measure of summary-level ROUGE-L, in which no token is counted twice."""
    common: Counter[str] = Counter()
    for sentence in reference:
        positions = {position for other in summary for position in _common_positions(sentence, other)}
        common.update(sentence[position] for position in positions)
    summary_counts = Counter(token for sentence in summary for token in sentence)
    return _f_measure((common & summary_counts).total(), (sum(map(len, reference)), summary_counts.total()))


def _ngrams(tokens: Sequence[str], size: int) -> list[tuple[str, ...]]:
    return [tuple(tokens[start : start + size]) for start in range(len(tokens) - size + 1)]


def _f_measure(common: int, lengths: tuple[int, int]) -> float:
    """Compute the F-measure of what a reference and a summary of these lengths have in common."""
    recall, precision = (common / max(1, length) for length in lengths)
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def _common_positions(reference: Sequence[str], other: Sequence[str]) -> list[int]:
    """Return the positions in the reference of one longest common subsequence.

    There may be several. Going back from the end, a tie is broken by leaving out a token of the reference.
    """
    rows = [[0] * (len(other) + 1)]
    for token in reference:
        above, row = rows[-1], [0]
        for column, candidate in enumerate(other):
            row.append(above[column] + 1 if token == candidate else max(above[column + 1], row[-1]))
        rows.append(row)
    i, j, positions = len(reference), len(other), []
    while i and j:
        if reference[i - 1] == other[j - 1]:
            i, j = i - 1, j - 1
            positions.append(i)
            continue
        skip_reference, skip_other = rows[i - 1][j], rows[i][j - 1]
        if skip_reference >= skip_other:
            i -= 1
        else:
            j -= 1
    return positions[::-1]
