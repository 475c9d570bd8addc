"""Combine the numbers of several parts, such as the tasks of a suite, into a weighted mean.

The weights are fixed and the parts independent, so each part is resampled by itself. One unit fewer than a part has is
drawn from it (Rao and Wu): with many small parts, an ordinary bootstrap would give intervals that are too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from auricle.metrics.base import Aggregator, Array, Codes, Stats
from auricle.metrics.intervals import (
    Z_95,
    Z_95_POWER_80,
    Difference,
    Draws,
    Interval,
    choose_rounds,
    count_distinct,
    count_distinct_pairs,
    count_hits,
    difference_from_draws,
    difference_without_interval,
    draw_by_cluster,
    draw_by_count,
    mcnemar_counts,
    percentile_interval,
    prepare_weighted,
    unwrap_stats,
)
from auricle.metrics.jackknife import count_units


@dataclass(frozen=True, slots=True)
class PartStats:
    """The statistics of one part, how they are aggregated, and the weight of the result."""

    stats: Stats
    aggregate: Aggregator
    weight: float
    """Share of the part in the combined number; the weights of all parts add up to 1."""
    clusters: Codes | None = None
    """Cluster index of each sample, such as its speaker. Whole clusters are then resampled."""


@dataclass(frozen=True, slots=True)
class PairedPartStats:
    """The statistics of one part in two runs, for the same samples in the same order."""

    a: Stats
    b: Stats
    aggregate: Aggregator
    weight: float
    clusters: Codes | None = None


def compute_combined_interval(parts: Sequence[PartStats]) -> Interval:
    """Compute the 95 % interval of the weighted mean of the parts' numbers.

    Shares of independent zeros and ones get the interval of Price and Bonett; anything else gets percentiles of a
    bootstrap that is stratified by part.

    Returns:
        The interval; its ends are NaN if a part has only one sample or cluster.

    Example:
        >>> from auricle.metrics import mean
        >>> parts = [PartStats([1.0, 1.0, 0.0, 1.0], mean, 0.5), PartStats([1.0, 1.0, 1.0, 1.0], mean, 0.5)]
        >>> interval = compute_combined_interval(parts)
        >>> round(interval.low, 2), round(interval.high, 2), interval.method
        (0.49, 1.0, 'price-bonett')
    """
    parts = [PartStats(*unwrap_stats(part.stats, part.aggregate), part.weight, part.clusters) for part in parts]
    shares = [None if part.clusters is not None else count_hits(part.stats, part.aggregate) for part in parts]
    if all(shares):
        return _price_bonett_interval(
            [(part.weight, *share) for part, share in zip(parts, shares, strict=True) if share]
        )
    values = _draw_combined([_draw_values(part, seed) for seed, part in enumerate(parts)])
    low, high = (math.nan, math.nan) if values is None else percentile_interval(values.tolist())
    units = sum(count_units(part.stats, part.clusters) for part in parts)
    name = "stratified-bootstrap"
    return Interval(low, high, name if values is None else f"{name}:{len(values)}", units)


def _price_bonett_interval(shares: Sequence[tuple[float, float, int]]) -> Interval:
    """Compute the interval of a weighted mean of shares, given by weight, hits and count.

    Two hits and two misses are spread over the parts, so that the interval is also valid if all or none are hits.
    """
    value, centre, variance, extra = 0.0, 0.0, 0.0, 2 / len(shares)
    for weight, hits, count in shares:
        size = count + 2 * extra
        share = (hits + extra) / size
        value += weight * hits / count
        centre += weight * share
        variance += weight**2 * share * (1 - share) / (size - 1)
    half = Z_95 * math.sqrt(variance)
    low, high = max(0.0, min(value, centre - half)), min(1.0, max(value, centre + half))
    return Interval(low, high, "price-bonett", sum(count for _, _, count in shares))


def _draw_combined(parts: Sequence[Array | None]) -> Array | None:
    """Add up the weighted draws of all parts, or return None if a part cannot be drawn from."""
    drawn = [part for part in parts if part is not None]
    if len(drawn) < len(parts):
        return None
    rounds = min(map(len, drawn))
    total: Array = np.sum([part[:rounds] for part in drawn], axis=0)
    return total


def _draw_values(part: PartStats, seed: int) -> Array | None:
    draws: Draws | None
    if part.clusters is None:
        stats, counts = count_distinct(part.stats)
        draws = draw_by_count(counts, seed, omitted=1)
    else:
        stats, draws = part.stats, draw_by_cluster(part.clusters, seed, omitted=1)
    if draws is None:
        return None
    value = prepare_weighted(stats, part.aggregate)
    rounds = choose_rounds(part.aggregate, len(part.stats))
    return part.weight * np.array([value(weights) for weights in islice(draws, rounds)])


def compare_combined(parts: Sequence[PairedPartStats]) -> Difference:
    """Compare the weighted means of two runs over the same samples of the same parts.

    Interval and p value come from one procedure. Zeros and ones get the normal approximation of Bonett and Price, with
    their two additional pairs spread over the parts; anything else gets a bootstrap that is stratified by part, with
    the same draw for both sides.

    Returns:
        B minus A with its interval, p value and the smallest detectable difference.
    """
    parts = [_unwrap_pairs(part) for part in parts]
    n = sum(len(part.a) for part in parts)
    units = sum(count_units(part.a, part.clusters) for part in parts)
    if not all(len(part.a) for part in parts):
        return difference_without_interval((math.nan, math.nan), n, "none", units)
    values = (
        sum(part.weight * float(part.aggregate(part.a)) for part in parts),
        sum(part.weight * float(part.aggregate(part.b)) for part in parts),
    )
    if any(map(math.isnan, values)):
        return difference_without_interval(values, n, "none", units)
    if all(map(_has_paired_hits, parts)):
        return _bonett_price_difference(parts, values, n)
    differences = _draw_combined([_draw_differences(part, seed) for seed, part in enumerate(parts)])
    if differences is None:
        return difference_without_interval(values, n, "stratified-paired-bootstrap", units)
    smallest_p = 2.0 ** (1 - units)  # of a sign test in which all units agree
    method = f"stratified-paired-bootstrap:{len(differences)}"
    return replace(difference_from_draws(values, differences, n, method, smallest_p), units=units)


def _unwrap_pairs(part: PairedPartStats) -> PairedPartStats:
    (a, _), (b, aggregate) = unwrap_stats(part.a, part.aggregate), unwrap_stats(part.b, part.aggregate)
    return PairedPartStats(a, b, aggregate, part.weight, part.clusters)


def _has_paired_hits(part: PairedPartStats) -> bool:
    sides = (part.a, part.b)
    return part.clusters is None and all(count_hits(side, part.aggregate) is not None for side in sides)


def _bonett_price_difference(parts: Sequence[PairedPartStats], values: tuple[float, float], n: int) -> Difference:
    centre, variance, extra = 0.0, 0.0, 1 / len(parts)
    for part in parts:
        size = len(part.a) + 2 * extra
        up, down = ((changed + extra) / size for changed in mcnemar_counts(part.a, part.b))
        centre += part.weight * (up - down)
        variance += part.weight**2 * (up + down - (up - down) ** 2) / size
    error = math.sqrt(variance)
    return Difference(
        *values,
        values[1] - values[0],
        max(-1.0, centre - Z_95 * error),
        min(1.0, centre + Z_95 * error),
        math.erfc(abs(centre) / error / math.sqrt(2)),
        n,
        "stratified-bonett-price",
        Z_95_POWER_80 * error,
        n,
    )


def _draw_differences(part: PairedPartStats, seed: int) -> Array | None:
    draws: Draws | None
    if part.clusters is None:
        a, b, counts = count_distinct_pairs(part.a, part.b)
        draws = draw_by_count(counts, seed, omitted=1)
    else:
        a, b, draws = part.a, part.b, draw_by_cluster(part.clusters, seed, omitted=1)
    if draws is None:
        return None
    value_a, value_b = prepare_weighted(a, part.aggregate), prepare_weighted(b, part.aggregate)
    rounds = choose_rounds(part.aggregate, 2 * len(part.a))
    return part.weight * np.array([value_b(weights) - value_a(weights) for weights in islice(draws, rounds)])
