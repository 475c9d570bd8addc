"""The standard error of a number: what changes if samples, or clusters of samples, are left out.

Any number whose aggregator is known gets the jackknife: it is computed again without each unit. A function about which
nothing is known may jump (a median), so it gets a bootstrap instead: units are drawn at random with replacement.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from auricle.metrics.base import (
    Aggregator,
    Array,
    Codes,
    Mask,
    Stats,
    SumAggregator,
    SupportsMembers,
    SupportsScale,
    SupportsWeights,
    stats_to_matrix,
)
from auricle.metrics.scales import REAL, UNKNOWN, Estimate, Scale

MAX_GROUPS = 1000
"""Most times that a number is computed again; with more units, several are left out together."""
MIN_GROUPS = 100
"""Fewest times that the number of many units is computed again, however slow its aggregator is."""
COMPUTATION_BUDGET = 20_000_000
"""Statistics that a slow aggregator may process in total; large data is divided into fewer groups."""


# --- influences ------------------------------------------------------------------------------


def unit_influences(stats: Stats, aggregate: Aggregator, clusters: Codes | None = None) -> Array:
    """Compute the influence of each independent unit on `aggregate(stats)`.

    A unit is a sample, or a cluster of samples. Its influence is (n - 1) / n times the amount by which the number
    falls if the unit is left out, with n units and relative to the mean of these n numbers. The influences sum to zero;
    those on a mean are (value - mean) / n. `standard_error` turns them into a standard error, which shrinks with the
    square root of n. Influences on a difference between two runs over the same units are the differences of their
    influences.

    Args:
        stats: Statistics of the samples.
        aggregate: Function from statistics to one number.
        clusters: Cluster index of each sample, such as its speaker, from 0.

    Returns:
        One value per unit, in the order of samples or cluster indices; NaN if the number is undefined without the
        unit. Beyond 1,000 units (fewer if the aggregator is slow), several units at random form a group, and there is
        one value per group. Means and ratios always have one value per unit.

    Examples:
        >>> from auricle.metrics import mean
        >>> unit_influences([1.0, 2.0, 6.0], mean).round(3).tolist()
        [-0.667, -0.333, 1.0]
    """
    return to_influences(compute_without_units(stats, aggregate, resolve_units(stats, aggregate, clusters)))


def to_influences(values: Array) -> Array:
    """Turn a number without each unit into the influence of each unit; see `unit_influences`."""
    count = len(values)
    if count < 2 or np.isnan(values).all():
        return np.full(count, math.nan)
    with np.errstate(invalid="ignore"):  # between infinite values
        influences: Array = (count - 1) / count * (np.nanmean(values) - values)
    return influences


def standard_error(influences: Array) -> float:
    """Compute the standard error of a number from the influences of its units; NaN if fewer than two are defined.

    It is sqrt(n / (n - 1) · Σ influence²), the standard error of the jackknife.
    """
    defined = influences[~np.isnan(influences)]
    count = len(defined)
    if count < 2:
        return math.nan
    with np.errstate(over="ignore"):  # perplexities may be too large to be squared
        return math.sqrt(count / (count - 1) * float(np.einsum("n,n->", defined, defined)))


def _skewness(influences: Array) -> float:
    """Compute the skewness of a number's distribution: that of its units, over the square root of their number."""
    defined = influences[~np.isnan(influences)]
    count, largest = len(defined), float(np.abs(defined).max(initial=0.0))
    if count < 3 or not largest or not math.isfinite(largest):
        return 0.0
    scaled = defined / largest
    bias = math.sqrt(count * (count - 1)) / (count - 2)  # of the skewness of few units
    return bias * float((scaled**3).sum() / (scaled**2).sum() ** 1.5)


def resolve_units(stats: Stats, aggregate: Aggregator, clusters: Codes | None) -> Codes | None:
    """Return the units of each statistic: its members, if the aggregator lists them, or else its cluster."""
    if clusters is not None and clusters.ndim > 1:
        return clusters
    members = aggregate.list_members(stats) if isinstance(aggregate, SupportsMembers) else None
    return clusters if members is None else members


def name_members(aggregate: Aggregator, units: Codes | None) -> str:
    """Return what the units of statistics are if they are members; empty if they are samples or clusters."""
    has_members = isinstance(aggregate, SupportsMembers) and units is not None and units.ndim > 1
    return aggregate.member_name if isinstance(aggregate, SupportsMembers) and has_members else ""


