"""The influence of each sample, or cluster of samples, on a number: what changes if it is left out.

The influences give the standard error of any number, whatever its aggregator computes, and of differences between
numbers over the same samples.
"""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np

from auricle.metrics.base import Aggregator, Array, Codes, Stats, SumAggregator, SupportsWeights, stats_to_matrix

MAX_GROUPS = 1000
"""Most times that a number is computed again; with more units, several are left out together."""
MIN_GROUPS = 100
"""Fewest times that the number of many units is computed again, however slow its aggregator is."""
COMPUTATION_BUDGET = 20_000_000
"""Statistics that a slow aggregator may process in total; large data is divided into fewer groups."""


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
        one value per group.

    Example:
        >>> from auricle.metrics import mean
        >>> unit_influences([1.0, 2.0, 6.0], mean).round(3).tolist()
        [-0.667, -0.333, 1.0]
    """
    values = compute_without_units(stats, aggregate, clusters)
    count = len(values)
    if count < 2 or np.isnan(values).all():
        return np.full(count, math.nan)
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


def count_units(stats: Stats, clusters: Codes | None) -> int:
    """Return the number of independent units: samples, or clusters of samples."""
    if clusters is None or not len(clusters):
        return len(stats)
    return int(clusters.max()) + 1


def compute_without_units(stats: Stats, aggregate: Aggregator, clusters: Codes | None) -> Array:
    """Compute the number without each unit, or without each group of units."""
    units = np.arange(len(stats)) if clusters is None else clusters
    unit_count = count_units(stats, clusters)
    group_count = min(unit_count, limit_groups(aggregate, len(stats)))
    if group_count < unit_count:
        # At random: neighbours in the data are often alike, and groups of like units would hide how units differ.
        units = (np.random.default_rng(0).permutation(unit_count) % group_count)[units]
    if isinstance(aggregate, SumAggregator):
        return _subtract_totals(stats, aggregate, units, group_count)
    if isinstance(aggregate, SupportsWeights):
        return _remove_weights(stats, aggregate, units, group_count)
    return np.array([aggregate(_select(stats, units != group)) for group in range(group_count)], dtype=np.float64)


def limit_groups(aggregate: Aggregator, size: int) -> int:
    """Return into how many groups units are divided at most."""
    if isinstance(aggregate, SumAggregator):
        return MAX_GROUPS
    cost: int = getattr(aggregate, "cost", 1)  # per statistic; set by aggregators of other frameworks
    return max(MIN_GROUPS, min(MAX_GROUPS, COMPUTATION_BUDGET // max(1, size * cost)))


def _subtract_totals(stats: Stats, aggregate: SumAggregator, units: Codes, count: int) -> Array:
    rows = stats_to_matrix(stats)
    unit_totals = np.stack([np.bincount(units, weights=column, minlength=count) for column in rows.T], axis=1)
    return aggregate.finish_each(rows.sum(axis=0) - unit_totals)


def _remove_weights(stats: Stats, aggregate: SupportsWeights, units: Codes, count: int) -> Array:
    if len(stats) == count:
        distinct, codes = encode_distinct(stats)
        counts = np.bincount(codes).astype(np.float64)
        value, removed = aggregate.prepare_weighted(distinct), np.eye(1, len(counts))[0]
        values = np.array([value(counts - np.roll(removed, index)) for index in range(len(counts))])
        by_sample: Array = values[codes][np.argsort(units)]
        return by_sample
    value = aggregate.prepare_weighted(stats)
    return np.array([value((units != group).astype(np.float64)) for group in range(count)])


def _select(stats: Stats, mask: Array) -> Stats:
    if isinstance(stats, np.ndarray):
        selected: Stats = stats[mask]
        return selected
    return [stats[index] for index in np.flatnonzero(mask).tolist()]


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
