"""Nearness by what an encoder makes of samples, and examples that are near but not all alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from auricle.core.errors import SpecError
from auricle.core.types import Sample
from auricle.prompts.retrievers.bm25 import Words, best_first
from auricle.prompts.retrievers.encoders import encoder_named

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.floating[Any]]

BATCH = 32  # samples an encoder is given at once


class Nearness(Protocol):
    """How near the rows of a pool are to a sample, and to each other."""

    def fit(self, pool: Sequence[Sample]) -> None: ...

    def near(self, sample: Sample) -> Numbers: ...

    def alike(self, place: int) -> Numbers: ...


class Encoded:
    """How near samples are by the cosine of what an encoder makes of them."""

    def __init__(self, encoder: str) -> None:
        self._encode = encoder_named(encoder)
        self._name = encoder

    def fit(self, pool: Sequence[Sample]) -> None:
        """Encode the whole pool, once."""
        cuts = range(0, len(pool), BATCH)
        self._pool = list(pool)
        self._places = {sample.id: place for place, sample in enumerate(pool)}
        self._vectors = np.concatenate([self._vectors_of(pool[at : at + BATCH]) for at in cuts])

    def near(self, sample: Sample) -> Numbers:
        place = self._places.get(sample.id)
        if place is not None and self._pool[place].inputs == sample.inputs:  # encoded already
            return self.alike(place)
        (vector,) = self._vectors_of([sample])
        found: Numbers = self._vectors @ vector
        return found

    def alike(self, place: int) -> Numbers:
        found: Numbers = self._vectors @ self._vectors[place]
        return found

    def _vectors_of(self, samples: Sequence[Sample]) -> NDArray[np.float32]:
        """One vector a sample, of length 1; no encoder is told an answer."""
        found = np.asarray(self._encode([replace(each, target=None) for each in samples]))
        if found.ndim != 2 or len(found) != len(samples) or not np.isfinite(found).all():
            raise SpecError(
                f"The encoder {self._name} should give a row of finite numbers for each of "
                f"{len(samples)} samples; it gave an array of shape {found.shape}.",
                where=("shots", "encoder"),
            )
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        vectors: NDArray[np.float32] = (found / np.maximum(lengths, 1e-12)).astype(np.float32)
        return vectors


class Dense(Encoded):
    """The rows nearest to the sample, by sound or by meaning, as an encoder has it."""

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return best_first(self.near(sample))


class Diverse:
    """Rows near to the sample and unlike each other, one after the other.

    `weight` is the share of nearness: 1 is nearness alone, 0 nothing but difference.
    """

    def __init__(self, encoder: str = "bm25", weight: float = 0.5) -> None:
        try:
            self._weight = float(weight)
        except (TypeError, ValueError):
            self._weight = -1.0
        if not 0 <= self._weight <= 1:
            raise SpecError(
                f"`weight` should be from 0 to 1, not {weight!r}.", where=("shots", "weight")
            )
        self._nearness: Nearness = Words() if encoder == "bm25" else Encoded(encoder)

    def fit(self, pool: Sequence[Sample]) -> None:
        self._nearness.fit(pool)

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterator[int]:
        near = self._nearness.near(sample)
        near = near / max(float(near.max()), 1e-12)  # on the scale of likeness
        left = np.fromiter(allowed, dtype=np.intp)
        nearest_shown = np.full(len(near), -1.0)
        while len(left):
            worth = self._weight * near[left] - (1 - self._weight) * nearest_shown[left]
            best = int(left[np.argmax(worth)])
            yield best
            nearest_shown = np.maximum(nearest_shown, self._nearness.alike(best))
            left = left[left != best]
