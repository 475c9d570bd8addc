"""Confidence intervals of one number and significance tests for paired differences.

Intervals resample samples, or whole clusters of samples. Two runs over the same samples are compared in pairs:
a sample that is hard for one model is often hard for the other, so the difference is known more precisely than
either number.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import TypeAlias

import numpy as np

from auricle.metrics.base import (
    Aggregator,
    Array,
    Codes,
    FirstValueMean,
    Stats,
    SupportsWeights,
    WeightedAggregate,
    mean,
)
from auricle.metrics.jackknife import count_units
from auricle.metrics.multi_answer import AnswerAggregator

Draws: TypeAlias = Iterator[Array]

BOOTSTRAP_ROUNDS = 1000
CONFIDENCE_LEVEL = 0.95
Z_95 = 1.959963984540054
"""Standard normal quantile of a two-sided 95 % interval."""
Z_95_POWER_80 = 2.801585218112969
"""`Z_95` plus the 80 % quantile: standard errors of the smallest difference detected with 80 % power."""
DRAW_BLOCK_SIZE = 100_000
"""Samples drawn per numpy call; with fewer, the calls take longer than the draws."""
RESAMPLING_BUDGET = 20_000_000
"""Statistics that a slow aggregator may process in total; large data gets fewer rounds."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % confidence interval and the method that computed it."""

    low: float
    high: float
    method: str
    units: int
    """Number of independent units: samples, or clusters of samples."""


def compute_interval(stats: Stats, aggregate: Aggregator, *, clusters: Codes | None = None) -> Interval:
    """Compute the 95 % interval of `aggregate(stats)`.

    Means of zeros and ones get Wilson's interval; anything else gets percentiles of a bootstrap, unless its aggregator
    has a method `compute_interval` of its own.

    Args:
        stats: Statistics of the samples.
        aggregate: Function from statistics to one number.
        clusters: Cluster index of each sample, such as its speaker. Whole clusters are then resampled.

    Returns:
        The interval; its ends are NaN if there is only one sample or cluster.

    Example:
        >>> interval = compute_interval([1.0, 1.0, 0.0, 1.0], mean)
        >>> round(interval.low, 2), round(interval.high, 2), interval.method
        (0.3, 0.95, 'wilson')
    """
    stats, aggregate = unwrap_stats(stats, aggregate)
    if own_method := getattr(aggregate, "compute_interval", None):
        own_interval: Interval = own_method(stats, clusters)
        return own_interval
    units = count_units(stats, clusters)
    if clusters is not None:
        return _bootstrap_interval(stats, aggregate, draw_by_cluster(clusters), "cluster-bootstrap", units)
    if share := count_hits(stats, aggregate):
        return Interval(*wilson_interval(*share), "wilson", units)
    distinct, counts = count_distinct(stats)
    return _bootstrap_interval(distinct, aggregate, draw_by_count(counts), "bootstrap", units)


def unwrap_stats(stats: Stats, aggregate: Aggregator) -> tuple[Stats, Aggregator]:
    """Remove the parts of statistics that only the details use."""
    if isinstance(aggregate, (AnswerAggregator, FirstValueMean)) and aggregate.is_single_stat:
        return aggregate.unwrap(stats), aggregate.inner
    return stats, aggregate


def _bootstrap_interval(stats: Stats, aggregate: Aggregator, draws: Draws | None, method: str, units: int) -> Interval:
    if draws is None:
        return Interval(math.nan, math.nan, method, units)
    rounds = choose_rounds(aggregate, len(stats))
    value = prepare_weighted(stats, aggregate)
    low, high = percentile_interval([value(weights) for weights in islice(draws, rounds)])
    return Interval(low, high, f"{method}:{rounds}", units)


