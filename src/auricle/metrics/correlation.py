"""How well a model's numbers follow people's: SRCC, LCC, Kendall's tau-b and RMSE.

A stat is a (predicted, true) pair. What can be sorted is sorted once; a resample then only counts
every pair another number of times, so that a thousand of them take no longer than a few sorts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from auricle.metrics.base import SumAggregator, WeightedAggregate, divide

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from auricle.metrics.base import Array

    Codes: TypeAlias = NDArray[np.int64]

MIN_RELATIVE_VARIANCE = 1e-12  # a variance so small beside the largest is rounding


class CorrelationAggregator:
    """A fold over (predicted, true) numbers."""

    def __init__(self, prepare: Callable[[Array, Array], WeightedAggregate], *, is_costly: bool = False) -> None:
        self._prepare = prepare
        self.is_costly = is_costly
        """Does a resample cost more than a sum? Then large data gets fewer of them."""

    def __call__(self, stats: Sequence[Any]) -> float:
        import numpy as np

        return self.prepare_weighted(stats)(np.ones(len(stats)))

    def prepare_weighted(self, stats: Sequence[Any]) -> WeightedAggregate:
        import numpy as np

        table = np.asarray(stats, dtype=np.float64).reshape(-1, 2)
        return self._prepare(np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1]))


# --- along a line ---------------------------------------------------------------------------


def _pearson(x: Array, y: Array) -> WeightedAggregate:
    x, y = _center(x), _center(y)
    return lambda weights: _product_moment(x, y, weights)


def _center(values: Array) -> Array:
    """Far from zero, squares would drown the differences."""
    import numpy as np

    return values - values.mean() if np.ptp(values) else np.zeros(len(values))


def _product_moment(x: Array, y: Array, weights: Array) -> float:
    """Pearson's r of values that each count so many times; NaN where one side does not vary."""
    import numpy as np

    total = weights.sum()
    if total < 2:
        return math.nan
    x = x - np.einsum("n,n->", weights, x) / total
    y = y - np.einsum("n,n->", weights, y) / total
    left, right, both = (float(np.einsum("n,n,n->", weights, a, b)) for a, b in ((x, x), (y, y), (x, y)))
    if left <= MIN_RELATIVE_VARIANCE * float((x * x).max()) or right <= MIN_RELATIVE_VARIANCE * float((y * y).max()):
        return math.nan
    return max(-1.0, min(1.0, both / (math.sqrt(left) * math.sqrt(right))))


# --- by rank ----------------------------------------------------------------------------------


def _spearman(x: Array, y: Array) -> WeightedAggregate:
    of_x, of_y = _prepare_ranks(x), _prepare_ranks(y)
    return lambda weights: _product_moment(of_x(weights), of_y(weights), weights)


def _prepare_ranks(values: Array) -> Callable[[Array], Array]:
    """Ranks in a sample that has each value so many times; equal values share their mean."""
    import numpy as np

    codes = _encode_values(values)

    def ranks(weights: Array) -> Array:
        counts = np.bincount(codes, weights=weights)
        found: Array = (np.cumsum(counts) - (counts - 1) / 2)[codes]
        return found

    return ranks


def _encode_values(values: Array) -> Codes:
    """Each value's place among the different values there are."""
    import numpy as np

    found: Codes = np.unique(values, return_inverse=True)[1]
    return found


def _kendall(x: Array, y: Array) -> WeightedAggregate:
    """Tau-b: concordant less discordant pairs, over those that are no tie in x, or in y."""
    import numpy as np

    of_x, of_y = _encode_values(x), _encode_values(y)
    together = _encode_values((of_x * (int(of_y.max(initial=0)) + 1) + of_y).astype(np.float64))
    discordant = _prepare_discordant_count(of_x, of_y)

    def tau(weights: Array) -> float:
        total = float(weights.sum())
        pairs = total * (total - 1) / 2
        tied_x, tied_y, tied = (
            float((counts * (counts - 1) / 2).sum())
            for counts in (np.bincount(each, weights=weights) for each in (of_x, of_y, together))
        )
        apart = pairs - tied_x - tied_y + tied - 2 * discordant(weights)
        return divide(apart, math.sqrt(pairs - tied_x) * math.sqrt(pairs - tied_y))

    return tau


def _prepare_discordant_count(codes_x: Codes, codes_y: Codes) -> WeightedAggregate:
    """How many pairs rise in x and fall in y: a merge sort whose merges are known beforehand."""
    import numpy as np

    by_x = np.lexsort((codes_y, codes_x))
    size = 1 << max(1, (len(by_x) - 1).bit_length())
    fell = np.full(size, len(by_x), dtype=np.int64)  # what is added to fill up comes last
    fell[: len(by_x)] = codes_y[by_x]
    place = np.arange(size)
    merges = []
    half = 1
    while half < size:
        is_later = (place // half) % 2
        order = np.lexsort((is_later, fell, place // (2 * half)))
        merges.append((order, is_later[order].astype(np.float64), 2 * half))
        half *= 2

    def count(weights: Array) -> float:
        held = np.zeros(size)
        held[: len(by_x)] = weights[by_x]
        total = 0.0
        for order, is_later, width in merges:
            merged = held[order]
            later = merged * is_later
            before = np.cumsum(later.reshape(-1, width), axis=1).ravel()
            total += float(np.einsum("n,n->", merged - later, before))
        return total

    return count


srcc = CorrelationAggregator(_spearman, is_costly=True)
"""Spearman's rank correlation."""
lcc = CorrelationAggregator(_pearson)
"""Pearson's linear correlation."""
ktau = CorrelationAggregator(_kendall, is_costly=True)
"""Kendall's tau-b."""
rmse = SumAggregator(lambda totals: math.sqrt(divide(totals[0], totals[-1])))
"""The root of the mean squared error, over squared errors."""
