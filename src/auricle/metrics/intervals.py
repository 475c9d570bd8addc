"""Confidence intervals of one number and significance tests for paired differences.

Two runs over the same samples are compared in pairs: a sample that is hard for one model is often hard for the other,
so the difference is known more precisely than either number. Interval and p value of a difference come from one
procedure: p is below 0.05 exactly if the 95 % interval excludes zero. See `docs/statistics.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from auricle.core.result_table import ResultTable
from auricle.metrics.base import Aggregator, Array, Codes, MeanAggregator, Stats
from auricle.metrics.distributions import normal_quantile, t_quantile, t_two_sided
from auricle.metrics.jackknife import (
    choose_scale,
    count_units,
    estimate_difference,
    estimate_number,
    name_members,
    resolve_units,
)
from auricle.metrics.multi_answer import AnswerAggregator
from auricle.metrics.scales import LEVEL, ROUNDING_ERROR, UPPER, Z_95, Estimate, WithheldScale, wilson_interval

POWER = 0.8
NO_VARIANCE = "no-variance"
MAX_SIGN_FLIPS = 50
"""Units beyond which the smallest p value of a sign-flip test is as good as zero."""


@dataclass(frozen=True, slots=True)
class Interval(ResultTable):
    """A 95 % confidence interval and the method that computed it.

    Examples:
        >>> Interval(low=0.1, high=0.3, method="t", units=50).units
        50
    """

    low: float
    """Lower end."""
    high: float
    """Upper end."""
    method: str
    """How it was computed."""
    units: int
    """Number of independent units: samples, clusters of samples, or members of samples."""
    members: str = ""
    """What the units are if each sample belongs to several of them, such as `speaker`."""
    reason: str = ""
    """Why the interval is withheld although the number is known, and what it needs."""


def compute_interval(stats: Stats, aggregate: Aggregator, *, clusters: Codes | None = None) -> Interval:
    """Compute the 95 % interval of `aggregate(stats)`.

    Args:
        stats: Statistics of the samples.
        aggregate: Function from statistics to one number. If it has `choose_scale`, that decides the method.
        clusters: Cluster index of each sample, such as its speaker. Clusters, not samples, are then independent. An
            aggregator that lists the members of its statistics ignores them.

    Returns:
        The interval; its ends are NaN if there is only one sample or cluster, or if the number is undefined.

    Examples:
        >>> from auricle.metrics import mean
        >>> interval = compute_interval([1.0, 1.0, 0.0, 1.0], mean)
        >>> round(interval.low, 2), round(interval.high, 2), interval.method
        (0.24, 0.99, 'mid-p')
    """
    if own_method := getattr(aggregate, "compute_interval", None):
        own_interval: Interval = own_method(stats, clusters)
        return own_interval
    clusters = resolve_units(stats, aggregate, clusters)
    scale = choose_scale(stats, aggregate, clusters)
    estimate = estimate_number(stats, aggregate, clusters, scale)
    is_known = math.isfinite(estimate.value) and (math.isfinite(estimate.error) or not scale.needs_error)
    low, high = scale.interval(estimate) if is_known else (math.nan, math.nan)
    method = name_method(scale.name, clusters is not None)
    members, reason = name_members(aggregate, clusters), scale.reason if isinstance(scale, WithheldScale) else ""
    return Interval(low, high, method, estimate.units, members, reason)


def is_defined(estimate: Estimate) -> bool:
    """Return whether an estimate and its error are finite."""
    return math.isfinite(estimate.value) and math.isfinite(estimate.error)


def name_method(name: str, has_clusters: bool) -> str:
    """Return the name of a method that may treat clusters as units."""
    return f"cluster-{name}" if has_clusters else name


def rename_method(name: str, other: str) -> str:
    """Return the name of another method with the same units: samples, clusters or buckets."""
    return "".join(units for units in ("cluster-", "bucket-") if units in name) + other


# --- two runs over the same samples ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Difference(ResultTable):
    """The difference of a number between two runs or two groups of samples.

    Examples:
        >>> from auricle.metrics import compare_paired, mean
        >>> compare_paired([0.0, 1.0, 1.0], [1.0, 1.0, 1.0], mean).n
        3
    """

    value_a: float
    """The number in run or group A."""
    value_b: float
    """The number in run or group B."""
    difference: float
    """B minus A."""
    low: float
    """Lower end of the 95 % interval of the difference."""
    high: float
    """Upper end."""
    p: float
    """Two-sided p value of the hypothesis that there is no difference."""
    n: int
    """Number of pairs, or of all samples if they are not paired."""
    method: str
    """How the interval was computed."""
    detectable: float
    """The smallest true difference that would be detected with 80 % power."""
    units: int
    """Number of independent units: pairs, or clusters of pairs; of the smaller group if they are not paired."""


def compare_paired(stats_a: Stats, stats_b: Stats, aggregate: Aggregator, clusters: Codes | None = None) -> Difference:
    """Compare two runs over the same samples.

    Zeros and ones are compared by the method of Bonett and Price (2012), anything else by Student's t with the standard
    error of the difference.

    Args:
        stats_a: Statistics of run A.
        stats_b: Statistics of run B, in the same order.
        aggregate: Function from statistics to one number.
        clusters: Cluster index of each sample, such as its speaker. Clusters, not pairs, are then independent.

    Returns:
        B minus A with its interval, p value and the smallest detectable difference.

    Examples:
        >>> from auricle.metrics import mean
        >>> difference = compare_paired([0.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0], mean)
        >>> difference.difference, round(difference.p, 2), difference.method
        (0.5, 0.27, 'bonett-price')
    """
    clusters = resolve_units(stats_a, aggregate, clusters) if len(stats_a) else clusters
    n, units = len(stats_a), count_units(stats_a, clusters)
    if not n:
        return difference_without_interval((math.nan, math.nan), 0, "none", 0)
    values = float(aggregate(stats_a)), float(aggregate(stats_b))
    if n < 2 or any(map(math.isnan, values)):
        return difference_without_interval(values, n, "none", units)
    contrast = contrast_paired((stats_a, stats_b), aggregate, clusters)
    return make_difference(values, contrast, n)


@dataclass(frozen=True, slots=True)
class Contrast:
    """An estimated difference, with the method."""

    estimate: Estimate
    method: str
    unchanged_bound: float
    """How far the difference may be from what all units agree on; 0 if nothing is known."""
    span: float = math.inf
    """Largest difference that the limits of the number allow."""

    def assume_variation(self, size: float) -> Estimate:
        """Return the estimate, whose error follows from `unchanged_bound` if no unit varies.

        Args:
            size: Size of the numbers; smaller errors by far are rounding errors.
        """
        if not self.unchanged_bound or not self.estimate.error <= ROUNDING_ERROR * size:
            return self.estimate
        return replace(self.estimate, error=self.unchanged_bound / Z_95, degrees=math.inf)


def contrast_paired(
    stats: tuple[Stats, Stats], aggregate: Aggregator, clusters: Codes | None, extra: float = 1.0
) -> Contrast:
    """Estimate the difference between two runs over the same samples.

    Args:
        stats: Statistics of run A and run B.
        aggregate: Function from statistics to one number.
        clusters: Cluster index of each sample.
        extra: Pairs of zeros and ones that are added in each direction.
    """
    clusters = resolve_units(stats[0], aggregate, clusters)
    hits_a, hits_b = (None if clusters is not None else get_hits(side, aggregate) for side in stats)
    if hits_a is not None and hits_b is not None:
        return Contrast(_bonett_price_estimate(hits_b - hits_a, extra), "bonett-price", 0.0, 1.0)
    scales = [choose_scale(side, aggregate, clusters) for side in stats]
    bounds = [scale.unchanged_bound(count_units(stats[0], clusters)) for scale in scales]
    estimate = estimate_difference(stats, aggregate, clusters)
    method = name_method("paired-t", clusters is not None)
    return Contrast(estimate, method, bounds[0] if all(bounds) else 0.0, max(scale.span for scale in scales))


def _bonett_price_estimate(changes: Array, extra: float) -> Estimate:
    """Estimate the difference of two shares from changes by one; also valid if few or no samples changed."""
    size = len(changes) + 2 * extra
    up, down = (float((changes == sign).sum() + extra) / size for sign in (1, -1))
    error = math.sqrt((up + down - (up - down) ** 2) / size)
    return Estimate(up - down, error, 0.0, math.inf, len(changes))


def get_hits(stats: Stats, aggregate: Aggregator) -> Array | None:
    """Return the zeros and ones whose mean the number is; None if it is anything else."""
    if isinstance(aggregate, AnswerAggregator) and aggregate.is_single_stat:
        stats, aggregate = aggregate.unwrap(stats), aggregate.inner
    if not isinstance(aggregate, MeanAggregator) or aggregate.limits or not len(stats):
        return None
    numbers = aggregate.get_numerators(stats)
    return numbers if np.isin(numbers, (0.0, 1.0)).all() else None


def difference_without_interval(values: tuple[float, float], n: int, method: str, units: int) -> Difference:
    nan = math.nan
    return Difference(*values, values[1] - values[0], nan, nan, nan, n, method, nan, units)


def make_difference(values: tuple[float, float], contrast: Contrast, n: int) -> Difference:
    """Build the difference between two numbers; its interval and p value are those of Student's t.

    If no unit varies, the error is what the limits of the number, or the counting of errors, leave open, and p is not
    below that of a test that flips the signs of the changes. Without limits, it is that of this test.
    """
    size, difference, method = max(map(abs, values)), values[1] - values[0], contrast.method
    if not is_defined(contrast.estimate):
        return difference_without_interval(values, n, method, contrast.estimate.units)
    estimate = contrast.assume_variation(size)
    if estimate is not contrast.estimate or method.endswith(NO_VARIANCE):
        method = rename_method(method, NO_VARIANCE)
        sign_flip_quantile = normal_quantile(1 - 2.0 ** -min(estimate.units, MAX_SIGN_FLIPS))
        estimate = replace(estimate, error=max(estimate.error, abs(difference) / sign_flip_quantile))
    elif estimate.error <= ROUNDING_ERROR * size:
        p = 2.0 ** (1 - estimate.units) if abs(difference) > ROUNDING_ERROR else 1.0
        low, high = (difference, difference) if p < 1 - LEVEL else (min(0.0, difference), max(0.0, difference))
        method = rename_method(method, "sign-flip")
        return Difference(*values, difference, low, high, p, n, method, math.nan, estimate.units)
    half = t_quantile(UPPER, estimate.degrees) * estimate.error
    detectable = half + t_quantile(POWER, estimate.degrees) * estimate.error
    low, high = max(-contrast.span, estimate.value - half), min(contrast.span, estimate.value + half)
    p = t_two_sided(estimate.value / estimate.error, estimate.degrees)
    return Difference(*values, difference, low, high, p, n, method, detectable, estimate.units)


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
    low_a, high_a = wilson_interval(share_a, n_a)
    low_b, high_b = wilson_interval(share_b, n_b)
    delta = share_b - share_a
    down = math.hypot(share_b - low_b, high_a - share_a)
    up = math.hypot(high_b - share_b, share_a - low_a)
    return delta - down, delta + up
