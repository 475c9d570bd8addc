"""Nearness by shared words: BM25 over the texts of samples."""

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
"""Han, kana and Hangul, of which every character is a word."""
TOKEN_PATTERN = re.compile(rf"[{CJK_CHARACTERS}]|[^\W{CJK_CHARACTERS}]+")
BM25_K1, BM25_B = 1.5, 0.75
"""The constants k1 and b: how soon another mention adds nothing, and how much length counts."""


def sample_text(sample: Sample, field: str = "") -> str:
    """A sample's texts, or those of one input, a line each."""
    values = sample.inputs.values() if not field else [sample.inputs.get(field, "")]
    return "\n".join(part for value in values for part in list_parts(value) if isinstance(part, str))


def tokenise(text: str) -> list[str]:
    """The words of a text, whatever their case and width; of Chinese, its characters."""
    return TOKEN_PATTERN.findall(unicodedata.normalize("NFKC", text).casefold())


class Bm25Similarity:
    """How near texts are by the words they share: rare ones count more, long texts less."""

    def __init__(self, field: str = "") -> None:
        self._field = field

    def fit(self, pool: Sequence[Sample]) -> None:
        self._check_field(pool)
        self._term_counts = [Counter(tokenise(sample_text(sample, self._field))) for sample in pool]
        lengths = np.array([each.total() for each in self._term_counts], dtype=np.float64)
        weight = BM25_K1 * (1 - BM25_B + BM25_B * lengths / max(lengths.mean(), 1.0))
        held: dict[str, tuple[list[int], list[int]]] = {}
        for place, counts in enumerate(self._term_counts):
            for word, count in counts.items():
                places, found = held.setdefault(word, ([], []))
                places.append(place)
                found.append(count)
        self._postings = {word: _term_scores(*each, weight) for word, each in held.items()}

    def score_sample(self, sample: Sample) -> Numbers:
        """BM25 of every row of the pool for this sample's words."""
        return self._scores(Counter(tokenise(sample_text(sample, self._field))))

    def score_row(self, index: int) -> Numbers:
        """How much of a row's own score every row reaches for its words, 1 at most."""
        found = self._scores(self._term_counts[index])
        return np.minimum(found / (found[index] or 1.0), 1.0)

    def _scores(self, query_counts: Counter[str]) -> Numbers:
        scores = np.zeros(len(self._term_counts))
        for word, count in query_counts.items():
            if word in self._postings:
                places, worth = self._postings[word]
                scores[places] += count * worth
        return scores

    def _check_field(self, pool: Sequence[Sample]) -> None:
        if self._field and not any(self._field in sample.inputs for sample in pool):
            held = sorted({name for sample in pool for name in sample.inputs})
            raise SpecError(
                f"No row of the pool has the input {self._field!r}; there is {', '.join(held)}.",
                location=("shots", "field"),
            )


def _term_scores(indices: list[int], counts: list[int], weight: Numbers) -> tuple[NDArray[np.intp], Numbers]:
    """What a word adds to the score of each row that has it."""
    found, times = np.array(indices, dtype=np.intp), np.array(counts, dtype=np.float64)
    rarity = np.log1p((len(weight) - len(found) + 0.5) / (len(found) + 0.5))
    return found, rarity * times * (BM25_K1 + 1) / (times + weight[found])


def rank_by_score(scores: NDArray[np.floating]) -> list[int]:
    """Places by falling score; equals stand in the pool's order."""
    ranked: list[int] = np.argsort(-scores, kind="stable").tolist()
    return ranked


class Bm25Retriever(Bm25Similarity):
    """The rows that share most words with the sample: all its texts, or one input."""

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return rank_by_score(self.score_sample(sample))