def count_units(stats: Stats, clusters: Codes | None) -> int:
    """Return the number of independent units: samples, clusters of samples, or members of samples."""
    if clusters is None or not len(clusters):
        return len(stats)
    return int(clusters.max()) + 1


# --- estimates -------------------------------------------------------------------------------


def choose_scale(stats: Stats, aggregate: Aggregator, clusters: Codes | None) -> Scale:
    """Return the scale of a number, as its aggregator declares it."""
    if not isinstance(aggregate, SupportsScale):
        return REAL if isinstance(aggregate, SupportsWeights) else UNKNOWN
    return aggregate.choose_scale(stats, np.arange(len(stats)) if clusters is None else clusters)


def estimate_number(stats: Stats, aggregate: Aggregator, clusters: Codes | None, scale: Scale) -> Estimate:
    """Estimate a number and its error on a scale."""
    value = float(scale.transform(np.array([aggregate(stats)], dtype=np.float64))[0])
    return _Replicates.of(stats, aggregate, clusters).transformed(scale).estimate(value)


def estimate_from_replicates(value: float, without_units: Array, scale: Scale) -> Estimate:
    """Estimate a number and its error on a scale from its values without each unit."""
    replicates = _Replicates(without_units, is_drawn=False, units=len(without_units))
    return replicates.transformed(scale).estimate(float(scale.transform(np.array([value]))[0]))


def estimate_difference(stats: tuple[Stats, Stats], aggregate: Aggregator, clusters: Codes | None) -> Estimate:
    """Estimate the difference of a number between two runs over the same samples, and its error."""
    a, b = stats
    value = float(aggregate(b)) - float(aggregate(a))
    return (_Replicates.of(b, aggregate, clusters) - _Replicates.of(a, aggregate, clusters)).estimate(value)


@dataclass(frozen=True, slots=True)
class _Replicates:
    """A number computed without each unit, or from random draws of units."""

    values: Array
    is_drawn: bool
    units: int

    @classmethod
    def of(cls, stats: Stats, aggregate: Aggregator, clusters: Codes | None) -> _Replicates:
        clusters = resolve_units(stats, aggregate, clusters)
        is_drawn = not isinstance(aggregate, SupportsWeights)
        compute = compute_with_draws if is_drawn else compute_without_units
        return cls(compute(stats, aggregate, clusters), is_drawn, count_units(stats, clusters))

    def __sub__(self, other: _Replicates) -> _Replicates:
        with np.errstate(invalid="ignore"):  # between two infinite perplexities
            return _Replicates(self.values - other.values, self.is_drawn, self.units)

    def transformed(self, scale: Scale) -> _Replicates:
        return _Replicates(scale.transform(self.values), self.is_drawn, self.units)

    def estimate(self, value: float) -> Estimate:
        if self.is_drawn:
            return Estimate(value, self._drawn_error(), 0.0, max(1, self.units - 1), self.units)
        influences = to_influences(self.values)
        degrees = max(1, int((~np.isnan(influences)).sum()) - 1)
        bias = degrees * (float(np.nanmean(self.values)) - value) if np.isfinite(influences).any() else 0.0
        return Estimate(value, standard_error(influences), _skewness(influences), degrees, self.units, bias)

    def _drawn_error(self) -> float:
        defined = self.values[~np.isnan(self.values)]
        if self.units < 2 or len(defined) < 2:
            return math.nan
        # The variance between draws is too small by (n - 1) / n.
        return float(defined.std(ddof=1)) * math.sqrt(self.units / (self.units - 1))


