"""The 95 % interval of a number from its standard error, on the scale that suits it.

A standard error alone gives intervals that leave the possible range, collapse to a point when every answer is right,
and miss the truth too often when there are few samples. An aggregator therefore returns the scale of its numbers:
what range they have and how their error depends on their value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeAlias

from auricle.metrics.distributions import binomial_mid_p_limit, gamma_quantile, normal_quantile, t_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"

LEVEL = 0.95
UPPER = (1 + LEVEL) / 2
Z_95 = normal_quantile(UPPER)
"""Standard normal quantile of a two-sided 95 % interval."""
ROUNDING_ERROR = 1e-12
"""Standard errors below this share of the numbers, or of their limits, are rounding errors."""
LARGEST_CORRELATION = 1 - 1e-12
"""Correlations beyond this are taken for it, because Fisher's transformation of 1 is infinite."""
DEGREES_PER_ERRONEOUS_UNIT = 4
"""How many degrees of freedom an utterance with errors contributes to the variance of an error rate."""
ERRORS_AT_ONCE = 2.0
"""How many errors are assumed to occur together, as far as too few errors show it."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with what is known about its error."""

    value: float
    error: float
    """Standard error; NaN if it is unknown."""
    skewness: float
    """Skewness of the estimate's distribution; 0 if it is unknown."""
    degrees: float
    """Degrees of freedom of the standard error."""
    units: int
    """Number of independent units: samples, or clusters of samples."""
    bias: float = 0.0
    """How much the number is expected to exceed the true one, by the jackknife; 0 if it is unknown."""

    @property
    def quantile(self) -> float:
        """How many standard errors a 95 % interval extends to each side."""
        return t_quantile(UPPER, self.degrees)

    @property
    def inflation(self) -> float:
        """How much larger the variance has to be taken because it is estimated from few units."""
        return (self.quantile / Z_95) ** 2


class Scale(Protocol):
    """How an interval follows from a number and its standard error."""

    @property
    def name(self) -> str:
        """Name of the method."""

    @property
    def needs_error(self) -> bool:
        """Whether the interval depends on the standard error."""

    def transform(self, values: Array) -> Array:
        """Return values on the scale on which their error is estimated."""

    def interval(self, estimate: Estimate) -> tuple[float, float]:
        """Return the ends of the 95 % interval of an estimate on that scale, in the unit of the number."""

    def unchanged_bound(self, units: int) -> float:
        """Return how far a difference may be from what all units agree on; 0 if nothing is known."""

    @property
    def limits(self) -> tuple[float, float]:
        """Lowest and highest possible number."""

    @property
    def span(self) -> float:
        """Largest possible difference of two numbers; infinite without limits."""


class Limited:
    """Numbers between two limits, which may be infinite."""

    __slots__ = ()

    @property
    def limits(self) -> tuple[float, float]:
        return -math.inf, math.inf

    @property
    def span(self) -> float:
        return self.limits[1] - self.limits[0]


@dataclass(frozen=True, slots=True)
class RealScale(Limited):
    """Any number, such as a mean rating: Student's t interval, extended on the side to which the units are skewed.

    The interval extends to the further end of two intervals at each side: that of Student's t, and that of t after
    Hall's (1992) correction for skewness.
    """

    lowest: float = -math.inf
    highest: float = math.inf
    name: str = "skew-t"
    needs_error: bool = True

    @property
    def limits(self) -> tuple[float, float]:
        return self.lowest, self.highest

    def transform(self, values: Array) -> Array:
        return values

    def interval(self, estimate: Estimate) -> tuple[float, float]:
        half = estimate.quantile * estimate.error
        low, high = estimate.value - half, estimate.value + half
        if estimate.skewness:
            corrected = [self._hall_bound(estimate, sign * estimate.quantile) for sign in (1, -1)]
            low, high = min(low, corrected[0]), max(high, corrected[1])
        return max(self.lowest, low), min(self.highest, high)

    @staticmethod
    def _hall_bound(estimate: Estimate, quantile: float) -> float:
        skewness = estimate.skewness
        cube = 1 + skewness * (quantile - skewness / 6)
        return estimate.value - estimate.error * (math.copysign(abs(cube) ** (1 / 3), cube) - 1) * 3 / skewness

    def unchanged_bound(self, units: int) -> float:
        return 0.0


