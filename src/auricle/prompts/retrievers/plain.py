"""Choosing examples by their place, by chance or by label: nothing is read or computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random as Generator
from typing import ClassVar

from auricle.types import Sample


class Zero:
    """No examples."""

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return ()


class First:
    """The first rows of the pool, in their order."""

    order: ClassVar[str] = "nearest-first"

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return allowed


@dataclass
class Random:
    """Drawn anew for every sample, from the seed and the sample's id alone."""

    seed: int = 0

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]:
        return (allowed[at] for at in drawn(len(allowed), Generator(f"{self.seed} {sample.id}")))


def drawn(size: int, chance: Generator) -> Iterator[int]:
    """All numbers below `size` in a random order, at the cost of those taken."""
    moved: dict[int, int] = {}
    for left in range(size, 0, -1):
        at = chance.randrange(left)
        yield moved.get(at, at)
        moved[at] = moved.get(left - 1, left - 1)
