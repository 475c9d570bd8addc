"""Sensitivity of listeners in an ABX test: d', from the share of right answers."""

from __future__ import annotations

import math
from statistics import NormalDist

HIGHEST = 12.0
"""A larger d' gives a share of right answers that cannot be distinguished from 1."""
_CDF = NormalDist().cdf


def share_of_dprime(dprime: float) -> float:
    """Return the share of right answers of a listener without bias.

    The model is that of independent observations (Macmillan and Creelman, 2005): the listener decides for A or B from
    the difference between them, and for X from X itself: F(d'/√2)·F(d'/2) + F(-d'/√2)·F(-d'/2), with the normal
    distribution F.

    >>> share_of_dprime(0.0), round(share_of_dprime(2.0), 4)
    (0.5, 0.7877)
    """
    pair, single = dprime / math.sqrt(2), dprime / 2
    return _CDF(pair) * _CDF(single) + _CDF(-pair) * _CDF(-single)


def dprime_of_share(share: float) -> float:
    """Return d' of a share of right answers; below one half it is negative.

    >>> round(dprime_of_share(0.7877), 2), dprime_of_share(0.5)
    (2.0, 0.0)
    """
    if math.isnan(share) or share == 0.5:
        return share - 0.5
    target, low, high = max(share, 1 - share), 0.0, HIGHEST
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if share_of_dprime(middle) < target else (low, middle)
    return math.copysign((low + high) / 2, share - 0.5)


def correct_share(right: float, count: float) -> float:
    """Return the share of right answers with half an answer added on both sides, so that d' of 0 or 1 is finite."""
    return (right + 0.5) / (count + 1) if count else math.nan
