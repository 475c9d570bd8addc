"""What the plots of detection scores show: the DET curve, histograms of both classes, and calibration."""

from __future__ import annotations

import math

import numpy as np

from auricle.metrics.base import Array, Details
from auricle.tasks.speakers.detection import (
    DetectionCurve,
    OperatingPoint,
    SortedTrials,
    calibrate,
    compute_min_cllr,
    find_min_cost,
    trial_costs,
)

MAX_POINTS = 200
BINS = 60
MARKED = (OperatingPoint(0.01), OperatingPoint(0.05))
"""Operating points whose lowest cost is marked on the curve."""
MAX_CALIBRATION_POINTS = 60


def describe_trials(trials: SortedTrials) -> Details:
    """Return the plot data of trials; empty without both classes."""
    curve = trials.curve()
    if not curve.is_defined:
        return {}
    return {
        "det": _sample_curve(curve),
        "marks": [_mark(trials, curve, point) for point in MARKED],
        "eer_threshold": find_eer_threshold(trials, curve),
        "histogram": _count_scores(trials),
        "calibration": _describe_calibration(trials, curve),
    }


def find_eer_threshold(trials: SortedTrials, curve: DetectionCurve) -> float:
    """Return the score at which misses first are as frequent as false alarms."""
    return _threshold(trials, int((curve.p_miss >= curve.p_fa).argmax()))


def _threshold(trials: SortedTrials, index: int) -> float:
    thresholds = trials.thresholds
    return float(thresholds[min(index, len(thresholds) - 1)])


def _sample_curve(curve: DetectionCurve) -> list[list[float]]:
    """Return (false alarms, misses) at thresholds that are evenly spaced on the axes of a DET plot.

    Shares are moved away from 0 and 1 by half a trial, where the axes end.
    """
    targets, others = float(curve.rejected_targets[-1]), float(curve.rejected_others[-1])
    x = np.clip(curve.p_fa, 0.5 / others, 1 - 0.5 / others)
    y = np.clip(curve.p_miss, 0.5 / targets, 1 - 0.5 / targets)
    length = np.cumsum(np.append(0.0, np.hypot(np.diff(_logit(x)), np.diff(_logit(y)))))
    wanted = np.linspace(0.0, length[-1], MAX_POINTS)
    places = np.unique(np.concatenate([[0], np.searchsorted(length, wanted).clip(max=len(x) - 1)]))
    return [[float(x[place]), float(y[place])] for place in places.tolist()]


def _logit(shares: Array) -> Array:
    logits: Array = np.log(shares / (1 - shares))
    return logits


def _mark(trials: SortedTrials, curve: DetectionCurve, point: OperatingPoint) -> dict[str, float]:
    index = find_min_cost(curve, point)
    return {
        "p_target": point.p_target,
        "cost": float(point.cost(curve.p_miss[index : index + 1], curve.p_fa[index : index + 1])[0]),
        "p_fa": float(curve.p_fa[index]),
        "p_miss": float(curve.p_miss[index]),
        "threshold": _threshold(trials, index),
    }


def _count_scores(trials: SortedTrials) -> dict[str, list[float]]:
    low, high = float(trials.scores[0]), float(trials.scores[-1])
    edges = np.linspace(low, high if high > low else low + 1.0, BINS + 1)
    targets, others = (np.histogram(trials.scores[mask], edges)[0] for mask in (trials.is_target, ~trials.is_target))
    return {"edges": edges.tolist(), "targets": targets.tolist(), "nontargets": others.tolist()}


def _describe_calibration(trials: SortedTrials, curve: DetectionCurve) -> Details:
    """Compare scores, read as log-likelihood ratios, with those that fit best."""
    fitted = calibrate(curve)
    costs = trial_costs(trials.scores, trials.is_target)
    actual = (costs[trials.is_target].mean() + costs[~trials.is_target].mean()) / 2
    starts = np.append(0, fitted.ends[:-1])
    lowest, highest = trials.thresholds, trials.scores[np.append(trials.starts[1:], len(trials.scores)) - 1]
    middles = (lowest[starts] + highest[fitted.ends - 1]) / 2
    is_finite = np.isfinite(fitted.llrs)
    points = np.column_stack([middles, fitted.llrs])[is_finite]
    keep = np.unique(np.linspace(0, len(points) - 1, min(MAX_CALIBRATION_POINTS, len(points))).astype(np.int64))
    return {
        "cllr": float(actual) if math.isfinite(actual) else None,
        "min_cllr": compute_min_cllr(curve),
        "points": [[float(score), float(llr)] for score, llr in points[keep].tolist()],
    }
