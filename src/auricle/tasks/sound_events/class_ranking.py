"""How well scores rank recordings, class by class: average precision and the area under the ROC curve.

A recording may have any number of labels. Its statistic has the score of every class, and then for each class 1 if the
label is true, else 0. Recordings with equal scores are one step of a curve. A class without a true label has no average
precision, and one without a false label no area under the curve: they are left out of means and listed in the details.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from auricle.core.types import Output, Sample
from auricle.metrics.base import (
    Array,
    Codes,
    Details,
    Stats,
    SumAggregator,
    WeightedAggregate,
    WeightedAggregator,
    divide,
)
from auricle.metrics.confusion import Labels, get_task_labels, merge_labels
from auricle.metrics.distributions import normal_quantile
from auricle.metrics.scales import REAL, SHARE, Estimate, Scale

if TYPE_CHECKING:
    from auricle.metrics.intervals import Interval

FEW_POSITIVES = 20
"""Classes with fewer true labels than this are listed: their average precision is hardly known."""
COST_PER_STATISTIC = 30
"""Cost of a recording relative to one number, for the jackknife: every class has to be ranked."""
CLASS_GROUPS = 50
"""Most groups of recordings that are left out in turn, for intervals of classes."""
ClassValues: TypeAlias = Callable[[Array], Array]
"""A number of each class as a function of the weight of each recording; NaN for classes without one."""


def split_scores(stats: Stats) -> tuple[Array, NDArray[np.bool_]]:
    """Return scores and truth as tables with a row per recording and a column per class."""
    table = np.asarray(stats, dtype=np.float64).reshape(len(stats), -1)
    count = table.shape[1] // 2
    return table[:, :count], table[:, count:] > 0


class Ranking:
    """Recordings in the order of a class's scores, the highest first; equal scores share a step.

    Args:
        scores: The scores of one class.
        is_true: Whether each recording has its label.
    """

    def __init__(self, scores: Array, is_true: NDArray[np.bool_]) -> None:
        self._order = np.argsort(-scores, kind="stable")
        ordered = scores[self._order]
        is_last = np.append(ordered[1:] != ordered[:-1], True)
        steps = np.append(0, np.cumsum(is_last)[:-1])
        ends = np.flatnonzero(is_last)
        starts = np.append(-1, ends[:-1])  # the last recording of the step before
        self._is_true = is_true[self._order]
        self._ends, self._starts = ends[steps[self._is_true]], starts[steps[self._is_true]]

    def average_precision(self, weights: Array) -> float:
        """Return the mean precision at the step of each true label; NaN without true labels."""
        ordered = weights[self._order]
        own = ordered[self._is_true]
        ranked, hits = np.cumsum(ordered), np.cumsum(ordered * self._is_true)
        counted = own > 0
        ends = self._ends[counted]
        return divide(float((own[counted] * hits[ends] / ranked[ends]).sum()), float(own.sum()))

    def area_under_curve(self, weights: Array) -> float:
        """Return the share of pairs of a true and a false label in which the true one has the higher score.

        Equal scores count half. NaN if there are no such pairs.
        """
        ordered = weights[self._order]
        own = ordered[self._is_true]
        misses = np.append(np.cumsum(ordered * ~self._is_true), 0.0)  # so that -1 is before the first step
        total = float(misses[-2]) if len(ordered) else 0.0
        below = total - (misses[self._ends] + misses[self._starts]) / 2
        return divide(float((own * below).sum()), float(own.sum()) * total)


def rank_classes(stats: Stats, measure: Callable[[Ranking, Array], float]) -> ClassValues:
    """Return a number of the ranking of each class as a function of the weights."""
    scores, is_true = split_scores(stats)
    rankings = [Ranking(*columns) for columns in zip(scores.T, is_true.T, strict=True)]
    return lambda weights: np.array([measure(ranking, weights) for ranking in rankings])


def mean_defined(values: Array) -> float:
    """Return the mean of the values that are defined; NaN if none is."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan


class ClassRankingAggregator(WeightedAggregator):
    """Base class of aggregators over rankings of classes, with the names of the classes."""

    scale: Scale = SHARE
    cost = COST_PER_STATISTIC

    def __init__(self, labels: Labels = ()) -> None:
        self.labels = labels

    def extract_context(self, sample: Sample, *outputs: Output) -> Labels:
        return get_task_labels(sample)

    def with_contexts(self, contexts: Iterable[Hashable]) -> Self:
        return type(self)(merge_labels(contexts))  # type: ignore[arg-type]  # label sets by `extract_context`

    def name_class(self, index: int) -> str:
        """Return the name of a class; its number if names are unknown."""
        return self.labels[index] if index < len(self.labels) else str(index + 1)


