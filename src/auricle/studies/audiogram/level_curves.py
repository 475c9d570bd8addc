"""Curves of a number against the level of a disturbance, such as the word error rate against the signal-to-noise ratio.

All functions take many curves at once, one per row, because intervals are computed from thousands of resampled curves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from auricle.metrics.base import Array, Mask

GRID_STEPS = 100
"""Steps between two levels at which a curve is compared with its criterion."""
UPPER_ERROR_RATE = 1.0
"""Error rates above this count as this in areas: one condition with many insertions should not decide them."""


@dataclass(frozen=True)
class LevelAxis:
    """The levels of a curve, from the easiest to the hardest.

    Args:
        levels: The levels, rising or falling.
        is_logarithmic: Whether to interpolate on a logarithmic axis, as for bit rates.
    """

    levels: tuple[float, ...]
    is_logarithmic: bool = False

    @property
    def positions(self) -> Array:
        """The levels on the axis on which curves are straight between two of them."""
        levels = np.array(self.levels, dtype=np.float64)
        return np.log(levels) if self.is_logarithmic else levels

    @property
    def is_rising(self) -> bool:
        """Whether higher levels are harder."""
        return self.levels[-1] > self.levels[0]

    def to_levels(self, positions: Array) -> Array:
        return np.exp(positions) if self.is_logarithmic else positions


class Crossings(NamedTuple):
    """Where curves reach a criterion."""

    levels: Array
    """The level; infinite beyond the last level on that side, NaN if the curve or its criterion is undefined."""
    nearest: Array
    """The same, with the outermost level in place of infinity."""


def fit_rising(values: Array, weights: Sequence[float]) -> Array:
    """Return the closest curves that never fall: the isotonic regression of each row.

    Each value becomes the largest of the smallest weighted means of the runs of neighbours that contain it, which is
    what pooling adjacent violators computes.

    >>> fit_rising(np.array([[1.0, 3.0, 2.0, 4.0]]), [1, 1, 1, 1]).tolist()
    [[1.0, 2.5, 2.5, 4.0]]

    Args:
        values: One curve per row.
        weights: Weight of each column, such as its number of samples.
    """
    count = values.shape[1]
    sizes = np.concatenate([[0.0], np.cumsum(weights, dtype=np.float64)])
    sums = np.concatenate([np.zeros((len(values), 1)), np.cumsum(values * np.asarray(weights), axis=1)], axis=1)
    fitted = np.full(values.shape, -np.inf)
    for first in range(count):
        means = (sums[:, first + 1 :] - sums[:, [first]]) / (sizes[first + 1 :] - sizes[first])
        lowest = np.minimum.accumulate(means[:, ::-1], axis=1)[:, ::-1]
        fitted[:, first:] = np.maximum(fitted[:, first:], lowest)
    return fitted


def find_crossings(axis: LevelAxis, values: Array, criteria: Array, weights: Sequence[float]) -> Crossings:
    """Find the level at which each curve, fitted so that it never falls, reaches a criterion.

    Between two levels, the fitted curve is a straight line. It is never continued beyond the outermost levels.

    >>> axis = LevelAxis((20, 10, 5, 0, -5))
    >>> curve = np.array([[0.05, 0.08, 0.20, 0.55, 0.90]])
    >>> find_crossings(axis, curve, np.array([0.5]), [1] * 5).levels.round(3).tolist()
    [0.714]

    Args:
        axis: The levels.
        values: One curve per row, higher being worse.
        criteria: The criterion of each curve.
        weights: Weight of each level in the fit.
    """
    with np.errstate(invalid="ignore"):
        fitted = fit_rising(values, weights)
        reached = fitted >= criteria[:, None]
        after = np.clip(reached.argmax(axis=1), 1, None)
        rows = np.arange(len(values))
        low, high = fitted[rows, after - 1], fitted[rows, after]
        share = np.divide(criteria - low, high - low, out=np.zeros(len(values)), where=high > low)
    positions = axis.positions
    levels = axis.to_levels(positions[after - 1] + share * (positions[after] - positions[after - 1]))
    beyond = np.inf if axis.is_rising else -np.inf
    undefined = np.isnan(criteria) | np.isnan(values).any(axis=1)
    return Crossings(
        _replace(levels, ~reached[:, -1], reached[:, 0], undefined, (beyond, -beyond)),
        _replace(levels, ~reached[:, -1], reached[:, 0], undefined, (axis.levels[-1], axis.levels[0])),
    )


def compute_excess(values: Array, criteria: Array, weights: Sequence[float]) -> Array:
    """Return by how much each fitted curve is above its criterion, in small steps from the first level to the last."""
    fitted, last = fit_rising(values, weights), values.shape[1] - 1
    places = np.linspace(0, last, GRID_STEPS * last + 1)
    before = np.minimum(places.astype(np.int64), last - 1)
    share = places - before
    excess: Array = fitted[:, before] * (1 - share) + fitted[:, before + 1] * share - criteria[:, None]
    return excess


def bound_crossing(axis: LevelAxis, lower: Array, upper: Array) -> tuple[float, float]:
    """Return the levels between which a curve may reach its criterion; infinite where that may be beyond the levels.

    Args:
        axis: The levels.
        lower: The lowest that the excess may be, in the steps of `compute_excess`.
        upper: The highest that it may be.
    """
    if np.isnan(lower).any():
        return np.nan, np.nan
    beyond = np.inf if axis.is_rising else -np.inf
    positions = np.interp(np.arange(len(upper)) / GRID_STEPS, np.arange(len(axis.levels)), axis.positions)
    easiest = _find_zero(axis, positions, upper, (-beyond, beyond))
    hardest = _find_zero(axis, positions[::-1], -lower[::-1], (beyond, -beyond))
    return min(easiest, hardest), max(easiest, hardest)


def _find_zero(axis: LevelAxis, positions: Array, rising: Array, ends: tuple[float, float]) -> float:
    """Return the level at which a curve first reaches zero, or one of the ends if it starts there or never does."""
    reached = np.flatnonzero(rising >= 0)
    if not len(reached):
        return ends[1]
    if not (at := int(reached[0])):
        return ends[0]
    zero = np.interp([0.0], rising[at - 1 : at + 1], positions[at - 1 : at + 1])
    return float(axis.to_levels(zero)[0])


def _replace(levels: Array, unreached: Mask, surpassed: Mask, undefined: Mask, ends: tuple[float, float]) -> Array:
    return np.where(undefined, np.nan, np.where(unreached, ends[0], np.where(surpassed, ends[1], levels)))


def compute_areas(axis: LevelAxis, values: Array, *, is_error_rate: bool = False) -> Array:
    """Compute the area under each curve divided by its width: the mean over all levels, also those between.

    >>> curve = np.array([[0.05, 0.08, 0.20, 0.55, 0.90]])
    >>> compute_areas(LevelAxis((20, 10, 5, 0, -5)), curve).round(3).tolist()
    [0.274]

    Args:
        axis: The levels.
        values: One curve per row.
        is_error_rate: Whether values above 1 count as 1.
    """
    heights = np.minimum(values, UPPER_ERROR_RATE) if is_error_rate else values
    widths = np.abs(np.diff(axis.positions))
    areas: Array = ((heights[:, 1:] + heights[:, :-1]) / 2 * widths).sum(axis=1) / widths.sum()
    return areas
