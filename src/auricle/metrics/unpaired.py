"""Significance tests for two groups of different samples, such as human and generated speech.

Nothing pairs the samples, so each group is resampled by itself. Pairs, where there are any, give narrower intervals:
see `intervals.compare_paired`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

import numpy as np

from auricle.metrics.base import Aggregator, Codes, Stats
from auricle.metrics.intervals import (
    Z_95_POWER_80,
    Difference,
    Draws,
    choose_rounds,
    count_distinct,
    count_hits,
    difference_from_draws,
    difference_without_interval,
    draw_by_cluster,
    draw_by_count,
    newcombe_interval,
    prepare_weighted,
    unwrap_stats,
)
from auricle.metrics.jackknife import count_units

Clusters: TypeAlias = "tuple[Codes | None, Codes | None]"
SAME_PROBABILITY = 1 + 1e-7
"""Ratio below which two probabilities of Fisher's test count as equal, as in R and scipy."""


def compare_unpaired(
    stats_a: Stats, stats_b: Stats, aggregate: Aggregator, clusters: Clusters = (None, None)
) -> Difference:
    """Compare two groups of different samples.

    Zeros and ones are compared with Fisher's exact test and Newcombe's interval, anything else with a bootstrap that
    resamples each group by itself.

    Args:
        stats_a: Statistics of group A.
        stats_b: Statistics of group B.
        aggregate: Function from statistics to one number.
        clusters: Cluster index of each sample of A and of B. Whole clusters are then resampled.

    Returns:
        B minus A with its interval, p value and the smallest detectable difference; `n` counts both groups.

    Example:
        >>> difference = compare_unpaired([1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0], lambda stats: sum(stats) / 4)
        >>> round(difference.difference, 2)
        -0.5
    """
    (stats_a, _), (stats_b, aggregate) = unwrap_stats(stats_a, aggregate), unwrap_stats(stats_b, aggregate)
    n = len(stats_a) + len(stats_b)
    if not len(stats_a) or not len(stats_b):
        return difference_without_interval((math.nan, math.nan), n, "none", min(len(stats_a), len(stats_b)))
    values = float(aggregate(stats_a)), float(aggregate(stats_b))
    if any(map(math.isnan, values)):
        return difference_without_interval(values, n, "none", min(len(stats_a), len(stats_b)))
    has_clusters = any(codes is not None for codes in clusters)
    hits_a, hits_b = count_hits(stats_a, aggregate), count_hits(stats_b, aggregate)
    if hits_a and hits_b and not has_clusters:
        return _fisher_difference(hits_a, hits_b, values)
    return _bootstrap_difference((stats_a, stats_b), aggregate, values, clusters)


def _fisher_difference(a: tuple[float, int], b: tuple[float, int], values: tuple[float, float]) -> Difference:
    low, high = newcombe_interval(*a, *b)
    error = math.sqrt(sum(share * (1 - share) / n for share, (_, n) in zip(values, (a, b), strict=True)))
    return Difference(
        *values,
        values[1] - values[0],
        low,
        high,
        fisher_p_value(int(a[0]), a[1], int(b[0]), b[1]),
        a[1] + b[1],
        "fisher-exact",
        Z_95_POWER_80 * error if error else math.nan,
        min(a[1], b[1]),
    )


def fisher_p_value(hits_a: int, n_a: int, hits_b: int, n_b: int) -> float:
    """Compute the two-sided p value of Fisher's exact test that two shares are equal.

    >>> round(fisher_p_value(8, 10, 1, 6), 4)
    0.035
    """
    hits, total = hits_a + hits_b, n_a + n_b
    outcomes = np.arange(max(0, hits - n_b), min(hits, n_a) + 1)
    log_probabilities = np.array([_log_choose(n_a, k) + _log_choose(n_b, hits - k) for k in outcomes.tolist()])
    probabilities = np.exp(log_probabilities - _log_choose(total, hits))
    observed = probabilities[hits_a - outcomes[0]]
    return min(1.0, float(probabilities[probabilities <= observed * SAME_PROBABILITY].sum()))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _bootstrap_difference(
    stats: tuple[Stats, Stats], aggregate: Aggregator, values: tuple[float, float], clusters: Clusters
) -> Difference:
    name = "unpaired-bootstrap" if all(codes is None for codes in clusters) else "unpaired-cluster-bootstrap"
    n = sum(map(len, stats))
    units = [count_units(side, codes) for side, codes in zip(stats, clusters, strict=True)]
    sides = [_draw_side(side, codes, seed) for seed, (side, codes) in enumerate(zip(stats, clusters, strict=True))]
    (distinct_a, draws_a), (distinct_b, draws_b) = sides
    if draws_a is None or draws_b is None:
        return difference_without_interval(values, n, name, min(units))
    rounds = choose_rounds(aggregate, n)
    value_a, value_b = prepare_weighted(distinct_a, aggregate), prepare_weighted(distinct_b, aggregate)
    draws = zip(islice(draws_a, rounds), draws_b, strict=False)
    differences = np.array([value_b(weights_b) - value_a(weights_a) for weights_a, weights_b in draws])
    smallest_p = math.exp(math.log(2) - _log_choose(sum(units), units[0]))  # of a permutation test
    difference = difference_from_draws(values, differences, n, f"{name}:{rounds}", smallest_p)
    return replace(difference, units=min(units))


def _draw_side(stats: Stats, clusters: Codes | None, seed: int) -> tuple[Stats, Draws | None]:
    """Return the statistics to weight, and their weights in each draw."""
    if clusters is not None:
        return stats, draw_by_cluster(clusters, seed)
    distinct, counts = count_distinct(stats)
    return distinct, draw_by_count(counts, seed)
