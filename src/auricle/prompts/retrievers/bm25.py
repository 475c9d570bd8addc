"""Nearness by shared words: BM25 over the texts of samples."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from auricle.core.errors import SpecError
from auricle.core.types import Sample, parts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
"""Han, kana and Hangul, of which every character is a word."""
WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
SATURATION, LENGTH = 1.5, 0.75
"""The constants k1 and b: how soon another mention adds nothing, and how much length counts."""


def text_of(sample: Sample, field: str = "") -> str:
    """A sample's texts, or those of one input, a line each."""
    values = sample.inputs.values() if not field else [sample.inputs.get(field, "")]
    return "\n".join(part for value in values for part in parts_of(value) if isinstance(part, str))


def words(text: str) -> list[str]:
    """The words of a text, whatever their case and width; of Chinese, its characters."""
    return WORD.findall(unicodedata.normalize("NFKC", text).casefold())


class Words:
    """How near texts are by the words they share: rare ones count more, long texts less."""

    def __init__(self, field: str = "") -> None:
        self._field = field

    def fit(self, pool: Sequence[Sample]) -> None:
        self._refuse_unknown(pool)
        self._texts = [Counter(words(text_of(sample, self._field))) for sample in pool]
        lengths = np.array([each.total() for each in self._texts], dtype=np.float64)
        weight = SATURATION * (1 - LENGTH + LENGTH * lengths / max(lengths.mean(), 1.0))
        held: dict[str, tuple[list[int], list[int]]] = {}
        for place, counts in enumerate(self._texts):
            for word, count in counts.items():
                places, found = held.setdefault(word, ([], []))
                places.append(place)
                found.append(count)
        self._held = {word: _worth(*each, weight) for word, each in held.items()}

    def near(self, sample: Sample) -> Numbers:
        """BM25 of every row of the pool for this sample's words."""
        return self._scores(Counter(words(text_of(sample, self._field))))

    def alike(self, place: int) -> Numbers:
        """How much of a row's own score every row reaches for its words, 1 at most."""
        found = self._scores(self._texts[place])
        return np.minimum(found / (found[place] or 1.0), 1.0)

    def _scores(self, asked: Counter[str]) -> Numbers:
        scores = np.zeros(len(self._texts))
        for word, count in asked.items():
            if word in self._held:
                places, worth = self._held[word]
                scores[places] += count * worth
        return scores

    def _refuse_unknown(self, pool: Sequence[Sample]) -> None:
        if self._field and not any(self._field in sample.inputs for sample in pool):
            held = sorted({name for sample in pool for name in sample.inputs})
            raise SpecError(
                f"No row of the pool has the input {self._field!r}; there is {', '.join(held)}.",
                where=("shots", "field"),
            )


def _worth(
    places: list[int], counts: list[int], weight: Numbers
) -> tuple[NDArray[np.intp], Numbers]:
    """What a word adds to the score of each row that has it."""
    found, times = np.array(places, dtype=np.intp), np.array(counts, dtype=np.float64)
    rarity = np.log1p((len(weight) - len(found) + 0.5) / (len(found) + 0.5))
    return found, rarity * times * (SATURATION + 1) / (times + weight[found])


def best_first(scores: NDArray[np.floating]) -> list[int]:
    """Places by falling score; equals stand in the pool's order."""
    ranked: list[int] = np.argsort(-scores, kind="stable").tolist()
    return ranked


class Bm25(Words):
    """The rows that share most words with the sample: all its texts, or one input."""

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return best_first(self.near(sample))
