"""F1 over pooled counts: the right items of both texts per item of both texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from auricle.metrics.base import Array, Details, SumAggregator, divide
from auricle.metrics.scales import SHARE


class PooledF1(SumAggregator):
    """F1 of counts that are summed over all samples.

    Args:
        right: Columns of the right items of the reference and of the answer; often the same column twice.
        items: Columns of all items of the reference and of the answer.
        details: Function from the column totals to what is reported with the number.

    >>> PooledF1((0, 0), (1, 2))([(1, 2, 1), (0, 0, 1)])
    0.5
    """

    is_fast = True

    def __init__(
        self, right: Sequence[int], items: Sequence[int], details: Callable[[Array], Details] | None = None
    ) -> None:
        super().__init__(self._divide_totals, details, SHARE)
        self._right = list(right)
        self._items = list(items)

    def _divide_totals(self, totals: Array) -> float:
        return divide(totals[self._right].sum(), totals[self._items].sum())

    def finish_each(self, totals: Array) -> Array:
        right, items = totals[:, self._right].sum(axis=1), totals[:, self._items].sum(axis=1)
        undefined = np.full(len(totals), np.nan)
        values: Array = np.divide(right, items, out=undefined, where=items != 0)
        return values
