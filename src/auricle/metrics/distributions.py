"""Quantiles and tail probabilities of the normal, Student's t, gamma, chi-square and binomial distributions.

Without scipy, which takes long to import.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

_NORMAL = NormalDist()
NORMAL_DEGREES = 1e7
"""Degrees of freedom above which Student's t equals the normal distribution to nine digits."""
EXPANSION_SHAPE = 1e4
"""Shape above which quantiles of the gamma distribution are expanded around those of the normal distribution."""
MAX_TERMS = 100_000
PRECISION = 1e-16


def normal_quantile(probability: float) -> float:
    """Return the quantile of the standard normal distribution."""
    return _NORMAL.inv_cdf(probability)


@lru_cache(maxsize=4096)
def t_quantile(probability: float, degrees: float) -> float:
    """Return the quantile of Student's t distribution.

    >>> round(t_quantile(0.975, 4), 4)
    2.7764
    """
    if degrees > NORMAL_DEGREES:
        return normal_quantile(probability)
    if probability < 0.5:
        return -t_quantile(1 - probability, degrees)
    tail = 2 * (1 - probability)
    high = 1.0
    while t_two_sided(high, degrees) > tail:
        high *= 2
    return _bisect(lambda value: tail - t_two_sided(value, degrees), 0.0, high)


def t_two_sided(statistic: float, degrees: float) -> float:
    """Return the probability that Student's t is at least this far from zero.

    >>> round(t_two_sided(2.7764, 4), 4)
    0.05
    """
    if degrees > NORMAL_DEGREES:
        return math.erfc(abs(statistic) / math.sqrt(2))
    square = statistic * statistic
    if math.isinf(square):
        return 0.0
    return _beta_upper_tail(0.5, degrees / 2, square / (degrees + square))


def gamma_quantile(probability: float, shape: float) -> float:
    """Return the quantile of the gamma distribution with scale 1; that of chi-square is twice as large.

    >>> round(2 * gamma_quantile(0.975, 1), 4)
    7.3778
    """
    z = normal_quantile(probability)
    if shape > EXPANSION_SHAPE:
        root = math.sqrt(shape)  # Cornish and Fisher's expansion
        return (
            shape + z * root + (z * z - 1) / 3 + (z**3 - 7 * z) / (36 * root) - (3 * z**4 + 7 * z**2 - 16) / 810 / shape
        )
    high = shape + 1.0
    while _incomplete_gamma(shape, high) < probability:
        high *= 2
    return _bisect(lambda value: _incomplete_gamma(shape, value) - probability, 0.0, high)


def chi_square_tail(statistic: float, degrees: float) -> float:
    """Return the probability that chi-square is at least this large.

    >>> round(chi_square_tail(7.8147, 3), 4)
    0.05
    """
    return 1 - _incomplete_gamma(degrees / 2, statistic / 2)


@lru_cache(maxsize=4096)
def binomial_mid_p_limit(tail: float, hits: int, trials: int) -> float:
    """Return the lower mid-P limit of a share: with this share, so many hits or more would have the probability `tail`.

    The probability of exactly so many hits counts half.

    >>> round(binomial_mid_p_limit(0.025, 9, 10), 4)
    0.5965
    """
    if not hits:
        return 0.0

    def excess(share: float) -> float:
        at_least = 1 - _beta_upper_tail(hits, trials - hits + 1, share)
        more = 1 - _beta_upper_tail(hits + 1, trials - hits, share) if hits < trials else 0.0
        return (at_least + more) / 2 - tail

    return _find_root(excess, 0.0, hits / trials)


def _find_root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Return the root of a smooth rising function between two numbers, by the Illinois method."""
    below, above, is_above = rising(low), rising(high), None
    while high - low > 1e-13 * high:
        middle = high - above * (high - low) / (above - below)
        if not low < middle < high:
            middle = (low + high) / 2
        value = rising(middle)
        if value > 0:
            high, above, below = middle, value, below / 2 if is_above else below
        elif value < 0:
            low, below, above = middle, value, above / 2 if is_above is False else above
        else:
            return middle
        is_above = value > 0
    return (low + high) / 2


def _bisect(rising: Callable[[float], float], low: float, high: float) -> float:
    """Return the root of a rising function between two numbers."""
    while True:
        middle = (low + high) / 2
        if not low < middle < high or high - low <= 1e-14 * high:
            return middle
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)


def _incomplete_gamma(shape: float, value: float) -> float:
    """Return the regularised lower incomplete gamma function, by its series or its continued fraction."""
    if value <= 0:
        return 0.0
    front = math.exp(shape * math.log(value) - value - math.lgamma(shape))
    if value < shape + 1:
        term = total = 1 / shape
        for index in range(1, MAX_TERMS):
            term *= value / (shape + index)
            total += term
            if term < total * PRECISION:
                break
        return min(1.0, front * total)
    step = _Lentz(value + 1 - shape, math.inf)
    for index in range(1, MAX_TERMS):
        if step.add(-index * (index - shape), value + 2 * index + 1 - shape):
            break
    return max(0.0, 1 - front * step.value)


def _beta_upper_tail(a: float, b: float, x: float) -> float:
    """Return the upper tail of the beta distribution (a, b) at x, by its continued fraction."""
    if not 0 < x < 1:
        return 1.0 if x <= 0 else 0.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return 1 - front * _beta_fraction(a, b, x) / a
    return front * _beta_fraction(b, a, 1 - x) / b


def _beta_fraction(a: float, b: float, x: float) -> float:
    step = _Lentz(1 - (a + b) * x / (a + 1), 1.0)
    for m in range(1, MAX_TERMS):
        step.add(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), 1.0)
        if step.add(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), 1.0):
            break
    return step.value


class _Lentz:
    """A continued fraction, evaluated term by term by the method of Lentz."""

    def __init__(self, first: float, ratio: float) -> None:
        self._inverse = 1 / first
        self._ratio = ratio
        self.value = self._inverse

    def add(self, numerator: float, denominator: float) -> bool:
        """Add a term and return whether the value no longer changes."""
        self._inverse = 1 / ((numerator * self._inverse + denominator) or 1e-300)
        self._ratio = (denominator + numerator / self._ratio) or 1e-300
        change = self._inverse * self._ratio
        self.value *= change
        return abs(change - 1) < PRECISION * 4
