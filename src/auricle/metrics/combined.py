"""Combine the numbers of several parts, such as the tasks of a suite, into a weighted mean.

The weights are fixed and the parts independent, so the errors of the parts add up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from auricle.metrics.base import Aggregator, Array, Codes, Stats
from auricle.metrics.intervals import (
    NO_VARIANCE,
    Contrast,
    Difference,
    Interval,
    contrast_paired,
    difference_without_interval,
    get_hits,
    is_defined,
    make_difference,
    rename_method,
)
from auricle.metrics.jackknife import choose_scale, count_units, estimate_number
from auricle.metrics.scales import REAL, Z_95, Estimate


@dataclass(frozen=True, slots=True)
class PartStats:
    """The statistics of one part, how they are aggregated, and the weight of the result."""

    stats: Stats
    aggregate: Aggregator
    weight: float
    """Share of the part in the combined number; the weights of all parts add up to 1."""
    clusters: Codes | None = None
    """Cluster index of each sample, such as its speaker. Clusters, not samples, are then independent."""


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

    Shares of independent zeros and ones get the interval of Price and Bonett (2004). Otherwise, the interval extends to
    the further end of two intervals at each side: that of Student's t, and the one in which the distances of the parts'
    own intervals from their numbers add up as squares (the method of variance estimates recovery of Zou and Donner,
    2008). With many small parts, the error of each is less certain than that of their mean, so all use the degrees of
    freedom of the mean.

    Returns:
        The interval; its ends are NaN if a part has only one sample or cluster.

    Examples:
        >>> from auricle.metrics import mean
        >>> parts = [PartStats([1.0, 1.0, 0.0, 1.0], mean, 0.5), PartStats([1.0, 1.0, 1.0, 1.0], mean, 0.5)]
        >>> interval = compute_combined_interval(parts)
        >>> round(interval.low, 2), round(interval.high, 2), interval.method
        (0.49, 1.0, 'price-bonett')
    """
    units = sum(count_units(part.stats, part.clusters) for part in parts)
    hits = [None if part.clusters is not None else get_hits(part.stats, part.aggregate) for part in parts]
    shares = [(part.weight, side) for part, side in zip(parts, hits, strict=True) if side is not None]
    if len(shares) == len(parts):
        return Interval(*_price_bonett_interval(shares), "price-bonett", units)
    pooled = combine_estimates(
        [(part.weight, estimate_number(part.stats, part.aggregate, part.clusters, REAL)) for part in parts]
    )
    if not is_defined(pooled):
        return Interval(math.nan, math.nan, "mover", units)
    below = above = lowest = highest = 0.0
    for part in parts:
        scale = choose_scale(part.stats, part.aggregate, part.clusters)
        estimate = estimate_number(part.stats, part.aggregate, part.clusters, scale)
        low, high = scale.interval(replace(estimate, degrees=max(estimate.degrees, pooled.degrees)))
        value = float(part.aggregate(part.stats))
        below += (part.weight * (value - low)) ** 2
        above += (part.weight * (high - value)) ** 2
        lowest, highest = lowest + part.weight * scale.limits[0], highest + part.weight * scale.limits[1]
    if math.isnan(below):  # the interval of a part is withheld
        return Interval(math.nan, math.nan, "mover", units)
    half = pooled.quantile * pooled.error
    low, high = pooled.value - max(half, math.sqrt(below)), pooled.value + max(half, math.sqrt(above))
    return Interval(max(lowest, low), min(highest, high), "mover", units)


def _price_bonett_interval(shares: Sequence[tuple[float, Array]]) -> tuple[float, float]:
    """Compute the interval of a weighted mean of shares, given by their weights, zeros and ones.

    Two hits and two misses are spread over the parts, so that the interval is also valid if all or none are hits.
    """
    value, centre, variance, extra = 0.0, 0.0, 0.0, 2 / len(shares)
    for weight, hits in shares:
        size = len(hits) + 2 * extra
        share = (float(hits.sum()) + extra) / size
        value += weight * float(hits.mean())
        centre += weight * share
        variance += weight**2 * share * (1 - share) / (size - 1)
    half = Z_95 * math.sqrt(variance)
    return max(0.0, min(value, centre - half)), min(1.0, max(value, centre + half))


def combine_estimates(weighted: Sequence[tuple[float, Estimate]]) -> Estimate:
    """Return the weighted sum of independent estimates, with the degrees of freedom of Welch and Satterthwaite."""
    variances = [(weight * estimate.error) ** 2 for weight, estimate in weighted]
    total = sum(variances)
    if total:
        shares = [variance / total for variance in variances]
        inverse = sum(share**2 / estimate.degrees for share, (_, estimate) in zip(shares, weighted, strict=True))
        degrees = 1 / inverse if inverse else math.inf
    else:
        degrees = sum(estimate.degrees for _, estimate in weighted)
    value = sum(weight * estimate.value for weight, estimate in weighted)
    return Estimate(value, math.sqrt(total), 0.0, degrees, sum(estimate.units for _, estimate in weighted))


def compare_combined(parts: Sequence[PairedPartStats]) -> Difference:
    """Compare the weighted means of two runs over the same samples of the same parts.

    The difference of each part is estimated as by `compare_paired`; the pairs that the method of Bonett and Price adds
    to zeros and ones are spread over the parts.

    Returns:
        B minus A with its interval, p value and the smallest detectable difference.
    """
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
    contrasts = [contrast_paired((part.a, part.b), part.aggregate, part.clusters, 1 / len(parts)) for part in parts]
    weighted = list(zip((part.weight for part in parts), contrasts, strict=True))
    has_shares = all(contrast.method == "bonett-price" for contrast in contrasts)
    combined = combine_contrasts(weighted, "stratified-bonett-price" if has_shares else "stratified-t")
    return make_difference(values, replace(combined, span=1.0) if has_shares else combined, n)


def combine_contrasts(weighted: Sequence[tuple[float, Contrast]], method: str) -> Contrast:
    """Return the weighted sum of independent differences.

    One whose units do not vary gets the error that the limits of its number leave open; without limits, as with
    counted errors, only if none of them varies.
    """
    estimates, has_variance = [], False
    for weight, contrast in weighted:
        estimate = contrast.estimate
        if math.isfinite(contrast.span):
            estimate = contrast.assume_variation(abs(estimate.value))
        has_variance = has_variance or estimate is contrast.estimate
        estimates.append((weight, estimate))
    bound = math.sqrt(sum((weight * contrast.unchanged_bound) ** 2 for weight, contrast in weighted))
    span = sum(abs(weight) * contrast.span for weight, contrast in weighted)
    name = method if has_variance else rename_method(method, NO_VARIANCE)
    return Contrast(combine_estimates(estimates), name, bound, span)
