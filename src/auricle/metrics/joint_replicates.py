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
from auricle.metrics.distributions import normal_quantile, t_quantile, t_two_sided
from auricle.metrics.intervals import compute_interval
from auricle.metrics.jackknife import COMPUTATION_BUDGET, choose_scale, standard_error, take_stats, to_influences
from auricle.metrics.rank_intervals import widen_for_few_units
from auricle.metrics.scales import ROUNDING_ERROR, UPPER, Z_95, Estimate

MAX_UNITS = 2000
"""Most units that are drawn; more are grouped at random, and the groups are drawn."""
MIN_UNITS = 100
DRAWS = 2000
MIN_DRAWS = 400

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

    def compute_band(self, function: Function) -> tuple[Array, Array]:
        """Return the lower and the upper ends of the 95 % intervals of many sums of numbers, one per column.

        Where no unit changes a sum, it may be as far away as a number that is zero in all units.
        """
        values, without = function(self.values)[0], function(self.without_units)
        without = without[~np.isnan(without).any(axis=1)]
        count = len(without)
        if count < 2:
            return np.full(len(values), np.nan), np.full(len(values), np.nan)
        deviations = without - without.mean(axis=0)
        errors = np.sqrt((count - 1) / count * np.square(deviations).sum(axis=0))
        half = np.where(errors > ROUNDING_ERROR, t_quantile(UPPER, count - 1) * errors, self._unchanged_bound)
        return values - half, values + half

    @property
    def _unchanged_bound(self) -> float:
        scales = (choose_scale(part.stats, part.aggregate, part.units) for part in self.parts)
        return max(scale.unchanged_bound(self.unit_count) for scale in scales)

    def compute_highest_interval(self, sign: int = 1) -> tuple[float, float]:
        """Return the 95 % interval of the highest of the numbers, or of the lowest if `sign` is -1.

        The outer end is the outermost end of all intervals, which needs no adjustment: it is wrong only if that of the
        truly highest number is. The inner end is the outermost of the inner ends of all numbers that may be the highest
        one, which are moved until all of them hold together. Percentiles of draws would be far too high, because the
        highest number of a draw is too high on average.
        """
        defined = [at for at, value in enumerate(self.values[0]) if math.isfinite(value)]
        if self.unit_count < 2 or not defined:
            return math.nan, math.nan
        values = sign * self.values[0, defined]
        ends = np.array([self._compute_part_interval(self.parts[at]) for at in defined])
        inner, outer = (sign * ends[:, ::sign]).T
        may_be_highest = outer >= inner[values.argmax()]
        factor = self._widen_jointly(np.array(defined)[may_be_highest])
        highest = float((values - factor * (values - inner))[may_be_highest].max())
        return self.clip(*sorted((sign * highest, sign * float(outer.max()))))

    def clip(self, low: float, high: float) -> tuple[float, float]:
        """Return an interval without what is beyond the limits of the numbers."""
        limits = [choose_scale(part.stats, part.aggregate, part.units).limits for part in self.parts]
        lowest, highest = min(low for low, _ in limits), max(high for _, high in limits)
        return max(lowest, low), min(highest, high)

    def _compute_part_interval(self, part: UnitStats) -> tuple[float, float]:
        are_samples = self.unit_count == len(part.stats)
        interval = compute_interval(part.stats, part.aggregate, clusters=None if are_samples else part.units)
        return interval.low, interval.high

    def _widen_jointly(self, columns: Codes) -> float:
        """Return how much further the ends of some intervals have to be from the numbers to hold together."""
        influences = np.stack([to_influences(self.without_units[:, column]) for column in columns])
        influences = influences[np.isfinite(influences).all(axis=1) & (influences != 0).any(axis=1)]
        if len(influences) < 2:
            return 1.0
        directions = influences / np.sqrt(np.square(influences).sum(axis=1, keepdims=True))
        noise = np.random.default_rng(0).standard_normal((DRAWS, influences.shape[1]))
        limit = float(np.quantile((noise @ directions.T).max(axis=1), UPPER))
        units = influences.shape[1]
        return max(1.0, widen_for_few_units(limit, units) / widen_for_few_units(Z_95, units))

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


def percentile_interval(draws: Array, units: int) -> tuple[float, float]:
    """Return the 95 % interval from draws of so many units; an end is infinite if more draws than its tail are.

    Draws of few units vary too little. The percentiles are further out than 2.5 % and 97.5 % by as much as Student's t
    is wider than the normal distribution with the variance of draws (Hesterberg 2015).
    """
    if not len(draws) or units < 2:
        return math.nan, math.nan
    tail = math.erfc(t_quantile(UPPER, units - 1) * math.sqrt(units / (units - 1) / 2)) / 2
    low, high = np.quantile(draws, (tail, 1 - tail), method="inverted_cdf")
    return float(low), float(high)


def percentile_p_value(lowest: Array, highest: Array, units: int) -> float:
    """Return the two-sided p-value of no difference, from draws of it that are known to be between two limits."""
    if not len(lowest) or units < 2:
        return math.nan
    tail = (min(np.count_nonzero(lowest <= 0), np.count_nonzero(highest >= 0)) + 1) / (len(lowest) + 1)
    deviation = max(0.0, -normal_quantile(min(tail, 0.5)))
    return t_two_sided(deviation / math.sqrt(units / (units - 1)), units - 1)