def choose_rounds(aggregate: Aggregator, size: int) -> int:
    """Choose the number of bootstrap rounds: fewer if there is much data and the aggregator is slow."""
    if isinstance(aggregate, SupportsWeights) and not getattr(aggregate, "is_costly", False):
        return BOOTSTRAP_ROUNDS
    cost: int = getattr(aggregate, "cost", 1)  # per statistic; set by aggregators of other frameworks
    return max(100, min(BOOTSTRAP_ROUNDS, RESAMPLING_BUDGET // (size * cost)))


def prepare_weighted(stats: Stats, aggregate: Aggregator) -> WeightedAggregate:
    """Return the aggregate as a function of the weight of each statistic."""
    if isinstance(aggregate, SupportsWeights):
        return aggregate.prepare_weighted(stats)

    def aggregate_repeated(weights: Array) -> float:
        weighted = zip(stats, weights, strict=True)
        return float(aggregate([stat for stat, count in weighted for _ in range(int(count))]))

    return aggregate_repeated


def count_distinct(stats: Stats) -> tuple[Stats, Codes]:
    """Return the distinct statistics and how often each occurs; resampling these is equivalent and faster."""
    if isinstance(stats, np.ndarray):
        rows = np.ascontiguousarray(stats)
        # Comparing rows as bytes is several times faster than comparing numbers.
        packed = rows.view(np.dtype((np.void, rows.nbytes // len(rows)))).ravel()
        _, first, counts = np.unique(packed, return_index=True, return_counts=True)
        return stats[first], counts
    counted = Counter(tuple(stat) if isinstance(stat, list) else stat for stat in stats)
    return list(counted), np.array(list(counted.values()), dtype=np.int64)


def draw_by_count(counts: Codes, seed: int = 0, *, omitted: int = 0) -> Draws | None:
    """Yield bootstrap draws as the count of each distinct statistic, or return None for fewer than two samples.

    Args:
        counts: How often each distinct statistic occurs.
        seed: Seed of the draws.
        omitted: How many samples fewer than there are to draw.
    """
    size, distinct_count = int(counts.sum()), len(counts)
    if size < 2:
        return None
    rng = np.random.default_rng(seed)
    block, drawn = max(1, DRAW_BLOCK_SIZE // size), size - omitted
    if 8 * distinct_count < size:
        shares = counts / size
        blocks = (rng.multinomial(drawn, shares, block) for _ in count())
    else:
        codes = np.repeat(np.arange(distinct_count), counts)
        blocks = (_count_draws(codes[rng.integers(0, size, (block, drawn))], distinct_count) for _ in count())
    return (row for rows in blocks for row in rows.astype(np.float64))


def _count_draws(codes: Codes, distinct_count: int) -> Codes:
    """Count how often each code occurs in each row."""
    row_offsets = distinct_count * np.arange(len(codes))[:, None]
    flat = (codes + row_offsets).ravel()
    return np.bincount(flat, minlength=distinct_count * len(codes)).reshape(-1, distinct_count)


def draw_by_cluster(clusters: Codes, seed: int = 0, *, omitted: int = 0) -> Draws | None:
    """Yield draws of whole clusters as the weight of each sample, or return None for fewer than two clusters."""
    size = int(clusters.max()) + 1
    if size < 2:
        return None
    rng = np.random.default_rng(seed)
    draws = (rng.integers(0, size, size - omitted) for _ in count())
    return (np.bincount(drawn, minlength=size).astype(np.float64)[clusters] for drawn in draws)


def percentile_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the middle 95 % of the values, ignoring NaN."""
    defined = np.asarray(values, dtype=np.float64)
    defined = defined[~np.isnan(defined)]
    if not len(defined):
        return math.nan, math.nan
    with np.errstate(invalid="ignore"):  # between two infinite values
        low, high = np.quantile(defined, [(1 - CONFIDENCE_LEVEL) / 2, (1 + CONFIDENCE_LEVEL) / 2])
    return float(low), float(high)


def wilson_interval(hits: float, count: int) -> tuple[float, float]:
    """Compute Wilson's score interval of a share; it is also valid if all or none are hits."""
    share, spread = hits / count, Z_95 * Z_95 / count
    centre = (share + spread / 2) / (1 + spread)
    half = Z_95 * math.sqrt(share * (1 - share) / count + spread / (4 * count)) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)


def count_hits(stats: Stats, aggregate: Aggregator) -> tuple[float, int] | None:
    """Return hits and count if the number is a mean of zeros and ones, else None."""
    if aggregate is not mean or not len(stats):
        return None
    numbers = np.asarray(stats, dtype=np.float64)
    return (float(numbers.sum()), len(stats)) if np.isin(numbers, (0.0, 1.0)).all() else None


# --- two runs over the same samples ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of a number between two runs or two groups of samples."""

    value_a: float
    value_b: float
    difference: float
    """B minus A."""
    low: float
    high: float
    p: float
    """Two-sided p value of the hypothesis that there is no difference."""
    n: int
    """Number of pairs, or of all samples if they are not paired."""
    method: str
    detectable: float
    """The smallest true difference that would be detected with 80 % power."""
    units: int
    """Number of independent units: pairs, or clusters of pairs; of the smaller group if they are not paired."""


def compare_paired(stats_a: Stats, stats_b: Stats, aggregate: Aggregator, clusters: Codes | None = None) -> Difference:
    """Compare two runs over the same samples.

    Zeros and ones are compared with McNemar's exact test, anything else with a bootstrap that resamples pairs (or
    clusters of pairs), with the same draw for both sides.

    Args:
        stats_a: Statistics of run A.
        stats_b: Statistics of run B, in the same order.
        aggregate: Function from statistics to one number.
        clusters: Cluster index of each sample, such as its speaker. Whole clusters are then resampled.

    Returns:
        B minus A with its interval, p value and the smallest detectable difference.

    Example:
        >>> difference = compare_paired([0.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0], mean)
        >>> difference.difference, difference.p, difference.method
        (0.5, 0.5, 'mcnemar-exact')
    """
    (stats_a, _), (stats_b, aggregate) = (unwrap_stats(stats_a, aggregate), unwrap_stats(stats_b, aggregate))
    units = count_units(stats_a, clusters)
    if not len(stats_a):
        return difference_without_interval((math.nan, math.nan), 0, "none", 0)
    values = float(aggregate(stats_a)), float(aggregate(stats_b))
    if len(stats_a) < 2 or any(map(math.isnan, values)):
        return difference_without_interval(values, len(stats_a), "none", units)
    if clusters is None and count_hits(stats_a, aggregate) and count_hits(stats_b, aggregate):
        return _mcnemar_difference(stats_a, stats_b, values)
    return _bootstrap_difference(stats_a, stats_b, aggregate, values, clusters)


def difference_without_interval(values: tuple[float, float], n: int, method: str, units: int) -> Difference:
    nan = math.nan
    return Difference(*values, values[1] - values[0], nan, nan, nan, n, method, nan, units)


def _mcnemar_difference(a: Stats, b: Stats, values: tuple[float, float]) -> Difference:
    """Apply McNemar's exact test and the interval of Bonett and Price, which is also valid for few changes."""
    gained, lost = mcnemar_counts(a, b)
    size = len(a) + 2
    up, down = (gained + 1) / size, (lost + 1) / size  # one pseudo-observation in each direction
    error = math.sqrt((up + down - (up - down) ** 2) / size)
    return Difference(
        *values,
        values[1] - values[0],
        max(-1.0, up - down - Z_95 * error),
        min(1.0, up - down + Z_95 * error),
        mcnemar_p_value(gained, lost),
        len(a),
        "mcnemar-exact",
        Z_95_POWER_80 * error,
        len(a),
    )


def mcnemar_counts(a: Stats, b: Stats) -> tuple[int, int]:
    """Return the numbers of pairs that changed from zero to one, and from one to zero."""
    before, after = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return int((after > before).sum()), int((after < before).sum())


def mcnemar_p_value(gained: int, lost: int) -> float:
    """Compute the exact two-sided p value of McNemar's test."""
    changes, fewer = gained + lost, min(gained, lost)
    if not changes:
        return 1.0
    log_scale = math.lgamma(changes + 1) - changes * math.log(2)
    tail = sum(math.exp(log_scale - math.lgamma(k + 1) - math.lgamma(changes - k + 1)) for k in range(fewer + 1))
    return min(1.0, 2 * tail)


def _bootstrap_difference(
    a: Stats, b: Stats, aggregate: Aggregator, values: tuple[float, float], clusters: Codes | None
) -> Difference:
    if clusters is None:
        distinct_a, distinct_b, counts = count_distinct_pairs(a, b)
        draws, name = draw_by_count(counts), "paired-bootstrap"
    else:
        distinct_a, distinct_b = a, b
        draws, name = draw_by_cluster(clusters), "paired-cluster-bootstrap"
    unit_count = count_units(a, clusters)
    if draws is None:
        return difference_without_interval(values, len(a), name, unit_count)
    rounds = choose_rounds(aggregate, 2 * len(a))
    value_a, value_b = prepare_weighted(distinct_a, aggregate), prepare_weighted(distinct_b, aggregate)
    differences = np.array([value_b(weights) - value_a(weights) for weights in islice(draws, rounds)])
    smallest_p = 2.0 ** (1 - unit_count)  # of a sign test in which all units agree
    difference = difference_from_draws(values, differences, len(a), f"{name}:{rounds}", smallest_p)
    return replace(difference, units=unit_count)


def difference_from_draws(
    values: tuple[float, float], differences: Array, n: int, method: str, smallest_p: float
) -> Difference:
    """Build a difference from the differences of bootstrap draws.

    Args:
        values: The numbers of A and B.
        differences: B minus A in each draw; NaN if undefined.
        n: Number of pairs or samples.
        method: Name of the method.
        smallest_p: What the p value is at least, because so few units cannot show less.
    """
    differences = differences[~np.isnan(differences)]
    if len(differences) < 2:
        return difference_without_interval(values, n, method.partition(":")[0], n)
    low, high = percentile_interval(differences.tolist())
    error = _standard_error(differences)
    p = _bootstrap_p_value(differences, smallest_p)
    detectable = Z_95_POWER_80 * error if error else math.nan
    return Difference(*values, values[1] - values[0], low, high, p, n, method, detectable, n)


def _bootstrap_p_value(differences: Array, smallest_p: float) -> float:
    """Compute a two-sided p value: twice the share of draws beyond zero, as for a percentile interval.

    If no draw is beyond zero, the tail of the normal distribution is used; otherwise no p value could survive the
    correction for many tests.
    """
    beyond = min(int((differences <= 0).sum()), int((differences >= 0).sum()))
    p = 2 * (beyond + 1) / (len(differences) + 1)
    error = _standard_error(differences)
    if not beyond and error:
        p = min(p, math.erfc(abs(float(differences.mean())) / error / math.sqrt(2)))
    return min(1.0, max(p, smallest_p))


def _standard_error(differences: Array) -> float:
    with np.errstate(over="ignore", invalid="ignore"):  # perplexities may be too large to be squared
        return float(differences.std(ddof=1))


def count_distinct_pairs(a: Stats, b: Stats) -> tuple[Stats, Stats, Codes]:
    """Return the distinct pairs of statistics (A's parts and B's parts) and how often each pair occurs."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        columns_a, columns_b = a.reshape(len(a), -1), b.reshape(len(b), -1)
        distinct, counts = count_distinct(np.column_stack([columns_a, columns_b]))
        rows, width = np.asarray(distinct), columns_a.shape[1]
        return rows[:, :width], rows[:, width:], counts
    pairs, counts = count_distinct(list(zip(a, b, strict=True)))
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs], counts


def adjust_holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p values for multiple tests with Holm's method; NaN stays NaN."""
    ordered = sorted((p, index) for index, p in enumerate(p_values) if not math.isnan(p))
    adjusted, highest = [math.nan] * len(p_values), 0.0
    for rank, (p, index) in enumerate(ordered):
        highest = max(highest, min(1.0, (len(ordered) - rank) * p))
        adjusted[index] = highest
    return adjusted


def newcombe_interval(hits_a: float, n_a: int, hits_b: float, n_b: int) -> tuple[float, float]:
    """Compute Newcombe's interval of B's share minus A's, treating them as independent samples."""
    share_a, share_b = hits_a / n_a, hits_b / n_b
    low_a, high_a = wilson_interval(hits_a, n_a)
    low_b, high_b = wilson_interval(hits_b, n_b)
    delta = share_b - share_a
    down = math.hypot(share_b - low_b, high_a - share_a)
    up = math.hypot(high_b - share_b, share_a - low_a)
    return delta - down, delta + up
