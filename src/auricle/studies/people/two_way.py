"""Intervals of numbers whose ratings share both listeners and items.

A rating depends on who rates and on what is rated, and both are drawn from many. Treating ratings, or listeners alone,
as independent makes an interval too narrow. The variance here is V(listeners) + V(items) - V(cells), where each term is
the jackknife variance over clusters: all ratings of a listener, of an item, and of a listener and an item together
(Cameron, Gelbach and Miller, 2011).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from auricle.metrics.base import Array, Codes
from auricle.metrics.distributions import t_quantile, t_two_sided
from auricle.metrics.jackknife import standard_error
from auricle.metrics.scales import UPPER


@dataclass(frozen=True, slots=True)
class TwoWayEstimate:
    """A number with its standard error over listeners and items."""

    value: float
    error: float
    """Standard error; NaN with a single rating."""
    degrees: float
    """Degrees of freedom: one less than the number of listeners or of items, whichever is smaller. A way with a single
    member does not count: the number then holds for that listener or item only."""
    listeners: int
    items: int

    def interval(self, lowest: float = -math.inf, highest: float = math.inf) -> tuple[float, float]:
        """Return the ends of the 95 % interval of Student's t, within the range of the scale."""
        if math.isnan(self.error):
            return math.nan, math.nan
        half = t_quantile(UPPER, self.degrees) * self.error
        return max(lowest, self.value - half), min(highest, self.value + half)

    @property
    def p(self) -> float:
        """Two-sided p value of the hypothesis that the number is zero; NaN if its error is unknown or zero."""
        if math.isnan(self.error) or not self.error:
            return math.nan
        return t_two_sided(self.value / self.error, self.degrees)


def estimate_mean(values: Array, listeners: Codes, items: Codes) -> TwoWayEstimate:
    """Estimate a mean of ratings.

    Args:
        values: The ratings.
        listeners: Index of the listener of each rating, from 0.
        items: Index of the item of each rating, from 0.

    Returns:
        The mean, with its standard error over listeners and items.

    Examples:
        >>> import numpy as np
        >>> ratings = np.array([4.0, 3.0, 5.0, 4.0])
        >>> estimate = estimate_mean(ratings, np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
        >>> estimate.value, round(estimate.error, 3)
        (4.0, 0.707)
    """
    if not len(values):
        return TwoWayEstimate(math.nan, math.nan, 1, 0, 0)
    mean = float(values.mean())
    return estimate_from_influences(mean, (values - mean) / len(values), listeners, items)


def estimate_difference_of_means(
    values: tuple[Array, Array], listeners: tuple[Codes, Codes], items: tuple[Codes, Codes]
) -> TwoWayEstimate:
    """Estimate the mean of the first ratings minus that of the second, which share listeners and items."""
    first, second = values
    if not len(first) or not len(second):
        return TwoWayEstimate(math.nan, math.nan, 1, 0, 0)
    means = float(first.mean()), float(second.mean())
    influences = np.concatenate([(first - means[0]) / len(first), (means[1] - second) / len(second)])
    return estimate_from_influences(means[0] - means[1], influences, np.concatenate(listeners), np.concatenate(items))


def estimate_from_influences(value: float, influences: Array, listeners: Codes, items: Codes) -> TwoWayEstimate:
    """Estimate a number from the influence of each rating on it; see `unit_influences`."""
    listener_codes, listener_count = _renumber(listeners)
    item_codes, item_count = _renumber(items)
    cells, _ = _renumber(listener_codes * item_count + item_codes)
    by_listener, by_item, by_cell = (
        _cluster_variance(influences, codes) for codes in (listener_codes, item_codes, cells)
    )
    # Either way alone is a lower bound of the variance, which the difference may fall below by chance.
    ways = [variance for variance in (by_listener, by_item) if not math.isnan(variance)]
    both = by_listener + by_item - by_cell if len(ways) == 2 else 0.0
    variance = max(both, *ways) if ways else math.nan
    degrees = min((count - 1 for count in (listener_count, item_count) if count > 1), default=1)
    return TwoWayEstimate(value, math.sqrt(variance), degrees, listener_count, item_count)


def _cluster_variance(influences: Array, clusters: Codes) -> float:
    totals: Array = np.bincount(clusters, weights=influences).astype(np.float64)
    return standard_error(totals) ** 2


def encode_names(names: Sequence[Hashable]) -> Codes:
    """Return the index of each name among the distinct names, in order of appearance."""
    index_by_name: dict[Hashable, int] = {}
    return np.array([index_by_name.setdefault(name, len(index_by_name)) for name in names], dtype=np.int64)


def _renumber(codes: Codes) -> tuple[Codes, int]:
    distinct, renumbered = np.unique(codes, return_inverse=True)
    return renumbered.reshape(-1), len(distinct)
