"""How certain the order of several models is: ranges of ranks that hold for all models at once.

The units (samples, or clusters of samples) are drawn with replacement, the same draw for all models: what is hard for
all of them does not blur their order. Every pair of models is tested on these draws, adjusted for the number of pairs.
Quantiles of the ranks in the draws would be narrower, but untrue: of ten equal models, they separate the first from the
last in one data set of ten, and for ten models that differ little, all of them are right in half of the data sets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from auricle.core.direction import Direction
from auricle.metrics.base import (
    Aggregator,
    Array,
    Codes,
    Mask,
    Stats,
    SumAggregator,
    SupportsMembers,
    SupportsWeights,
    stats_to_matrix,
)
from auricle.metrics.jackknife import limit_groups

MAX_DRAWS = 1000
DRAWS_AT_A_TIME = 50
"""Draws whose weights are in memory together."""
LEVEL = 0.95
MIN_DEFINED = 0.975
"""Share of draws in which the difference of two models must be defined; else they may be tied."""
RELATIVE_NOISE = 1e-12
"""Differences below this share of the largest number are those of floating-point arithmetic."""
MAX_EXPONENT = 700.0

ValuesOfDraws = Callable[[Array], Array]
"""Computes a number for each row of weights of the units."""


@dataclass(frozen=True, slots=True)
class ModelStats:
    """The statistics of one model, with the unit of each among those of all models."""

    stats: Stats
    units: Codes
    aggregate: Aggregator

    @property
    def can_be_drawn(self) -> bool:
        """Whether the number can be computed from weights of single units, without listing the drawn statistics."""
        is_weighted = isinstance(self.aggregate, (SumAggregator, SupportsWeights))
        return is_weighted and not isinstance(self.aggregate, SupportsMembers)

    def prepare(self, unit_count: int) -> ValuesOfDraws:
        """Return the number as a function of the weights of all units, one row per draw."""
        aggregate = self.aggregate
        if isinstance(aggregate, SumAggregator):
            columns = stats_to_matrix(self.stats).T
            totals = np.stack([np.bincount(self.units, column, minlength=unit_count) for column in columns], axis=1)
            return lambda weights: aggregate.finish_each(weights @ totals)
        assert isinstance(aggregate, SupportsWeights)
        value = aggregate.prepare_weighted(self.stats)
        return lambda weights: np.array([value(row[self.units]) for row in weights])


def compute_rank_intervals(
    models: Sequence[ModelStats], unit_count: int, *, direction: Direction
) -> list[tuple[int, int]]:
    """Compute the best and the worst rank that each model may have; with 95 % confidence, all of them hold.

    Args:
        models: The statistics of each model; `can_be_drawn` must be true.
        unit_count: Number of independent units.
        direction: Which numbers are better.

    Examples:
        >>> from auricle.metrics import mean
        >>> units = np.arange(100)
        >>> good, bad = ModelStats(np.full(100, 0.9), units, mean), ModelStats(np.full(100, 0.1), units, mean)
        >>> compute_rank_intervals([good, bad], 100, direction=Direction.HIGHER)
        [(1, 1), (2, 2)]
    """
    numbers = [model.prepare(unit_count)(np.ones((1, unit_count)))[0] for model in models]
    drawn = draw_numbers(models, unit_count)
    return find_rank_intervals(np.array(numbers), drawn, unit_count, direction=direction)


def draw_numbers(models: Sequence[ModelStats], unit_count: int, *, seed: int = 0) -> Array:
    """Compute the number of each model in data that is drawn again: a row per draw, a column per model.

    Numbers that are slow to compute are drawn less often; one that is undefined in a draw is NaN.

    Args:
        models: The statistics of each model; `can_be_drawn` must be true.
        unit_count: Number of independent units.
        seed: Seed of the draws, which are the same for all models.
    """
    sizes = [min(MAX_DRAWS, limit_groups(model.aggregate, len(model.stats))) for model in models if len(model.stats)]
    fast = all(isinstance(model.aggregate, SumAggregator) for model in models)
    count = MAX_DRAWS if fast else min(sizes, default=MAX_DRAWS)
    values_of = [model.prepare(unit_count) for model in models]
    return np.concatenate(
        [np.stack([value(weights) for value in values_of], axis=1) for weights in draw_weights(unit_count, count, seed)]
    )


def find_rank_intervals(
    numbers: Array, drawn: Array, unit_count: int, *, direction: Direction
) -> list[tuple[int, int]]:
    """Find the range of the rank of each model: from one more than the number of models that are better than it.

    Args:
        numbers: The number of each model.
        drawn: The same in data that was drawn again: a row per draw, a column per model.
        unit_count: Number of independent units.
        direction: Which numbers are better.
    """
    pairs = PairedCosts(_compute_costs(numbers, direction), _compute_costs(drawn, direction), unit_count)
    is_better = pairs.find_better()
    best, worst = 1 + is_better.sum(axis=0), len(numbers) - is_better.sum(axis=1)
    return [(int(low), int(high)) for low, high in zip(best, worst, strict=True)]


def _compute_costs(numbers: Array, direction: Direction) -> Array:
    return np.abs(numbers) if direction is Direction.ZERO else direction.cost(1.0) * numbers


class PairedCosts:
    """Tests of all pairs of models at once, by the largest of their statistics in each draw (step-down max-T)."""

    def __init__(self, costs: Array, drawn: Array, unit_count: int) -> None:
        self._drawn, self._unit_count = drawn, unit_count
        self._noise = RELATIVE_NOISE * float(np.abs(costs).max(initial=0.0))
        self._gains = costs[None, :] - costs[:, None]  # how much better the model of the row is than that of the column
        self._errors = np.stack([self._measure_errors(at) for at in range(len(costs))])

    def find_better(self) -> Mask:
        """Return whether the model of a row is better than that of a column, with 95 % confidence in all of them."""
        size, errors = len(self._gains), self._errors
        is_above = self._gains > self._noise
        # Of models that differ by the same amount in every unit, the signs are tested.
        needed = math.log2(size * (size - 1) / (1 - LEVEL)) if size > 1 else math.inf
        is_better: Mask = is_above & (errors == 0) & (self._unit_count >= needed)
        statistics = np.divide(self._gains, errors, out=np.zeros_like(errors), where=errors > 0)
        is_open = (errors > 0) & np.isfinite(errors)
        while is_open.any():
            limit = self._find_limit(is_open)
            rejected = is_open & (np.abs(statistics) > limit)
            if not rejected.any():
                break
            is_better |= rejected & is_above
            is_open &= ~rejected
        return is_better

    def _measure_errors(self, at: int) -> Array:
        """Return the standard errors of the differences from a model; infinite where draws leave them undefined."""
        differences = self._drawn - self._drawn[:, [at]]
        is_defined = np.isfinite(differences)
        count = is_defined.sum(axis=0)
        differences = np.where(is_defined, differences, 0.0)
        means = differences.sum(axis=0) / np.maximum(count, 1)
        squares = (np.where(is_defined, differences - means, 0.0) ** 2).sum(axis=0)
        errors = np.sqrt(squares / np.maximum(count - 1, 1))
        errors[errors <= self._noise] = 0.0
        errors[count < MIN_DEFINED * len(differences)] = math.inf
        return np.asarray(errors)

    def _find_limit(self, is_open: Mask) -> float:
        """Return the statistic that the largest of the open pairs exceeds in 5 % of the draws without a difference."""
        largest = np.zeros(len(self._drawn))
        for at, partners in enumerate(np.triu(is_open)):
            if partners.any():
                gains = self._drawn[:, partners] - self._drawn[:, [at]] - self._gains[at, partners]
                statistics = np.abs(gains) / self._errors[at, partners]
                largest = np.fmax(largest, np.fmax.reduce(statistics, axis=1))
        limit = float(np.quantile(np.nan_to_num(largest), LEVEL, method="higher"))
        return widen_for_few_units(limit, self._unit_count)


def widen_for_few_units(limit: float, unit_count: int) -> float:
    """Turn a quantile of the normal distribution into that of Student's t, by Wallace's approximation.

    The errors of the draws are also too small by a factor that depends on the number of units.

    >>> round(widen_for_few_units(1.96, 30), 2), round(widen_for_few_units(1.96, 10_000), 2)
    (2.08, 1.96)
    """
    degrees = unit_count - 1
    if degrees < 1:
        return math.inf
    exponent = (limit * (8 * degrees + 3) / (8 * degrees + 1)) ** 2 / degrees
    return math.sqrt(unit_count * math.expm1(exponent)) if exponent < MAX_EXPONENT else math.inf


def draw_weights(unit_count: int, count: int, seed: int = 0) -> Iterator[Array]:
    """Yield how often each unit is drawn, some draws at a time; a seed always gives the same draws."""
    generator = np.random.default_rng(seed)
    for start in range(0, count, DRAWS_AT_A_TIME):
        rows = min(DRAWS_AT_A_TIME, count - start)
        drawn = generator.integers(0, unit_count, (rows, unit_count)) + unit_count * np.arange(rows)[:, None]
        weights = np.bincount(drawn.ravel(), minlength=rows * unit_count)
        yield weights.reshape(rows, unit_count).astype(np.float64)
