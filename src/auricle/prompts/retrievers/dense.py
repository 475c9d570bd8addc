"""Nearness by what an encoder makes of samples, and examples that are near but not all alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from auricle.core.errors import SpecError
from auricle.core.types import Sample
from auricle.prompts.retrievers.bm25 import Bm25Similarity, rank_by_score
from auricle.prompts.retrievers.encoders import load_encoder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.floating[Any]]

BATCH_SIZE = 32  # samples an encoder is given at once


class Similarity(Protocol):
    """How near the rows of a pool are to a sample, and to each other."""

    def fit(self, pool: Sequence[Sample]) -> None: ...

    def score_sample(self, sample: Sample) -> Numbers: ...

    def score_row(self, index: int) -> Numbers: ...


class EmbeddingSimilarity:
    """How near samples are by the cosine of what an encoder makes of them."""

    def __init__(self, encoder: str) -> None:
        self._encode = load_encoder(encoder)
        self._name = encoder

    def fit(self, pool: Sequence[Sample]) -> None:
        """Encode the whole pool, once."""
        cuts = range(0, len(pool), BATCH_SIZE)
        self._pool = list(pool)
        self._index_by_id = {sample.id: place for place, sample in enumerate(pool)}
        self._vectors = np.concatenate([self._encode_samples(pool[at : at + BATCH_SIZE]) for at in cuts])

    def score_sample(self, sample: Sample) -> Numbers:
        place = self._index_by_id.get(sample.id)
        if place is not None and self._pool[place].inputs == sample.inputs:  # encoded already
            return self.score_row(place)
        (vector,) = self._encode_samples([sample])
        found: Numbers = self._vectors @ vector
        return found

    def score_row(self, index: int) -> Numbers:
        found: Numbers = self._vectors @ self._vectors[index]
        return found

    def _encode_samples(self, samples: Sequence[Sample]) -> NDArray[np.float32]:
        """One vector a sample, of length 1; no encoder is told an answer."""
        found = np.asarray(self._encode([replace(each, target=None) for each in samples]))
        if found.ndim != 2 or len(found) != len(samples) or not np.isfinite(found).all():
            raise SpecError(
                f"The encoder {self._name} should give a row of finite numbers for each of "
                f"{len(samples)} samples; it gave an array of shape {found.shape}.",
                location=("shots", "encoder"),
            )
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        vectors: NDArray[np.float32] = (found / np.maximum(lengths, 1e-12)).astype(np.float32)
        return vectors


class DenseRetriever(EmbeddingSimilarity):
    """The rows nearest to the sample, by sound or by meaning, as an encoder has it."""

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return rank_by_score(self.score_sample(sample))


class DiverseRetriever:
    """Rows near to the sample and unlike each other, one after the other.

    `weight` is the share of nearness: 1 is nearness alone, 0 nothing but difference.
    """

    def __init__(self, encoder: str = "bm25", weight: float = 0.5) -> None:
        try:
            self._weight = float(weight)
        except (TypeError, ValueError):
            self._weight = -1.0
        if not 0 <= self._weight <= 1:
            raise SpecError(f"`weight` should be from 0 to 1, not {weight!r}.", location=("shots", "weight"))
        self._similarity: Similarity = Bm25Similarity() if encoder == "bm25" else EmbeddingSimilarity(encoder)

    def fit(self, pool: Sequence[Sample]) -> None:
        self._similarity.fit(pool)

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterator[int]:
        near = self._similarity.score_sample(sample)
        near = near / max(float(near.max()), 1e-12)  # on the scale of likeness
        left = np.fromiter(allowed, dtype=np.intp)
        nearest_shown = np.full(len(near), -1.0)
        while len(left):
            worth = self._weight * near[left] - (1 - self._weight) * nearest_shown[left]
            best = int(left[np.argmax(worth)])
            yield best
            nearest_shown = np.maximum(nearest_shown, self._similarity.score_row(best))
            left = left[left != best]