class MeanAveragePrecision(ClassRankingAggregator):
    """The mean of the average precision over classes (macro mAP); undefined for a single recording."""

    def __call__(self, stats: Stats) -> float:
        return super().__call__(stats) if len(stats) > 1 else math.nan  # one recording has nothing to be ranked with

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        precisions = rank_classes(stats, Ranking.average_precision)
        return lambda weights: mean_defined(precisions(weights))

    def details(self, stats: Stats) -> Details:
        """Return AP, AUC, d′ and the base rate of every class, and which classes are undefined or rare."""
        weights = np.ones(len(stats))
        _, is_true = split_scores(stats)
        positives = is_true.sum(axis=0)
        precisions = rank_classes(stats, Ranking.average_precision)(weights)
        areas = rank_classes(stats, Ranking.area_under_curve)(weights)
        names = [self.name_class(index) for index in range(len(positives))]
        intervals = estimate_class_intervals(stats, precisions)
        classes = {
            name: {**_describe_class(len(stats), int(count), precision, area), "low": low, "high": high}
            for name, count, precision, area, (low, high) in zip(
                names, positives, precisions, areas, intervals, strict=True
            )
        }
        return {
            "tag_classes": classes,
            "classes_without_positives": [name for name, count in zip(names, positives, strict=True) if not count],
            "classes_with_few_positives": [
                name for name, count in zip(names, positives, strict=True) if 0 < count < FEW_POSITIVES
            ],
        }


def estimate_class_intervals(stats: Stats, precisions: Array) -> list[tuple[float | None, float | None]]:
    """Return the 95 % interval of the average precision of each class; None if it is undefined.

    At most `CLASS_GROUPS` groups of recordings are left out in turn, all classes at once.
    """
    from auricle.metrics.jackknife import standard_error, to_influences

    count = min(len(stats), CLASS_GROUPS)
    groups = np.random.default_rng(0).permutation(len(stats)) % max(count, 1)
    measure = rank_classes(stats, Ranking.average_precision)
    without = np.array([measure((groups != group).astype(np.float64)) for group in range(count)])
    intervals: list[tuple[float | None, float | None]] = []
    for values, precision in zip(without.T, precisions.tolist(), strict=True):
        influences = to_influences(values)
        degrees = max(1, int((~np.isnan(influences)).sum()) - 1)
        estimate = Estimate(precision, standard_error(influences), 0.0, degrees, count)
        is_known = math.isfinite(precision) and math.isfinite(estimate.error)
        intervals.append(SHARE.interval(estimate) if is_known else (None, None))
    return intervals


def _describe_class(size: int, positives: int, precision: float, area: float) -> dict[str, Any]:
    pairs = positives * (size - positives)
    return {
        "ap": none_if_undefined(precision),
        "base_rate": positives / size,
        "positives": positives,
        "auc": none_if_undefined(area),
        "d_prime": none_if_undefined(to_d_prime(area, 1 / (2 * pairs)) if pairs else math.nan),
    }


def none_if_undefined(value: float) -> float | None:
    """Return a number for a JSON document, in which NaN is null."""
    return None if math.isnan(value) else float(value)


class MicroAveragePrecision(ClassRankingAggregator):
    """The average precision over all pairs of a recording and a class in one ranking."""

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        scores, is_true = split_scores(stats)
        ranking, classes = Ranking(scores.ravel(), is_true.ravel()), scores.shape[1]
        return lambda weights: ranking.average_precision(np.repeat(weights, classes))


class MeanAreaUnderCurve(ClassRankingAggregator):
    """The mean of the area under the ROC curve over classes."""

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        areas = rank_classes(stats, Ranking.area_under_curve)
        return lambda weights: mean_defined(areas(weights))


class DPrime(ClassRankingAggregator):
    """d′ of the mean area under the ROC curve: √2 · Φ⁻¹(AUC).

    An area of 0 or 1 is replaced by that of half a wrongly ordered pair, or d′ would be infinite.
    """

    scale = REAL

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        areas = rank_classes(stats, Ranking.area_under_curve)
        _, is_true = split_scores(stats)

        return lambda weights: to_d_prime(mean_defined(areas(weights)), _half_pair(weights, is_true))

    def compute_interval(self, stats: Stats, clusters: Codes | None = None) -> Interval:
        """Compute the 95 % interval: that of the area, as d′."""
        from auricle.metrics.intervals import Interval, compute_interval

        area = compute_interval(stats, MeanAreaUnderCurve(), clusters=clusters)
        margin = _half_pair(np.ones(len(stats)), split_scores(stats)[1])
        low, high = (to_d_prime(end, margin) for end in (area.low, area.high))
        return Interval(low, high, area.method, area.units)


def _half_pair(weights: Array, is_true: NDArray[np.bool_]) -> float:
    """Return the mean over classes of half of what a pair of a true and a false label adds to the area."""
    positives = weights @ is_true
    pairs = positives * (weights.sum() - positives)
    return float((1 / (2 * pairs[pairs > 0])).mean()) if (pairs > 0).any() else math.nan


def to_d_prime(area: float, margin: float) -> float:
    """Return d′ of an area under the ROC curve that is kept `margin` away from 0 and 1.

    >>> round(to_d_prime(0.92, 1e-6), 4), round(to_d_prime(1.0, 0.005), 4)
    (1.9871, 3.6428)
    """
    if math.isnan(area) or math.isnan(margin):
        return math.nan
    return math.sqrt(2) * normal_quantile(min(max(area, margin), 1 - margin))


def _mean_base_rate(totals: Array) -> float:
    positives = totals[:-1][totals[:-1] > 0]
    return divide(float(positives.sum()), len(positives) * float(totals[-1])) if len(positives) else math.nan


base_rates = SumAggregator(_mean_base_rate, scale=SHARE)
"""The mean share of recordings with a label, over classes that have any: the mean AP of scores that are all equal."""
