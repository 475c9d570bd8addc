"""Retrieval by embedding similarity, with or without diversity."""

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

BATCH_SIZE = 32  # samples per encoder call


class Similarity(Protocol):
    """Similarity of the rows of a pool to a sample and to each other."""

    def fit(self, pool: Sequence[Sample]) -> None: ...

    def score_sample(self, sample: Sample) -> Numbers: ...

    def score_row(self, index: int) -> Numbers: ...


class EmbeddingSimilarity:
    """Cosine similarity of embeddings."""

    def __init__(self, encoder: str) -> None:
        self._encode = load_encoder(encoder)
        self._name = encoder

    def fit(self, pool: Sequence[Sample]) -> None:
        """Encode the pool."""
        offsets = range(0, len(pool), BATCH_SIZE)
        self._pool = list(pool)
        self._index_by_id = {sample.id: index for index, sample in enumerate(pool)}
        self._vectors = np.concatenate([self._encode_samples(pool[offset : offset + BATCH_SIZE]) for offset in offsets])

    def score_sample(self, sample: Sample) -> Numbers:
        index = self._index_by_id.get(sample.id)
        if index is not None and self._pool[index].inputs == sample.inputs:  # already encoded
            return self.score_row(index)
        (vector,) = self._encode_samples([sample])
        similarities: Numbers = self._vectors @ vector
        return similarities

    def score_row(self, index: int) -> Numbers:
        similarities: Numbers = self._vectors @ self._vectors[index]
        return similarities

    def _encode_samples(self, samples: Sequence[Sample]) -> NDArray[np.float32]:
        """Return one unit-length vector per sample; encoders do not see the answers."""
        encoded = np.asarray(self._encode([replace(sample, target=None) for sample in samples]))
        if encoded.ndim != 2 or len(encoded) != len(samples) or not np.isfinite(encoded).all():
            raise SpecError(
                f"The encoder {self._name} returned an array of shape {encoded.shape}; expected one row of finite "
                f"numbers for each of {len(samples)} samples.",
                location=("shots", "encoder"),
            )
        lengths = np.linalg.norm(encoded, axis=1, keepdims=True)
        vectors: NDArray[np.float32] = (encoded / np.maximum(lengths, 1e-12)).astype(np.float32)
        return vectors


class DenseRetriever(EmbeddingSimilarity):
    """A retriever that returns the rows nearest to the sample by embedding."""

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return rank_by_score(self.score_sample(sample))


class DiverseRetriever:
    """A retriever that returns rows near to the sample but different from each other (maximal marginal relevance).

    `weight` is the weight of relevance: 1 is relevance alone, 0 is diversity alone.
    """

    def __init__(self, encoder: str = "bm25", weight: float = 0.5) -> None:
        try:
            self._weight = float(weight)
        except (TypeError, ValueError):
            self._weight = -1.0
        if not 0 <= self._weight <= 1:
            raise SpecError(f"`weight` must be between 0 and 1, not {weight!r}.", location=("shots", "weight"))
        self._similarity: Similarity = Bm25Similarity() if encoder == "bm25" else EmbeddingSimilarity(encoder)

    def fit(self, pool: Sequence[Sample]) -> None:
        self._similarity.fit(pool)

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterator[int]:
        relevance = self._similarity.score_sample(sample)
        relevance = relevance / max(float(relevance.max()), 1e-12)  # on the scale of similarity
        candidates = np.fromiter(allowed, dtype=np.intp)
        max_similarity = np.full(len(relevance), -1.0)
        while len(candidates):
            value = self._weight * relevance[candidates] - (1 - self._weight) * max_similarity[candidates]
            best = int(candidates[np.argmax(value)])
            yield best
            max_similarity = np.maximum(max_similarity, self._similarity.score_row(best))
            candidates = candidates[candidates != best]