@dataclass(frozen=True, slots=True)
class LogScale(Limited):
    """Positive numbers whose error grows with their value, such as a perplexity: an interval of their logarithm."""

    lowest: float = 0.0
    name: str = "log-skew-t"
    needs_error: bool = True

    @property
    def limits(self) -> tuple[float, float]:
        return self.lowest, math.inf

    def transform(self, values: Array) -> Array:
        import numpy as np

        with np.errstate(divide="ignore", invalid="ignore"):
            logarithms: Array = np.log(values)
        return logarithms

    def interval(self, estimate: Estimate) -> tuple[float, float]:
        low, high = RealScale().interval(estimate)
        return max(self.lowest, math.exp(low)), _exp(high)

    def unchanged_bound(self, units: int) -> float:
        return 0.0


def _exp(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


@dataclass(frozen=True, slots=True)
class BoundedScale(Limited):
    """Numbers between two limits, such as a mean of partial credits or a correlation: Wilson's score interval.

    The number of trials is that of independent zeros and ones with the same standard error. If all units agree, it is
    the number of samples if these differ, and otherwise, or at a limit, the number of units.
    """

    low: float = 0.0
    high: float = 1.0
    most_trials: float = math.inf
    samples: int = 0
    """Number of samples if units are clusters of samples that differ."""
    name: str = "wilson"
    needs_error: bool = True

    def transform(self, values: Array) -> Array:
        return values

    def interval(self, estimate: Estimate) -> tuple[float, float]:
        share = min(1.0, max(0.0, (estimate.value - self.low) / (self.high - self.low)))
        low, high = wilson_interval(share, self._effective_trials(share, estimate))
        return self._restore(low), self._restore(high)

    def _effective_trials(self, share: float, estimate: Estimate) -> float:
        error = estimate.error / self.span
        if not 0 < share < 1:
            trials: float = estimate.units
        elif error > ROUNDING_ERROR:
            trials = share * (1 - share) / error**2
        else:
            trials = self.samples or estimate.units
        return min(trials, self.most_trials) / estimate.inflation

    def _restore(self, share: float) -> float:
        return self.low + share * self.span

    def unchanged_bound(self, units: int) -> float:
        return wilson_interval(0.0, units)[1] * self.span

    @property
    def limits(self) -> tuple[float, float]:
        return self.low, self.high


@dataclass(frozen=True, slots=True)
class RatingScale(BoundedScale):
    """Means of numbers with limits other than 0 and 1, such as ratings from 1 to 5.

    The interval is that of Student's t as on a `RealScale`, cut at the limits and extended to Wilson's: if most ratings
    are equal, the standard error shows too little of how much others may differ.
    """

    name: str = "limits-t"

    def interval(self, estimate: Estimate) -> tuple[float, float]:
        low, high = BoundedScale.interval(self, estimate)
        t_low, t_high = RealScale().interval(estimate)
        return max(self.low, min(low, t_low)), min(self.high, max(high, t_high))


@dataclass(frozen=True, slots=True)
class MinimumScale(BoundedScale):
    """Numbers between two limits that are the lowest over thresholds chosen on the same samples, and so too low.

    The interval extends from the lower to the higher end of two: that of the number, and that of the number minus its
    bias.
    """

    name: str = "wilson-bias"
    bias_factor: float = 1.0
    """How much larger the bias is than the jackknife shows, which takes it to fall with the number of units."""

    def interval(self, estimate: Estimate) -> tuple[float, float]:
        low, high = BoundedScale.interval(self, estimate)
        if not math.isfinite(estimate.bias):
            return low, high
        corrected = min(self.high, max(self.low, estimate.value - self.bias_factor * estimate.bias))
        other_low, other_high = BoundedScale.interval(self, replace(estimate, value=corrected))
        return min(low, other_low), max(high, other_high)


@dataclass(frozen=True, slots=True)
class WithheldScale(Limited):
    """Numbers of too few trials for an interval that would contain the truth: they have none."""

    scale: Scale
    """The scale that they would have with more of them."""
    reason: str
    """What the interval needs."""
    name: str = "withheld"
    needs_error: bool = False

    def transform(self, values: Array) -> Array:
        return self.scale.transform(values)

    def interval(self, estimate: Estimate) -> tuple[float, float]:
        return math.nan, math.nan

    def unchanged_bound(self, units: int) -> float:
        return self.scale.unchanged_bound(units)

    @property
    def limits(self) -> tuple[float, float]:
        return self.scale.limits


@dataclass(frozen=True, slots=True)
class ShareDifferenceScale(Limited):
    """Differences of two shares, such as of hits in two groups of words: Student's t interval within -1 and 1.

    If all units agree, the interval is as wide as that of a share of zero, because another unit might not.
    """

    name: str = "skew-t"
    needs_error: bool = True
    limits = (-1.0, 1.0)

    def transform(self, values: Array) -> Array:
        return values

    def interval(self, estimate: Estimate) -> tuple[float, float]:
        if estimate.error > ROUNDING_ERROR:
            low, high = RealScale().interval(estimate)
        else:
            half = self.unchanged_bound(estimate.units / estimate.inflation)
            low, high = estimate.value - half, estimate.value + half
        return max(-1.0, low), min(1.0, high)

    def unchanged_bound(self, units: float) -> float:
        return wilson_interval(0.0, units)[1]


@dataclass(frozen=True, slots=True)
class FisherScale(Limited):
    """Correlations of measured numbers: Student's t interval of their inverse hyperbolic tangent (Fisher 1921).

    Rank correlations of few pairs and agreements of labels jump between few values, up to exactly 1, where the
    tangent is infinite; Wilson's interval suits them better, and a correlation at its limit.
    """

    name: str = "fisher-t"
    needs_error: bool = True
    limits = (-1.0, 1.0)

    def transform(self, values: Array) -> Array:
        import numpy as np

        angles: Array = np.arctanh(np.clip(values, -LARGEST_CORRELATION, LARGEST_CORRELATION))
        return angles

    def interval(self, estimate: Estimate) -> tuple[float, float]:
        if estimate.error <= ROUNDING_ERROR:
            return CORRELATION.interval(replace(estimate, value=math.tanh(estimate.value), error=0.0))
        half = estimate.quantile * estimate.error
        return math.tanh(estimate.value - half), math.tanh(estimate.value + half)

    def unchanged_bound(self, units: int) -> float:
        return CORRELATION.unchanged_bound(units)


@dataclass(frozen=True, slots=True)
class HitScale(Limited):
    """Shares of independent zeros and ones, such as an accuracy: the exact interval with mid-P limits.

    Wilson's interval is as good on average, but for some shares of ten samples contains them in only 86 % of cases.
    """

    trials: int
    name: str = "mid-p"
    needs_error: bool = False
    limits = (0.0, 1.0)

    def transform(self, values: Array) -> Array:
        return values

    def interval(self, estimate: Estimate) -> tuple[float, float]:
        return mid_p_interval(round(estimate.value * self.trials), self.trials)

    def unchanged_bound(self, units: int) -> float:
        return mid_p_interval(0, units)[1]


@dataclass(frozen=True, slots=True)
class RateScale(Limited):
    """Counted errors per word or other unit, without an upper limit: the interval of Fay and Feuer (1997).

    Errors that occur together count as one event, and the number of events has a Poisson distribution. How many occur
    together is estimated from how much the errors of units vary, and tends to two if hardly any unit has errors. The
    upper end for no errors at all is thus the exact one of a Poisson distribution for errors in pairs. Units without
    errors show little about how errors occur, so a few units with errors leave few degrees of freedom.
    """

    step: float
    """The rate of a single error: one over the number of words."""
    erroneous_units: int
    """Number of units with errors."""
    name: str = "gamma"
    needs_error: bool = True
    limits = (0.0, math.inf)

    def transform(self, values: Array) -> Array:
        return values

    def interval(self, estimate: Estimate) -> tuple[float, float]:
        at_once = estimate.error**2 / (estimate.value * self.step) if estimate.value else 0.0
        at_once = (self.erroneous_units * at_once + ERRORS_AT_ONCE) / (self.erroneous_units + 1)
        event = at_once * self._limit_degrees(estimate).inflation * self.step
        events = estimate.value / event
        low = gamma_quantile(1 - UPPER, events) * event if events else 0.0
        return low, gamma_quantile(UPPER, events + 1) * event

    def _limit_degrees(self, estimate: Estimate) -> Estimate:
        limit = DEGREES_PER_ERRONEOUS_UNIT * self.erroneous_units or math.inf
        return replace(estimate, degrees=min(estimate.degrees, limit))

    def unchanged_bound(self, units: int) -> float:
        return gamma_quantile(UPPER, 1) * ERRORS_AT_ONCE * self.step


REAL = RealScale()
UNKNOWN = RealScale(name="bootstrap-t")
"""Numbers of a function about which nothing is known; their standard error is that of a bootstrap."""
NONNEGATIVE = RealScale(lowest=0.0)
NONNEGATIVE_UNKNOWN = replace(UNKNOWN, lowest=0.0)
SHARE_DIFFERENCE = ShareDifferenceScale()
SHARE = BoundedScale()
CORRELATION = BoundedScale(low=-1.0)
FISHER = FisherScale()
PER_CENT = BoundedScale(high=100.0)


def choose_mean_scale(
    low: float, high: float, limits: tuple[float, float] | None, trials: int = 0, samples: int = 0
) -> Scale:
    """Return the scale of the mean of numbers in a range; without limits, it is that of a share between 0 and 1.

    Args:
        low: Lowest of the numbers.
        high: Highest of the numbers.
        limits: Lowest and highest possible number; they are ignored if a number is beyond them.
        trials: Number of samples if they are independent and the numbers are whole.
        samples: Number of samples if clusters of them are independent.
    """
    lowest, highest = limits or (0.0, 1.0)
    if not lowest <= low <= high <= highest:
        return REAL
    samples = samples if low < high else 0
    if limits:
        return RatingScale(lowest, highest, samples=samples)
    if trials:
        return HitScale(trials)
    return BoundedScale(samples=samples) if samples else SHARE


def mid_p_interval(hits: int, trials: int) -> tuple[float, float]:
    """Compute the mid-P interval of a share of independent trials; it is also valid if all or none are hits.

    >>> low, high = mid_p_interval(12, 12)
    >>> round(low, 3), high
    (0.779, 1.0)
    """
    tail = 1 - UPPER
    return binomial_mid_p_limit(tail, hits, trials), 1 - binomial_mid_p_limit(tail, trials - hits, trials)


def wilson_interval(share: float, trials: float) -> tuple[float, float]:
    """Compute Wilson's score interval of a share of trials; it is also valid if all or none are hits.

    >>> low, high = wilson_interval(1.0, 12)
    >>> round(low, 3), high
    (0.758, 1.0)
    """
    spread = Z_95 * Z_95 / trials
    centre = (share + spread / 2) / (1 + spread)
    half = Z_95 * math.sqrt(share * (1 - share) / trials + spread / (4 * trials)) / (1 + spread)
    # Without rounding errors at the limits.
    return max(0.0, centre - half) if share > 0 else 0.0, min(1.0, centre + half) if share < 1 else 1.0
