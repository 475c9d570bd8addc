"""SRCC, LCC, Kendall's tau-b and RMSE between a model's numbers and human ratings.

A statistic is a (predicted, true) pair. Values are sorted once; leaving a pair out then only changes its weight, so
that a thousand correlations take no longer than a few sorts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auricle.metrics.base import Array, Codes, Stats, SumAggregator, WeightedAggregate, WeightedAggregator, divide
from auricle.metrics.scales import CORRELATION, FISHER, NONNEGATIVE, Scale

MIN_RELATIVE_VARIANCE = 1e-12
"""Variances below this share of the largest squared deviation are rounding errors."""


class CorrelationAggregator(WeightedAggregator):
    """An aggregator over (predicted, true) numbers."""

    def __init__(self, prepare: Callable[[Array, Array], WeightedAggregate], scale: Scale = CORRELATION) -> None:
        self._prepare = prepare
        self.scale = scale

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        table = np.asarray(stats, dtype=np.float64).reshape(-1, 2)
        return self._prepare(np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1]))


# --- linear correlation ---------------------------------------------------------------------


def _pearson(x: Array, y: Array) -> WeightedAggregate:
    x, y = x - x.min(), y - y.min()  # values far from zero would lose precision, and equal ones would differ
    return lambda weights: _product_moment(x, y, weights)


def _product_moment(x: Array, y: Array, weights: Array) -> float:
    """Compute Pearson's r of weighted values; NaN if one side does not vary."""
    total = weights.sum()
    if not total:
        return math.nan
    x = x - np.einsum("n,n->", weights, x) / total
    y = y - np.einsum("n,n->", weights, y) / total
    var_x, var_y, covariance = (float(np.einsum("n,n,n->", weights, a, b)) for a, b in ((x, x), (y, y), (x, y)))
    if var_x <= MIN_RELATIVE_VARIANCE * float((x * x).max()) or var_y <= MIN_RELATIVE_VARIANCE * float((y * y).max()):
        return math.nan
    return max(-1.0, min(1.0, covariance / (math.sqrt(var_x) * math.sqrt(var_y))))


# --- rank correlation -------------------------------------------------------------------------


def _spearman(x: Array, y: Array) -> WeightedAggregate:
    rank_x, rank_y = prepare_ranks(x), prepare_ranks(y)
    return lambda weights: _product_moment(rank_x(weights), rank_y(weights), weights)


def prepare_ranks(values: Array) -> Callable[[Array], Array]:
    """Return a function from weights to ranks, counted from 1; equal values share their mean rank."""
    codes = _encode_values(values)

    def ranks(weights: Array) -> Array:
        counts = np.bincount(codes, weights=weights)
        mean_ranks: Array = (np.cumsum(counts) - (counts - 1) / 2)[codes]
        return mean_ranks

    return ranks


def _encode_values(values: NDArray[Any]) -> Codes:
    """Return the index of each value among the sorted distinct values."""
    codes: Codes = np.unique(values, return_inverse=True)[1]
    return codes


def _kendall(x: Array, y: Array) -> WeightedAggregate:
    """Compute tau-b: concordant minus discordant pairs, normalised by the pairs not tied in x and in y."""
    codes_x, codes_y = _encode_values(x), _encode_values(y)
    pair_codes = _encode_values(codes_x + 1j * codes_y)
    count_discordant = _prepare_discordant_count(codes_x, codes_y)

    def tau(weights: Array) -> float:
        total = float(weights.sum())
        pairs = total * (total - 1) / 2
        tied_x, tied_y, tied = (
            float((counts * (counts - 1) / 2).sum())
            for counts in (np.bincount(codes, weights=weights) for codes in (codes_x, codes_y, pair_codes))
        )
        difference = pairs - tied_x - tied_y + tied - 2 * count_discordant(weights)
        return divide(difference, math.sqrt(pairs - tied_x) * math.sqrt(pairs - tied_y))

    return tau


def _prepare_discordant_count(codes_x: Codes, codes_y: Codes) -> WeightedAggregate:
    """Return a function that counts pairs which rise in x and fall in y: a merge sort with precomputed merges."""
    by_x = np.lexsort((codes_y, codes_x))
    size = 1 << (len(by_x) - 1).bit_length()
    padded_y = np.full(size, len(by_x), dtype=np.int64)  # padding sorts last
    padded_y[: len(by_x)] = codes_y[by_x]
    position = np.arange(size)
    merges = []
    half = 1
    while half < size:
        is_later = (position // half) % 2
        order = np.lexsort((is_later, padded_y, position // (2 * half)))
        merges.append((order, is_later[order].astype(np.float64), 2 * half))
        half *= 2

    def count(weights: Array) -> float:
        padded_weights = np.zeros(size)
        padded_weights[: len(by_x)] = weights[by_x]
        total = 0.0
        for order, is_later, width in merges:
            merged = padded_weights[order]
            later = merged * is_later
            before = np.cumsum(later.reshape(-1, width), axis=1).ravel()
            total += float(np.einsum("n,n->", merged - later, before))
        return total

    return count


srcc = CorrelationAggregator(_spearman)
"""Spearman's rank correlation."""
lcc = CorrelationAggregator(_pearson, FISHER)
"""Pearson's linear correlation."""
ktau = CorrelationAggregator(_kendall)
"""Kendall's tau-b."""
rmse = SumAggregator(lambda totals: math.sqrt(divide(totals[0], totals[-1])), scale=NONNEGATIVE)
"""Root mean squared error; the statistics are squared errors."""
