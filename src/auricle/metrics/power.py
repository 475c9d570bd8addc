"""Power of a comparison of two models: how much data shows a difference, and what difference the data can show.

The difference between two numbers has a standard error that shrinks with the square root of the number of independent
units: samples, or clusters of samples such as speakers. A two-sided t test of a true difference then has the power
of the noncentral t distribution. All that has to be known is the variance per unit, from a pilot or as an assumption.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import NormalDist, fmean

import numpy as np

from auricle.metrics.base import Aggregator, Array, Codes, Stats
from auricle.metrics.distributions import t_quantile
from auricle.metrics.jackknife import standard_error, unit_influences

SIGNIFICANCE_LEVEL = 0.05
MIN_UNITS = 2
PRECISION = 1e-9
"""Relative precision of detectable differences."""
MAX_UNITS = 10**9
"""Units beyond which a difference is called undetectable."""
NORMAL_DEGREES = 10_000
"""Degrees of freedom from which the power of a t test equals that of a test with known variance."""
GRID_POINTS = 300
GRID_WIDTH = 10.0
"""Standard deviations on either side over which the distribution of a standard error is integrated."""
GRID_DEPTH = 20.0
"""Logarithm of the probability below the grid, which decides with one or two degrees of freedom."""
CONFIDENCE_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How precisely a unit of data shows the difference between two models.

    Args:
        variance: Variance of the difference from one sample: the squared standard error of a difference over n
            independent samples, times n. If the samples of the models are different, n samples of each.
        correlation: Correlation of the differences of two samples of one cluster (the intraclass correlation).
        per_cluster: Mean number of samples of a cluster; 1 if samples are independent.
        imbalance: Mean size of the cluster of a sample, relative to the mean size of a cluster; 1 if all are equal.
        is_paired: Whether both models answer the same samples.
        relative_error: Relative standard error of the variance; 0 if it is an assumption.
        level: Significance level of the two-sided test.

    Examples:
        >>> design = Design(variance=0.2)
        >>> design.count_units(0.05, power=0.8)
        630
        >>> round(design.compute_power(0.05, 630), 2), round(design.find_detectable(2500, power=0.8), 3)
        (0.8, 0.025)
    """

    variance: float
    correlation: float = 0.0
    per_cluster: float = 1.0
    imbalance: float = 1.0
    is_paired: bool = True
    relative_error: float = 0.0
    level: float = SIGNIFICANCE_LEVEL

    @classmethod
    def detecting(cls, difference: float, units: int, power: float) -> Design:
        """Return the design of which this many units detect a difference with this power."""
        return cls(variance=(difference / cls(variance=1.0).find_detectable(units, power)) ** 2)

    @property
    def design_effect(self) -> float:
        """How many times more samples are needed because those of a cluster are alike."""
        return 1 + (self.imbalance * self.per_cluster - 1) * self.correlation

    @property
    def unit_variance(self) -> float:
        """The squared standard error of a difference, times the number of units: samples, or clusters."""
        return self.variance * self.design_effect / self.per_cluster

    def compute_power(self, difference: float, units: float) -> float:
        """Compute the probability that a true difference is significant.

        Args:
            difference: The true difference, in the unit of the metric.
            units: Number of samples or clusters; in each group if the samples of the models are different.
        """
        if units < MIN_UNITS:
            return 0.0
        if not self.unit_variance:
            return 1.0 if difference else self.level
        degrees = (1 if self.is_paired else 2) * (units - 1)
        return t_test_power(abs(difference) * math.sqrt(units / self.unit_variance), degrees, self.level)

    def count_units(self, difference: float, power: float) -> int | None:
        """Return the number of samples or clusters that show a difference with this power; None if beyond 10⁹."""
        high = MIN_UNITS
        while self.compute_power(difference, high) < power:
            high *= 2
            if high > MAX_UNITS:
                return None
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.compute_power(difference, middle) >= power else (middle, high)
        return high

    def find_detectable(self, units: float, power: float) -> float:
        """Return the smallest difference that is significant with this power; NaN if there are too few units."""
        if units < MIN_UNITS:
            return math.nan
        low, high = 0.0, math.sqrt(self.unit_variance / units)  # of 0, every difference is detected
        while high and self.compute_power(high, units) < power:
            low, high = high, 2 * high
        while high - low > PRECISION * high:
            middle = (low + high) / 2
            low, high = (low, middle) if self.compute_power(middle, units) >= power else (middle, high)
        return high

    def at_confidence_end(self, sign: int) -> Design:
        """Return the design at the lower (-1) or upper (1) end of the 95 % interval of its variance."""
        return replace(self, variance=self.variance * math.exp(sign * CONFIDENCE_Z * self.relative_error))