def compute_without_units(stats: Stats, aggregate: Aggregator, clusters: Codes | None) -> Array:
    """Compute the number without each unit, or without each group of units.

    Args:
        stats: Statistics of the samples.
        aggregate: Function from statistics to one number.
        clusters: Index of the unit of each sample, or of its units, one column per member.
    """
    units = np.arange(len(stats)) if clusters is None else clusters
    unit_count = count_units(stats, clusters)
    if unit_count < 2:
        return np.full(unit_count, math.nan)
    group_count = min(unit_count, limit_groups(aggregate, len(stats)))
    if clusters is None and isinstance(aggregate, SupportsWeights) and not isinstance(aggregate, SumAggregator):
        distinct, codes = encode_distinct(stats)
        if len(distinct) <= group_count:
            return _without_each(distinct, codes, aggregate)[codes]
    if group_count < unit_count:
        # At random: neighbours in the data are often alike, and groups of like units would hide how units differ.
        units = (np.random.default_rng(0).permutation(unit_count) % group_count)[units]
    if isinstance(aggregate, SumAggregator):
        return _subtract_totals(stats, aggregate, units, group_count)
    if units.ndim > 1 and isinstance(aggregate, SupportsMembers):
        value, columns = aggregate.prepare_weighted(stats), np.ascontiguousarray(units.T)
        return np.array([value(np.logical_and.reduce(columns != group, axis=0)) for group in range(group_count)])
    if isinstance(aggregate, SupportsWeights):
        value = aggregate.prepare_weighted(stats)
        return np.array([value((units != group).astype(np.float64)) for group in range(group_count)])
    return np.array([aggregate(_select(stats, units != group)) for group in range(group_count)], dtype=np.float64)


def compute_with_draws(stats: Stats, aggregate: Aggregator, clusters: Codes | None) -> Array:
    """Compute the number of as many units as there are, drawn with replacement; the draws are always the same."""
    rng = np.random.default_rng(0)
    unit_count = count_units(stats, clusters)
    members = None if clusters is None else [np.flatnonzero(clusters == unit) for unit in range(unit_count)]
    values = []
    for _ in range(limit_groups(aggregate, len(stats))):
        drawn = rng.integers(0, unit_count, unit_count)
        values.append(
            aggregate(take_stats(stats, drawn if members is None else np.concatenate([members[u] for u in drawn])))
        )
    return np.array(values, dtype=np.float64)


def limit_groups(aggregate: Aggregator, size: int) -> int:
    """Return how many times a number is computed again at most."""
    if isinstance(aggregate, SumAggregator):
        return size if aggregate.is_fast else MAX_GROUPS
    cost: int = getattr(aggregate, "cost", 1)  # per statistic; set by aggregators of other frameworks
    return max(MIN_GROUPS, min(MAX_GROUPS, COMPUTATION_BUDGET // max(1, size * cost)))


def _subtract_totals(stats: Stats, aggregate: SumAggregator, units: Codes, count: int) -> Array:
    rows = stats_to_matrix(stats)
    unit_totals = np.stack([np.bincount(units, weights=column, minlength=count) for column in rows.T], axis=1)
    with np.errstate(invalid="ignore"):  # between infinite values
        return aggregate.finish_each(rows.sum(axis=0) - unit_totals)


def _without_each(distinct: Stats, codes: Codes, aggregate: SupportsWeights) -> Array:
    """Compute the number without one of each of the distinct statistics."""
    counts = np.bincount(codes).astype(np.float64)
    value, removed = aggregate.prepare_weighted(distinct), np.eye(1, len(counts))[0]
    return np.array([value(counts - np.roll(removed, index)) for index in range(len(counts))])


def _select(stats: Stats, mask: Mask) -> Stats:
    return take_stats(stats, np.flatnonzero(mask))


def take_stats(stats: Stats, indices: Codes) -> Stats:
    """Return the statistics at these indices, which may repeat."""
    if isinstance(stats, np.ndarray):
        taken: Stats = stats[indices]
        return taken
    return [stats[index] for index in indices.tolist()]


def encode_distinct(stats: Stats) -> tuple[Stats, Codes]:
    """Return the distinct statistics, and the index of each statistic among them."""
    if isinstance(stats, np.ndarray):
        rows = np.ascontiguousarray(stats)
        # Comparing rows as bytes is several times faster than comparing numbers.
        packed = rows.view(np.dtype((np.void, rows.nbytes // len(rows)))).ravel()
        _, first, codes = np.unique(packed, return_index=True, return_inverse=True)
        return stats[first], codes.reshape(-1)
    index_by_stat: dict[Hashable, int] = {}
    keys = (tuple(stat) if isinstance(stat, list) else stat for stat in stats)
    codes = np.array([index_by_stat.setdefault(key, len(index_by_stat)) for key in keys], dtype=np.int64)
    return list(index_by_stat), codes
