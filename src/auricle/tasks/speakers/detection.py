"""Errors of a detector at every threshold: equal error rate, detection cost, and likelihood-ratio cost.

A trial has a score and is a target (the same speaker) or not. A detector accepts a trial if its score is at least the
threshold. Tied scores are accepted or rejected together. Every trial may have a weight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from auricle.metrics.base import Array, Codes, Mask

LOG_2 = math.log(2)


@dataclass(frozen=True)
class DetectionCurve:
    """Misses and false alarms at every threshold, from accepting all trials to rejecting all.

    Args:
        rejected_targets: Weight of the targets below each threshold, ascending from 0.
        rejected_others: Weight of the other trials below each threshold, ascending from 0.
    """

    rejected_targets: Array
    rejected_others: Array

    @property
    def is_defined(self) -> bool:
        """Whether there are targets and others."""
        return bool(self.rejected_targets[-1] > 0 and self.rejected_others[-1] > 0)

    @cached_property
    def p_miss(self) -> Array:
        """Share of targets that are rejected."""
        shares: Array = self.rejected_targets / self.rejected_targets[-1]
        return shares

    @cached_property
    def p_fa(self) -> Array:
        """Share of other trials that are accepted."""
        shares: Array = 1.0 - self.rejected_others / self.rejected_others[-1]
        return shares


@dataclass(frozen=True)
class SortedTrials:
    """Trials sorted by score and divided into runs, for curves under different weights.

    Between a threshold in a run of targets alone, or of other trials alone, and one of its ends, the curve is a
    straight line. Only the ends of runs are therefore computed; no number changes. Tied scores are in the same run.

    Args:
        scores: Scores in ascending order.
        is_target: Whether each trial is a target.
        order: Index of each trial in the order of the data.
        starts: Index of the first trial of each run.
        has_ties: Whether a target and another trial have the same score, so that their run has both.
    """

    scores: Array
    is_target: Mask
    order: Codes
    starts: Codes
    has_ties: bool

    @classmethod
    def of(cls, scores: Array, targets: Mask) -> SortedTrials:
        """Sort trials.

        Args:
            scores: Score of each trial.
            targets: Whether each trial is a target.
        """
        order = np.argsort(scores, kind="stable")
        ordered, is_target = scores[order], targets[order]
        firsts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
        sizes = np.diff(np.append(firsts, len(ordered)))
        counts = np.add.reduceat(is_target, firsts, dtype=np.int64) if len(firsts) else np.empty(0, dtype=np.int64)
        is_mixed = (counts > 0) & (counts < sizes)
        kinds = np.where(is_mixed, -1, (counts > 0).astype(np.int64))
        is_start = np.append(True, (kinds[1:] != kinds[:-1]) | is_mixed[1:])[: len(kinds)]
        return cls(ordered, is_target, order, firsts[is_start], bool(is_mixed.any()))

    @property
    def thresholds(self) -> Array:
        """The lowest score of each run; these are the thresholds of a curve but for the last one, infinity."""
        return self.scores[self.starts]

    def curve(self, weights: Array | Mask | None = None) -> DetectionCurve:
        """Compute the errors at the ends of runs.

        Args:
            weights: Weight of each trial, or whether it counts, in the order of the data. [default: 1]
        """
        ordered = np.ones(len(self.order), dtype=np.bool_) if weights is None else weights[self.order]
        totals = self._sum_runs(ordered)
        targets = self._sum_runs(ordered * self.is_target) if self.has_ties else totals * self.is_target[self.starts]
        return DetectionCurve(_accumulate(targets), _accumulate(totals - targets))

    def _sum_runs(self, weights: Array | Mask) -> Array:
        if not len(self.starts):
            return np.empty(0)
        sums: Array = np.add.reduceat(weights, self.starts, dtype=np.float64)
        return sums


def _accumulate(weights: Array) -> Array:
    sums = np.zeros(len(weights) + 1)
    np.cumsum(weights, out=sums[1:])
    return sums


# --- equal error rate ------------------------------------------------------------------------


def compute_eer(curve: DetectionCurve) -> float:
    """Compute the equal error rate on the convex hull of the curve, as BOSARIS does; NaN without both classes.

    Any point of the hull is reached by choosing at random between two thresholds. The rate is also the largest value,
    over all priors, of the smallest probability of error.
    """
    if not curve.is_defined:
        return math.nan
    x, y = curve.p_fa, curve.p_miss
    left, right = 0, len(x) - 1  # both ends are on the hull
    while right - left > 1:
        # The point furthest below the line from left to right is on the hull, too.
        rise, run = y[right] - y[left], x[left] - x[right]
        distances = rise * x[left + 1 : right] + run * y[left + 1 : right]
        nearest = int(distances.argmin())
        if distances[nearest] >= rise * x[left] + run * y[left]:
            break
        nearest += left + 1
        if y[nearest] < x[nearest]:
            left = nearest
        else:
            right = nearest
    return _cross_diagonal(x[left], y[left], x[right], y[right])


def compute_interpolated_eer(curve: DetectionCurve) -> float:
    """Compute the rate where the curve, with straight lines between thresholds, has as many misses as false alarms."""
    if not curve.is_defined:
        return math.nan
    x, y = curve.p_fa, curve.p_miss
    after = int((y >= x).argmax())  # the last point always is
    return _cross_diagonal(x[after - 1], y[after - 1], x[after], y[after])


def _cross_diagonal(x_before: float, y_before: float, x_after: float, y_after: float) -> float:
    """Return where the line from a point below the diagonal to one on or above it has x = y."""
    before, after = float(x_before - y_before), float(y_after - x_after)
    return float(y_before) + before / (before + after) * float(y_after - y_before)


# --- detection cost --------------------------------------------------------------------------


class OperatingPoint(NamedTuple):
    """Costs of errors, and the prior probability of a target."""

    p_target: float
    c_miss: float = 1.0
    c_fa: float = 1.0

    @property
    def bayes_threshold(self) -> float:
        """The threshold of log-likelihood ratios (natural logarithms) with the lowest expected cost."""
        return math.log(self.c_fa * (1 - self.p_target) / (self.c_miss * self.p_target))

    def cost(self, p_miss: Array, p_fa: Array) -> Array:
        """Return the expected cost, relative to that of the better of accepting all trials and rejecting all."""
        miss, fa = self.c_miss * self.p_target, self.c_fa * (1 - self.p_target)
        costs: Array = (miss * p_miss + fa * p_fa) / min(miss, fa)
        return costs


def compute_min_cost(curve: DetectionCurve, point: OperatingPoint) -> float:
    """Compute the lowest detection cost over all thresholds; at most 1, and NaN without both classes."""
    return float(point.cost(curve.p_miss, curve.p_fa).min()) if curve.is_defined else math.nan


def find_min_cost(curve: DetectionCurve, point: OperatingPoint) -> int:
    """Return the index of the threshold with the lowest detection cost."""
    return int(point.cost(curve.p_miss, curve.p_fa).argmin())


# --- likelihood-ratio cost -------------------------------------------------------------------


def trial_costs(llrs: Array, targets: Mask) -> Array:
    """Return the cost of each trial in bits: log₂(1 + e^-s) of a target, log₂(1 + e^s) of another trial."""
    costs: Array = np.logaddexp(0.0, np.where(targets, -llrs, llrs)) / LOG_2
    return costs


@dataclass(frozen=True)
class Calibration:
    """Log-likelihood ratios that fit trials best among all that ascend with the score (pool adjacent violators).

    Args:
        targets: Weight of the targets in each interval of scores, in ascending order.
        others: Weight of the other trials in each interval.
        ends: Index of the threshold after each interval.
    """

    targets: Array
    others: Array
    ends: Codes

    @property
    def llrs(self) -> Array:
        """The log-likelihood ratio of each interval; infinite where there is only one class."""
        with np.errstate(divide="ignore"):
            ratios: Array = np.log(self.targets / self.targets.sum()) - np.log(self.others / self.others.sum())
        return ratios

    @property
    def cost(self) -> float:
        """The likelihood-ratio cost of these ratios."""
        llrs = self.llrs
        miss, fa = (np.logaddexp(0.0, sign * llrs) / LOG_2 for sign in (-1, 1))
        of_targets = self.targets[self.targets > 0] @ miss[self.targets > 0] / self.targets.sum()
        of_others = self.others[self.others > 0] @ fa[self.others > 0] / self.others.sum()
        return float(of_targets + of_others) / 2


def calibrate(curve: DetectionCurve) -> Calibration:
    """Fit log-likelihood ratios to the trials of a curve; each interval of scores is an edge of its convex hull."""
    corners = find_hull(curve.rejected_others, curve.rejected_targets)
    return Calibration(
        np.diff(curve.rejected_targets[corners]), np.diff(curve.rejected_others[corners]), corners[1:].astype(np.int64)
    )


def compute_min_cllr(curve: DetectionCurve) -> float:
    """Compute the likelihood-ratio cost after calibration on the same trials; NaN without both classes."""
    return calibrate(curve).cost if curve.is_defined else math.nan


def find_hull(x: Array, y: Array) -> Codes:
    """Return the indices of the corners of the lower convex hull of points that ascend in both directions.

    A point on or above the line between two others is no corner, so that all such points are removed at once, until
    there are none. Random curves of a million points need a few dozen rounds, each on far fewer points.
    """
    moves = np.append(True, (np.diff(x) > 0) | (np.diff(y) > 0))
    corners = np.flatnonzero(moves)
    while len(corners) > 2:
        run, rise = np.diff(x[corners]), np.diff(y[corners])
        is_corner = np.ones(len(corners), dtype=np.bool_)
        is_corner[1:-1] = rise[:-1] * run[1:] < rise[1:] * run[:-1]
        if is_corner.all():
            break
        corners = corners[is_corner]
    return corners
