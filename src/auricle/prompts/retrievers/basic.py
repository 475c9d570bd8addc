"""Choosing examples by name, by place, by chance or by label: nothing is read or computed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from random import Random as Generator
from typing import ClassVar

from auricle.core.errors import SampleError, SpecError
from auricle.core.serialization import dumps
from auricle.core.types import Json, Sample


class ZeroRetriever:
    """No examples."""

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return ()


class FirstRetriever:
    """The first rows of the pool, in their order."""

    order: ClassVar[str] = "nearest-first"

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return allowed


class FixedRetriever:
    """The same examples for all samples, by their ids, in the order given."""

    order: ClassVar[str] = "nearest-first"

    def __init__(self, ids: str | int | Sequence[str | int]) -> None:
        listed = ids if isinstance(ids, (list, tuple)) else str(ids).split(",")
        self._ids = [str(each).strip() for each in listed]
        self._indices: list[int] = []

    def fit(self, pool: Sequence[Sample]) -> None:
        places = {sample.id: place for place, sample in enumerate(pool)}
        for each in self._ids:
            if each not in places:
                near = difflib.get_close_matches(each, places, n=3) or list(places)[:3]
                raise SpecError(
                    f"The pool has no usable row {each!r}; it has {', '.join(near)}.", location=("shots", "ids")
                )
        self._indices = [places[each] for each in self._ids]

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return self._indices


class SlidingRetriever:
    """The rows before a sample's own, the nearest first; the pool is the data itself."""

    def fit(self, pool: Sequence[Sample]) -> None:
        self._index_by_id = {sample.id: place for place, sample in enumerate(pool)}

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        if sample.id not in self._index_by_id:
            raise SampleError("sliding shows the rows before a sample's own, which the pool of examples lacks")
        return range(self._index_by_id[sample.id] - 1, -1, -1)


class RandomRetriever:
    """Drawn anew for every sample, from the seed and the sample's id alone."""

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return (allowed[at] for at in lazy_shuffle(len(allowed), Generator(f"{self._seed} {sample.id}")))


class BalancedRetriever:
    """As many of each label as of any other; which labels and rows is drawn as `random` does."""

    def __init__(self, by: str = "target", seed: int = 0) -> None:
        self._by = by
        self._seed = seed
        self._indices_by_label: dict[bytes, list[int]] = {}

    def fit(self, pool: Sequence[Sample]) -> None:
        for place, sample in enumerate(pool):
            if (label := self._label(sample)) is not None:
                self._indices_by_label.setdefault(dumps(label), []).append(place)
        if not self._indices_by_label:
            raise SpecError(f"No row of the pool has the field {self._by!r} to balance by.", location=("shots", "by"))

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterator[int]:
        chance = Generator(f"{self._seed} {sample.id}")
        groups = list(self._indices_by_label.values())
        chance.shuffle(groups)
        draws = [_draw_allowed(each, allowed, Generator(chance.random())) for each in groups]
        while draws:
            for draw in list(draws):
                if (place := next(draw, None)) is None:
                    draws.remove(draw)
                else:
                    yield place

    def _label(self, sample: Sample) -> Json:
        return sample.target if self._by == "target" else sample.meta.get(self._by)


def _draw_allowed(indices: Sequence[int], allowed: Sequence[int], rng: Generator) -> Iterator[int]:
    return (indices[at] for at in lazy_shuffle(len(indices), rng) if indices[at] in allowed)


def lazy_shuffle(size: int, rng: Generator) -> Iterator[int]:
    """All numbers below `size` in a random order, at the cost of those taken."""
    moved: dict[int, int] = {}
    for left in range(size, 0, -1):
        at = rng.randrange(left)
        yield moved.get(at, at)
        moved[at] = moved.get(left - 1, left - 1)
