"""Retrieval by common words: BM25 over the texts of samples."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from auricle.core.errors import SpecError
from auricle.core.types import Sample, list_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

CJK_CHARACTERS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
"""Han, kana and Hangul; every character counts as a word."""
TOKEN_PATTERN = re.compile(rf"[{CJK_CHARACTERS}]|[^\W{CJK_CHARACTERS}]+")
BM25_K1, BM25_B = 1.5, 0.75  # the constants k1 (saturation of term frequency) and b (weight of document length)


def sample_text(sample: Sample, field: str = "") -> str:
    """Return the texts of a sample, or of one input, one per line."""
    values = sample.inputs.values() if not field else [sample.inputs.get(field, "")]
    return "\n".join(part for value in values for part in list_parts(value) if isinstance(part, str))


def tokenise(text: str) -> list[str]:
    """Split a text into words, ignoring case and character width; Chinese is split into characters."""
    return TOKEN_PATTERN.findall(unicodedata.normalize("NFKC", text).casefold())


class Bm25Similarity:
    """Similarity by common words; rare words count more, long texts less."""

    def __init__(self, field: str = "") -> None:
        self._field = field

    def fit(self, pool: Sequence[Sample]) -> None:
        self._check_field(pool)
        self._term_counts = [Counter(tokenise(sample_text(sample, self._field))) for sample in pool]
        lengths = np.array([counter.total() for counter in self._term_counts], dtype=np.float64)
        weight = BM25_K1 * (1 - BM25_B + BM25_B * lengths / max(lengths.mean(), 1.0))
        postings: dict[str, tuple[list[int], list[int]]] = {}
        for index, counts in enumerate(self._term_counts):
            for word, count in counts.items():
                indices, term_counts = postings.setdefault(word, ([], []))
                indices.append(index)
                term_counts.append(count)
        self._postings = {word: _term_scores(*counter, weight) for word, counter in postings.items()}

    def score_sample(self, sample: Sample) -> Numbers:
        """Return the BM25 score of every row of the pool for this sample."""
        return self._scores(Counter(tokenise(sample_text(sample, self._field))))

    def score_row(self, index: int) -> Numbers:
        """Return the score of every row for the words of one row, relative to that row's own score, at most 1."""
        scores = self._scores(self._term_counts[index])
        return np.minimum(scores / (scores[index] or 1.0), 1.0)

    def _scores(self, query_counts: Counter[str]) -> Numbers:
        scores = np.zeros(len(self._term_counts))
        for word, count in query_counts.items():
            if word in self._postings:
                indices, term_scores = self._postings[word]
                scores[indices] += count * term_scores
        return scores

    def _check_field(self, pool: Sequence[Sample]) -> None:
        if self._field and not any(self._field in sample.inputs for sample in pool):
            input_names = sorted({name for sample in pool for name in sample.inputs})
            raise SpecError(
                f"No row of the example pool has the input {self._field!r}. Inputs: {', '.join(input_names)}.",
                location=("shots", "field"),
            )


def _term_scores(indices: list[int], counts: list[int], weight: Numbers) -> tuple[NDArray[np.intp], Numbers]:
    """Return the rows that contain a word, and how much it adds to their scores."""
    rows, frequencies = np.array(indices, dtype=np.intp), np.array(counts, dtype=np.float64)
    rarity = np.log1p((len(weight) - len(rows) + 0.5) / (len(rows) + 0.5))
    return rows, rarity * frequencies * (BM25_K1 + 1) / (frequencies + weight[rows])


def rank_by_score(scores: NDArray[np.floating]) -> list[int]:
    """Return indices by descending score; ties keep the order of the pool."""
    ranked: list[int] = np.argsort(-scores, kind="stable").tolist()
    return ranked


class Bm25Retriever(Bm25Similarity):
    """A retriever that returns the rows with the most words in common with the sample."""

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return rank_by_score(self.score_sample(sample))
