"""Bradley-Terry strengths of systems that were compared in pairs.

A system i is preferred to a system j with probability 1 / (1 + exp(b_j - b_i)); b are the strengths on a logarithmic
scale, with a mean of zero. A tie counts as half a win of each side.
"""

from __future__ import annotations

import math

import numpy as np

from auricle.core.errors import DataError
from auricle.metrics.base import Array, Mask, Stats, WeightedAggregate, WeightedAggregator

MAX_ITERATIONS = 200
TOLERANCE = 1e-12
"""Largest change of a strength in the last step."""


class NotConnected(DataError):
    """Some systems were never preferred to any of the others, so that the strengths have no finite estimate."""


def fit_bradley_terry(wins: Array) -> Array:
    """Estimate the strengths by maximum likelihood, with Newton's method.

    Args:
        wins: How often each system (row) was preferred to each other one (column); ties count half on both sides.

    Returns:
        The logarithm of each strength; their mean is zero.

    Raises:
        NotConnected: if the systems fall into two groups of which one was never preferred to the other.

    Examples:
        >>> import numpy as np
        >>> strengths = fit_bradley_terry(np.array([[0.0, 7.0, 8.0], [3.0, 0.0, 7.0], [2.0, 3.0, 0.0]]))
        >>> (np.exp(strengths - strengths[-1])).round(3).tolist()
        [4.539, 2.13, 1.0]
    """
    wins = np.array(wins, dtype=np.float64)
    np.fill_diagonal(wins, 0.0)
    if not is_strongly_connected(wins > 0):
        raise NotConnected(
            "The strengths are not defined: some systems were never preferred to any of the others. Collect further "
            "ratings, or leave these systems out."
        )
    games, strengths = wins + wins.T, np.zeros(len(wins))
    for _ in range(MAX_ITERATIONS):
        probabilities = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
        gradient = (wins - games * probabilities).sum(axis=1)
        curvature = games * probabilities * probabilities.T
        hessian = np.diag(curvature.sum(axis=1)) - curvature
        step = np.linalg.solve(hessian + 1 / len(wins), gradient)  # the added constant fixes the mean
        step *= min(1.0, 2.0 / max(float(np.abs(step).max()), TOLERANCE))  # far away, a full step would overshoot
        strengths = strengths + step - (strengths + step).mean()
        if float(np.abs(step).max()) < TOLERANCE:
            break
    return strengths


def is_strongly_connected(edges: Mask) -> bool:
    """Return whether every system is reached from every other one along edges."""
    reached = edges | np.eye(len(edges), dtype=bool)
    for _ in range(max(1, math.ceil(math.log2(max(2, len(edges)))))):
        reached = (reached.astype(np.int64) @ reached.astype(np.int64)) > 0
    return bool(reached.all())


class BradleyTerryAggregator(WeightedAggregator):
    """The strength of one system.

    Statistics are (share, first, second): 1 if the first system was preferred, 0.5 for a tie and 0 for the second, and
    the indices of both. Further columns are ignored. The strength is NaN if the systems are not connected.

    Args:
        system: Index of the system.
        count: Number of systems.
    """

    def __init__(self, system: int, count: int) -> None:
        self._system = system
        self._count = count

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        rows = np.asarray(stats, dtype=np.float64)
        shares, first, second = rows[:, 0], rows[:, 1].astype(np.int64), rows[:, 2].astype(np.int64)

        def value(weights: Array) -> float:
            try:
                wins = np.zeros((self._count, self._count))
                np.add.at(wins, (first, second), weights * shares)
                np.add.at(wins, (second, first), weights * (1 - shares))
                return float(fit_bradley_terry(wins)[self._system])
            except NotConnected:
                return math.nan

        return value

    def explain_absence(self, stats: Stats) -> str | None:
        """Return why there is no strength, or None if there is one."""
        if not math.isnan(self(stats)):
            return None
        return "some systems were never preferred to any of the others, so that strengths are not defined"
