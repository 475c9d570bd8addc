"""Resample several numbers together that share their independent units, such as one task under several conditions.

Every replicate leaves out, or draws, the same samples or clusters in all of them, so that any function of the numbers
gets an interval that accounts for what they have in common.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np

from auricle.metrics.base import Aggregator, Array, Codes, Stats, SumAggregator, SupportsWeights, stats_to_matrix
from auricle.metrics.jackknife import COMPUTATION_BUDGET, standard_error, take_stats, to_influences
from auricle.metrics.scales import UPPER, Estimate

MAX_UNITS = 2000
"""Most units that are drawn; more are grouped at random, and the groups are drawn."""
MIN_UNITS = 100
DRAWS = 2000
MIN_DRAWS = 400
TAIL = 1 - UPPER

Function: TypeAlias = Callable[[Array], Array]
"""Maps numbers, one column per part and one row per replicate, to one value per row."""


@dataclass(frozen=True)
class UnitStats:
    """The statistics of one of the numbers, with the unit of each.

    Args:
        stats: Statistics of the samples.
        units: Index of the unit of each sample, as in all other numbers.
        aggregate: Function from statistics to the number.
    """

    stats: Stats
    units: Codes
    aggregate: Aggregator

    def regroup(self, groups: Codes) -> UnitStats:
        """Return the same statistics with several units in each group; `groups` has the group of each unit."""
        return UnitStats(self.stats, groups[self.units], self.aggregate)

    def compute_weighted(self, weights: Array) -> Array:
        """Compute the number for each row of unit weights, which are whole numbers."""
        if not len(self.stats):
            return np.full(len(weights), math.nan)
        if isinstance(self.aggregate, SupportsWeights):
            value = self.aggregate.prepare_weighted(self.stats)
            return np.array([value(row[self.units]) for row in weights])
        places = np.arange(len(self.stats))
        repeats = weights[:, self.units].astype(np.int64)
        return np.array([self.aggregate(take_stats(self.stats, np.repeat(places, row))) for row in repeats])

    def sum_units(self, unit_count: int) -> Array:
        """Return the sum of each column of the statistics over each unit."""
        rows = stats_to_matrix(self.stats)
        return np.stack([np.bincount(self.units, column, unit_count) for column in rows.T], axis=1)


@dataclass(frozen=True)
class JointReplicates:
    """Several numbers over the same units.

    Args:
        parts: The statistics of each number.
        unit_count: Number of independent units.
    """

    parts: Sequence[UnitStats]
    unit_count: int

    @cached_property
    def values(self) -> Array:
        """The numbers themselves, as one row."""
        return np.array([[part.aggregate(part.stats) if len(part.stats) else math.nan for part in self.parts]])

    @cached_property
    def without_units(self) -> Array:
        """The numbers without each unit: one row per unit, one column per part."""
        return self._compute(1.0 - np.eye(self._group_count, dtype=np.float64))

    @cached_property
    def draws(self) -> Array:
        """The numbers of units that are drawn with replacement, always the same: one row per draw."""
        return self._compute(_draw_weights(self._limit(DRAWS, MIN_DRAWS), self._group_count))

    def estimate(self, function: Function) -> Estimate:
        """Estimate a smooth function of the numbers, with the standard error of the jackknife."""
        value = float(function(self.values)[0])
        if self.unit_count < 2:
            return Estimate(value, math.nan, 0.0, 1, self.unit_count)
        influences = to_influences(function(self.without_units))
        degrees = max(1, int(np.isfinite(influences).sum()) - 1)
        return Estimate(value, standard_error(influences), 0.0, degrees, self.unit_count)

    def compute_interval(self, function: Function) -> tuple[float, float, float]:
        """Return a smooth function of the numbers with its 95 % interval, that of Student's t."""
        estimate = self.estimate(function)
        half = estimate.quantile * estimate.error
        return estimate.value, estimate.value - half, estimate.value + half

    def draw(self, function: Function) -> Array:
        """Return a function of the numbers for each draw; those in which it is undefined are left out."""
        if self.unit_count < 2:
            return np.empty(0)
        drawn = function(self.draws)
        defined: Array = drawn[~np.isnan(drawn)]
        return defined

    @property
    def _group_count(self) -> int:
        return min(self.unit_count, self._limit(MAX_UNITS, MIN_UNITS))

    def _limit(self, most: int, fewest: int) -> int:
        """Return how many times slow numbers are computed again."""
        if all(isinstance(part.aggregate, SumAggregator) for part in self.parts):
            return most
        cost = sum(len(part.stats) * int(getattr(part.aggregate, "cost", 1)) for part in self.parts)
        return max(fewest, min(most, COMPUTATION_BUDGET // max(1, cost)))

    def _compute(self, weights: Array) -> Array:
        parts = self.parts
        if self._group_count < self.unit_count:
            # At random: neighbours in the data are often alike.
            groups = np.random.default_rng(0).permutation(self.unit_count) % self._group_count
            parts = [part.regroup(groups) for part in parts]
        totals = [self._sum_if_possible(part) for part in parts]
        widths = np.cumsum([part.shape[1] for part in totals])[:-1]
        # One product for all parts: the weights are much larger than the sums of a part.
        sums = np.split(weights @ np.concatenate(totals, axis=1), widths, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.stack(
                [
                    part.aggregate.finish_each(own)
                    if isinstance(part.aggregate, SumAggregator) and own.size
                    else part.compute_weighted(weights)
                    for part, own in zip(parts, sums, strict=True)
                ],
                axis=1,
            )

    def _sum_if_possible(self, part: UnitStats) -> Array:
        """Return the sums over units that a number depends on; no columns if it depends on more, or on nothing."""
        is_sum = isinstance(part.aggregate, SumAggregator) and len(part.stats)
        return part.sum_units(self._group_count) if is_sum else np.empty((self._group_count, 0))


@lru_cache(maxsize=1)
def _draw_weights(draws: int, units: int) -> Array:
    """Return how often each unit is drawn, one row per draw; families of conditions use the same ones."""
    drawn = np.random.default_rng(0).integers(0, units, (draws, units))
    offsets = units * np.arange(draws)[:, None]
    counts = np.bincount((drawn + offsets).ravel(), minlength=drawn.size).reshape(drawn.shape)
    return counts.astype(np.float64)


def percentile_interval(draws: Array) -> tuple[float, float]:
    """Return the 2.5 % and 97.5 % percentiles of draws; an end is infinite if more draws than that are."""
    if not len(draws):
        return math.nan, math.nan
    low, high = np.quantile(draws, (TAIL, UPPER), method="inverted_cdf")
    return float(low), float(high)


def percentile_p_value(lowest: Array, highest: Array) -> float:
    """Return the two-sided p-value of no difference, from draws of it that are known to be between two limits."""
    if not len(lowest):
        return math.nan
    tails = (np.count_nonzero(lowest <= 0), np.count_nonzero(highest >= 0))
    return min(1.0, 2 * (min(tails) + 1) / (len(lowest) + 1))
