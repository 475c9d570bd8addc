"""Retrievers by id, position, chance or label, without reading or encoding the samples."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from random import Random as Generator
from typing import ClassVar

from auricle.core.errors import SampleError, SpecError
from auricle.core.serialization import dumps
from auricle.core.types import Json, Sample


class ZeroRetriever:
    """A retriever that returns no examples."""

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return ()


class FirstRetriever:
    """A retriever that returns the first rows of the pool, in their order."""

    order: ClassVar[str] = "nearest-first"

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return allowed


class FixedRetriever:
    """A retriever that returns the same examples for all samples, by id, in the order given."""

    order: ClassVar[str] = "nearest-first"

    def __init__(self, ids: str | int | Sequence[str | int]) -> None:
        id_list = ids if isinstance(ids, (list, tuple)) else str(ids).split(",")
        self._ids = [str(row_id).strip() for row_id in id_list]
        self._indices: list[int] = []

    def fit(self, pool: Sequence[Sample]) -> None:
        index_by_id = {sample.id: index for index, sample in enumerate(pool)}
        for row_id in self._ids:
            if row_id not in index_by_id:
                suggestions = difflib.get_close_matches(row_id, index_by_id, n=3) or list(index_by_id)[:3]
                raise SpecError(
                    f"The example pool has no usable row {row_id!r}. Similar ids: {', '.join(suggestions)}.",
                    location=("shots", "ids"),
                )
        self._indices = [index_by_id[row_id] for row_id in self._ids]

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return self._indices


class SlidingRetriever:
    """A retriever that returns the rows before the sample's own, nearest first; the pool must be the data itself."""

    def fit(self, pool: Sequence[Sample]) -> None:
        self._index_by_id = {sample.id: index for index, sample in enumerate(pool)}

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        if sample.id not in self._index_by_id:
            raise SampleError("the retriever `sliding` needs the sample itself in the example pool")
        return range(self._index_by_id[sample.id] - 1, -1, -1)


class RandomRetriever:
    """A retriever that draws rows at random, from the seed and the sample's id."""

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return (allowed[position] for position in lazy_shuffle(len(allowed), Generator(f"{self._seed} {sample.id}")))


class BalancedRetriever:
    """A retriever that draws equally many rows per label, at random like `random`."""

    def __init__(self, by: str = "target", seed: int = 0) -> None:
        self._by = by
        self._seed = seed
        self._indices_by_label: dict[bytes, list[int]] = {}

    def fit(self, pool: Sequence[Sample]) -> None:
        for index, sample in enumerate(pool):
            if (label := self._label(sample)) is not None:
                self._indices_by_label.setdefault(dumps(label), []).append(index)
        if not self._indices_by_label:
            raise SpecError(
                f"No row of the example pool has the field {self._by!r} to balance by.", location=("shots", "by")
            )

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterator[int]:
        rng = Generator(f"{self._seed} {sample.id}")
        groups = list(self._indices_by_label.values())
        rng.shuffle(groups)
        draws = [_draw_allowed(group, allowed, Generator(rng.random())) for group in groups]
        while draws:
            for draw in list(draws):
                if (index := next(draw, None)) is None:
                    draws.remove(draw)
                else:
                    yield index

    def _label(self, sample: Sample) -> Json:
        return sample.target if self._by == "target" else sample.meta.get(self._by)


def _draw_allowed(indices: Sequence[int], allowed: Sequence[int], rng: Generator) -> Iterator[int]:
    return (indices[position] for position in lazy_shuffle(len(indices), rng) if indices[position] in allowed)


def lazy_shuffle(size: int, rng: Generator) -> Iterator[int]:
    """Yield the numbers below `size` in random order, at a cost proportional to those taken."""
    moved: dict[int, int] = {}
    for remaining in range(size, 0, -1):
        position = rng.randrange(remaining)
        yield moved.get(position, position)
        moved[position] = moved.get(remaining - 1, remaining - 1)