def t_test_power(noncentrality: float, degrees: float, level: float = SIGNIFICANCE_LEVEL) -> float:
    """Compute the power of a two-sided t test.

    Args:
        noncentrality: The true difference in standard errors.
        degrees: Degrees of freedom of the standard error.
        level: Significance level.

    Examples:
        >>> round(t_test_power(2.8, 1000), 3), round(t_test_power(2.8, 5), 3)
        (0.799, 0.614)
    """
    critical = t_quantile(1 - level / 2, degrees)
    if degrees >= NORMAL_DEGREES:
        return _beyond(noncentrality, critical)
    # The ratio of the estimated to the true standard error follows a chi distribution; average over its logarithm.
    spread = GRID_WIDTH / math.sqrt(2 * degrees)
    low, high = -max(spread, GRID_DEPTH / degrees), math.log1p(spread)
    logs = low + (high - low) * (np.arange(GRID_POINTS) + 0.5) / GRID_POINTS
    log_density = degrees * (logs - np.exp(2 * logs) / 2)
    density = np.exp(log_density - log_density.max())
    powers = [_beyond(noncentrality, critical * ratio) for ratio in np.exp(logs).tolist()]
    return float((density * np.array(powers)).sum() / density.sum())


def _beyond(noncentrality: float, critical: float) -> float:
    """Return the probability that a normal number with this mean is beyond a critical value on either side."""
    above, below = critical - noncentrality, critical + noncentrality
    return (math.erfc(above / math.sqrt(2)) + math.erfc(below / math.sqrt(2))) / 2


# --- where the variance comes from -------------------------------------------------------


def estimate_design(
    pilots: Sequence[tuple[Stats, Codes | None]],
    aggregate: Aggregator,
    *,
    is_paired: bool = True,
    model_correlation: float = 0.0,
) -> Design:
    """Estimate a design from the statistics of one or two pilot runs.

    Args:
        pilots: Statistics of one model or two, each with the cluster index of each sample, such as its speaker. Of a
            paired design, the statistics of the same samples in the same order.
        aggregate: Function from statistics to one number.
        is_paired: Whether both models will answer the same samples.
        model_correlation: Correlation between the scores of two models on a sample, if there is only one pilot.

    Examples:
        >>> from auricle.metrics import mean
        >>> a, b = [0.0, 1.0, 0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 1.0, 0.0, 0.0, 1.0]
        >>> round(estimate_design([(a, None), (b, None)], mean).variance, 3)
        0.567
    """
    influences = [partial(unit_influences, stats, aggregate) for stats, _ in pilots]
    (stats, clusters), *others = pilots
    if others and is_paired:
        a, b = influences
        return _design_from_influences(lambda units: b(units) - a(units), len(stats), clusters)
    designs = [
        _design_from_influences(influence, len(stats), clusters)
        for influence, (stats, clusters) in zip(influences, pilots, strict=True)
    ]
    shared = model_correlation if is_paired else 0.0
    return Design(
        variance=2 * (1 - shared) * fmean(design.variance for design in designs),
        correlation=fmean(design.correlation for design in designs),
        per_cluster=fmean(design.per_cluster for design in designs),
        imbalance=fmean(design.imbalance for design in designs),
        is_paired=is_paired,
        relative_error=max(design.relative_error for design in designs),
    )


def assume_design(sample_variance: float, *, model_correlation: float = 0.0, is_paired: bool = True) -> Design:
    """Return the design of two models whose scores have the same variance.

    Args:
        sample_variance: Variance of the score of one sample; `rate_variance` computes that of a rate.
        model_correlation: Correlation between the scores of the two models on a sample.
        is_paired: Whether both models answer the same samples.
    """
    shared = model_correlation if is_paired else 0.0
    return Design(variance=2 * (1 - shared) * sample_variance, is_paired=is_paired)


def rate_variance(rate: float, words: float | None = None, dispersion: float = 1.0) -> float:
    """Return the variance that one sample contributes to a rate.

    Args:
        rate: The share of right samples, or of wrong words.
        words: Mean number of reference words per sample, for an error rate; None if samples are right or wrong.
        dispersion: How many times larger the variance of the number of errors is than if errors were independent.

    Examples:
        >>> rate_variance(0.5), rate_variance(0.1, words=10, dispersion=2)
        (0.25, 0.02)
    """
    return dispersion * (rate * (1 - rate) if words is None else rate / words)


def _design_from_influences(influences: Callable[[Codes | None], Array], count: int, clusters: Codes | None) -> Design:
    by_sample = influences(None)
    variance = count * standard_error(by_sample) ** 2
    if clusters is None:
        return Design(variance=variance, relative_error=_variance_error(by_sample))
    by_cluster = influences(clusters)
    sizes = np.bincount(clusters)
    sizes = sizes[sizes > 0]
    mean_size, member_size = float(sizes.mean()), float((sizes**2).sum() / sizes.sum())
    effect = count * standard_error(by_cluster) ** 2 / variance if variance else 1.0
    correlation = (effect - 1) / (member_size - 1) if member_size > 1 else 0.0
    return Design(
        variance=variance,
        correlation=min(1.0, max(0.0, correlation)),
        per_cluster=mean_size,
        imbalance=member_size / mean_size,
        relative_error=_variance_error(by_cluster),
    )


def _variance_error(influences: Array) -> float:
    """Return the relative standard error of the variance of influences, whatever their distribution."""
    squares = influences[~np.isnan(influences)] ** 2
    if len(squares) < MIN_UNITS or not squares.mean():
        return math.nan
    return float(squares.std(ddof=1) / squares.mean() / math.sqrt(len(squares)))
