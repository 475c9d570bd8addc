"""Estimate a share of a finite population from a stratified sample, such as the share of replies that were read right.

Of each stratum some members are labelled, or all. The interval of a stratum is exact for sampling without replacement
(hypergeometric), so a stratum that is labelled completely has none. The intervals of strata are combined by the method
of variance estimates recovery (MOVER; Zou and Donner, 2008).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

TAIL = 0.025
"""Probability beyond each end of an interval."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """A part of a population of which a random sample is labelled."""

    population: int
    labelled: int
    hits: int
    """Labelled members that count."""

    @property
    def share(self) -> float:
        return self.hits / self.labelled


def estimate_share(strata: Sequence[Stratum]) -> tuple[float, float, float] | None:
    """Return the share of hits in the population and its 95 % interval.

    Every stratum weighs as much as its population. None if there is no population, or a stratum has no labels.

    >>> estimate_share([Stratum(100, 20, 19), Stratum(4, 4, 2)])  # the second is known completely
    (0.932..., 0.769..., 0.971...)
    """
    occupied = [stratum for stratum in strata if stratum.population]
    if not occupied or not all(stratum.labelled for stratum in occupied):
        return None
    total = sum(stratum.population for stratum in occupied)
    share, below, above = 0.0, 0.0, 0.0
    for stratum in occupied:
        weight = stratum.population / total
        low, high = exact_interval(stratum.population, stratum.labelled, stratum.hits)
        share += weight * stratum.share
        below += (weight * (stratum.share - low)) ** 2
        above += (weight * (high - stratum.share)) ** 2
    return share, share - math.sqrt(below), share + math.sqrt(above)


@lru_cache(maxsize=256)
def exact_interval(population: int, labelled: int, hits: int) -> tuple[float, float]:
    """Return the 95 % interval of the share of hits in a population, from a sample without replacement.

    It contains every share under which a sample with so many hits, or so few, is not too unlikely.
    """
    fewest, most = hits, population - (labelled - hits)
    low = _first(fewest, most, lambda total: _probability_up_to(hits - 1, population, total, labelled) < 1 - TAIL)
    misses = labelled - hits
    least_misses = _first(
        misses, population - hits, lambda total: _probability_up_to(misses - 1, population, total, labelled) < 1 - TAIL
    )
    return low / population, (population - least_misses) / population


def _first(low: int, high: int, is_possible: Callable[[int], bool]) -> int:
    """Return the first number in a range from which on a condition is met; the last if it is met by none."""
    while low < high:
        middle = (low + high) // 2
        if is_possible(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _probability_up_to(hits: int, population: int, total_hits: int, labelled: int) -> float:
    """Return the probability that a sample has at most so many hits (hypergeometric)."""
    fewest = max(0, labelled - (population - total_hits))
    whole = _log_choose(population, labelled)
    return math.fsum(
        math.exp(_log_choose(total_hits, count) + _log_choose(population - total_hits, labelled - count) - whole)
        for count in range(fewest, min(hits, total_hits) + 1)
    )


def _log_choose(size: int, count: int) -> float:
    return math.lgamma(size + 1) - math.lgamma(count + 1) - math.lgamma(size - count + 1)
