"""How certain the order of several models is: their ranks in data that is drawn again.

The units (samples, or clusters of samples) are drawn with replacement, the same draw for all models: what is hard for
all of them does not blur their order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from auricle.metrics.base import (
    Aggregator,
    Array,
    Codes,
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
    models: Sequence[ModelStats], unit_count: int, *, higher_is_better: bool
) -> list[tuple[int, int]]:
    """Compute the best and the worst rank of each model in 95 % of the draws; equal numbers count for both sides.

    Args:
        models: The statistics of each model; `can_be_drawn` must be true.
        unit_count: Number of independent units.
        higher_is_better: Whether a higher number is better.

    Example:
        >>> from auricle.metrics import mean
        >>> units = np.arange(100)
        >>> good, bad = ModelStats(np.full(100, 0.9), units, mean), ModelStats(np.full(100, 0.1), units, mean)
        >>> compute_rank_intervals([good, bad], 100, higher_is_better=True)
        [(1, 1), (2, 2)]
    """
    sizes = [min(MAX_DRAWS, limit_groups(model.aggregate, len(model.stats))) for model in models if len(model.stats)]
    fast = all(isinstance(model.aggregate, SumAggregator) for model in models)
    count = MAX_DRAWS if fast else min(sizes, default=MAX_DRAWS)
    values_of = [model.prepare(unit_count) for model in models]
    values = np.concatenate(
        [np.stack([value(weights) for value in values_of], axis=1) for weights in draw_weights(unit_count, count)]
    )
    values = np.where(np.isnan(values), -math.inf, values if higher_is_better else -values)
    return [_interval_of(values, column) for column in range(len(models))]


def draw_weights(unit_count: int, count: int) -> Iterator[Array]:
    """Yield how often each unit is drawn, some draws at a time; the draws are always the same."""
    generator = np.random.default_rng(0)
    for start in range(0, count, DRAWS_AT_A_TIME):
        rows = min(DRAWS_AT_A_TIME, count - start)
        drawn = generator.integers(0, unit_count, (rows, unit_count)) + unit_count * np.arange(rows)[:, None]
        weights = np.bincount(drawn.ravel(), minlength=rows * unit_count)
        yield weights.reshape(rows, unit_count).astype(np.float64)


def _interval_of(values: Array, column: int) -> tuple[int, int]:
    own, tail = values[:, [column]], (1 - LEVEL) / 2
    first, last = 1 + (values > own).sum(axis=1), (values >= own).sum(axis=1)
    low = np.quantile(first, tail, method="lower")
    return int(low), int(np.quantile(last, 1 - tail, method="higher"))
