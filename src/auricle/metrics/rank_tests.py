"""Exact tests over listeners: the sign test and Wilcoxon's signed-rank test."""

from __future__ import annotations

import math

import numpy as np

from auricle.metrics.base import Array, Codes
from auricle.metrics.correlation import prepare_ranks


def sign_test(wins: int, losses: int) -> float:
    """Return the two-sided p value of the exact sign test; ties are left out. NaN without wins and losses.

    >>> round(sign_test(9, 1), 5)
    0.02148
    """
    count = wins + losses
    if not count:
        return math.nan
    tail = sum(math.comb(count, hits) for hits in range(min(wins, losses) + 1))
    return min(1.0, 2 * tail / float(2**count))


def signed_rank_test(differences: Array) -> float:
    """Return the two-sided p value of Wilcoxon's signed-rank test.

    The distribution is exact, also with ties: equal differences share their mean rank. Differences of zero are left
    out. NaN if none is left.

    >>> import numpy as np
    >>> signed_rank_test(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
    0.03125
    """
    nonzero = differences[differences != 0]
    if not len(nonzero):
        return math.nan
    ranks = prepare_ranks(np.abs(nonzero))(np.ones(len(nonzero)))
    doubled = np.rint(2 * ranks).astype(np.int64)  # mean ranks are multiples of one half
    observed = int(doubled[nonzero > 0].sum())
    probabilities = _distribute_sums(doubled)
    extreme = min(observed, int(doubled.sum()) - observed)
    return min(1.0, 2 * float(probabilities[: extreme + 1].sum()))


def _distribute_sums(ranks: Codes) -> Array:
    """Return the probability of each sum of ranks if each rank is added or not with equal probability."""
    probabilities = np.zeros(int(ranks.sum()) + 1)
    probabilities[0] = 1.0
    for rank in ranks.tolist():
        shifted = np.zeros_like(probabilities)
        shifted[rank:] = probabilities[: len(probabilities) - rank]
        probabilities = (probabilities + shifted) / 2
    return probabilities
