"""Metrics of speaker verification: equal error rate, detection cost and likelihood-ratio cost.

The statistic of a trial is (score, 1 for the same speaker or 0, speaker of side a, speaker of side b). Speakers are
numbers made from their names, so that the statistics of a million trials fit in one array; -1 if a speaker is unknown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np

from auricle.core.errors import Unreadable, Unsuited
from auricle.core.types import Output, Prediction, Sample, Stat
from auricle.metrics.base import Array, Codes, Details, Mask, Metric, Stats, WeightedAggregate, WeightedAggregator
from auricle.metrics.intervals import Interval, compute_interval
from auricle.metrics.scales import NONNEGATIVE, BoundedScale, MinimumScale, Scale, WithheldScale
from auricle.tasks.speakers.detection import (
    DetectionCurve,
    OperatingPoint,
    SortedTrials,
    compute_eer,
    compute_interpolated_eer,
    compute_min_cllr,
    compute_min_cost,
    trial_costs,
)
from auricle.tasks.speakers.detection_plots import describe_trials
from auricle.tasks.speakers.trial_lists import SAME

SPEAKER_FIELDS = ("speaker_a", "speaker_b")
"""Metadata fields with the speakers of a trial."""
UNKNOWN = -1
SCORE_NAMES = ("score", "value")
POINTS: Mapping[str, tuple[OperatingPoint, ...]] = {
    "": (OperatingPoint(0.01),),
    "_05": (OperatingPoint(0.05),),
    "_sre08": (OperatingPoint(0.01, c_miss=10.0),),
    "_sre10": (OperatingPoint(0.001),),
    "_sre12": (OperatingPoint(0.01), OperatingPoint(0.001)),
    "_sre16": (OperatingPoint(0.01), OperatingPoint(0.005)),
}
"""Operating points by the end of a metric's name; the cost at several is their mean."""
Points: TypeAlias = Sequence[OperatingPoint]
MIN_TRIALS = 100
"""Fewest trials of either class for the interval of a number that depends on the threshold."""
TRIALS_PER_COST = 100
"""Fewest trials of the class whose errors cost more, for each time that they cost the errors of the other class."""


# --- statistics ------------------------------------------------------------------------------


def encode_speaker(name: object) -> int:
    """Return a number for a speaker, which is the same in all runs; -1 for an unknown speaker."""
    if name is None or name == "":
        return UNKNOWN
    return int.from_bytes(blake2b(str(name).encode(), digest_size=6).digest())


def score_trial(sample: Sample, output: Output) -> tuple[float, int, int, int]:
    """Return the statistic of a trial.

    Raises:
        Unsuited: if the model does not return one number per trial.
    """
    if not isinstance(output, Prediction):
        raise Unsuited("needs a model that returns a score for two recordings")
    score = _read_score(output.values)
    a, b = (encode_speaker(sample.meta.get(field)) for field in SPEAKER_FIELDS)
    return score, int(sample.target == SAME), a, b


def _read_score(values: Mapping[str, float]) -> float:
    name = next((name for name in SCORE_NAMES if name in values), None)
    if name is None and len(values) != 1:
        raise Unsuited(f"needs one score per trial; the model returns {', '.join(values) or 'nothing'}")
    score = float(values[name] if name else next(iter(values.values())))
    if math.isnan(score):
        raise Unreadable("the score is not a number")
    return score


@dataclass(frozen=True)
class TrialArray:
    """Statistics of trials as columns."""

    scores: Array
    targets: Mask
    speakers: Array
    """Numbers of the speakers, one column per side."""

    @classmethod
    def of(cls, stats: Stats) -> TrialArray:
        rows = np.asarray(stats, dtype=np.float64).reshape(-1, 4)
        return cls(np.ascontiguousarray(rows[:, 0]), rows[:, 1] > 0, rows[:, 2:])


# --- aggregators -----------------------------------------------------------------------------


class TrialAggregator(WeightedAggregator):
    """Base class of aggregators of trials, whose independent units are the speakers of both sides."""

    member_name = "speaker"

    def __init__(self, scale: Scale) -> None:
        self.scale = scale

    def list_members(self, stats: Stats) -> Codes | None:
        """Return the speakers of each trial, numbered from 0; None if no speaker is known or there is only one.

        An unknown speaker counts as one who occurs in no other trial.
        """
        speakers = TrialArray.of(stats).speakers
        distinct, codes = np.unique(speakers, return_inverse=True)
        codes = codes.reshape(speakers.shape).astype(np.int64)
        if not len(distinct) or distinct[0] != UNKNOWN:
            return codes if len(distinct) > 1 else None
        if len(distinct) < 3:
            return None
        unknown = codes == 0
        codes = codes - 1
        codes[unknown] = len(distinct) - 1 + np.arange(int(unknown.sum()))
        return codes

    def rate(self, stats: Stats, among: Stats) -> Array:
        """Rate trials by the share of the other class that has a better score.

        Of a target, that is the share of other trials with at least its score; of another trial, the share of targets
        with at most its score. The scale of the scores does not matter.
        """
        trials, everything = TrialArray.of(stats), TrialArray.of(among)
        targets, others = (np.sort(everything.scores[mask]) for mask in (everything.targets, ~everything.targets))
        above = len(others) - np.searchsorted(others, trials.scores, side="left")
        below = np.searchsorted(targets, trials.scores, side="right")
        return np.where(trials.targets, above / max(1, len(others)), below / max(1, len(targets)))


class CurveAggregator(TrialAggregator):
    """A number of the detection curve.

    Args:
        compute: Function from the curve to the number.
        scale: Scale of the number, on which its interval is computed.
        describe: Function from the trials to what plots need.
        points: Operating points whose costs the number depends on.
    """

    def __init__(
        self,
        compute: Callable[[DetectionCurve], float],
        scale: Scale,
        describe: Callable[[SortedTrials], Details] | None = None,
        points: Points = (),
    ) -> None:
        super().__init__(scale)
        self._compute = compute
        self._describe = describe
        self._needed = count_needed_trials(points)

    def choose_scale(self, stats: Stats, units: Codes) -> Scale:
        counts = _count_classes(stats)
        if all(counts[name] >= needed for name, needed in self._needed.items()):
            return self.scale
        needs = " and ".join(f"{needed:,} {name}" for name, needed in self._needed.items())
        return WithheldScale(self.scale, f"it needs at least {needs}")

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        trials = TrialArray.of(stats)
        ordered = SortedTrials.of(trials.scores, trials.targets)
        return lambda weights: self._compute(ordered.curve(weights))

    def details(self, stats: Stats) -> Details:
        return _count_classes(stats)

    def plot_data(self, stats: Stats) -> Details:
        trials = TrialArray.of(stats)
        return self._describe(SortedTrials.of(trials.scores, trials.targets)) if self._describe else {}


class InterpolatedAggregator(CurveAggregator):
    """The equal error rate on straight lines between thresholds.

    It depends on two neighbouring scores alone, so that the jackknife does not show how it varies. Its interval is that
    of the rate on the convex hull, whose upper end rises by as much as this rate is higher.
    """

    def compute_interval(self, stats: Stats, clusters: Codes | None) -> Interval:
        interval = compute_interval(stats, HULL_RATE, clusters=clusters)
        if math.isnan(interval.high):
            return interval
        return replace(interval, high=min(1.0, interval.high + self(stats) - HULL_RATE(stats)))


class CostAggregator(TrialAggregator):
    """A weighted sum of the mean costs of targets and of other trials.

    Args:
        costs: Function from scores and targets to the cost of each trial.
    """

    def __init__(self, costs: Callable[[Array, Mask], Array]) -> None:
        super().__init__(NONNEGATIVE)
        self._costs = costs

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        trials = TrialArray.of(stats)
        costs, targets = self._costs(trials.scores, trials.targets), trials.targets.astype(np.float64)
        of_targets, of_all = costs * targets, costs

        def value(weights: Array) -> float:
            numbers = np.asarray(weights, dtype=np.float64)
            total, target_total = float(numbers.sum()), float(np.einsum("n,n->", numbers, targets))
            if not 0 < target_total < total:
                return math.nan
            target_cost = float(np.einsum("n,n->", numbers, of_targets))
            other_cost = float(np.einsum("n,n->", numbers, of_all)) - target_cost
            return target_cost / target_total + other_cost / (total - target_total)

        return value

    def details(self, stats: Stats) -> Details:
        return _count_classes(stats)


class LossAggregator(TrialAggregator):
    """The cost of a number as it is, minus the lowest cost that a calibration of the same scores could reach."""

    def __init__(self, actual: TrialAggregator, lowest: CurveAggregator) -> None:
        super().__init__(NONNEGATIVE)
        self._actual = actual
        self._lowest = lowest

    def choose_scale(self, stats: Stats, units: Codes) -> Scale:
        scale = self._lowest.choose_scale(stats, units)
        return replace(scale, scale=self.scale) if isinstance(scale, WithheldScale) else self.scale

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        actual, lowest = self._actual.prepare_weighted(stats), self._lowest.prepare_weighted(stats)
        return lambda weights: max(0.0, actual(weights) - lowest(weights))


def count_needed_trials(points: Points) -> dict[str, int]:
    """Return how many trials of each class the interval of a number needs, in simulations of independent trials.

    At the threshold of the lowest cost there are few errors of the class whose errors cost more. With fewer than about
    ten of them, the minimum over thresholds is too low by more than the trials show.
    """
    costs = [(1 - point.p_target) * point.c_fa / (point.p_target * point.c_miss) for point in points]
    others = max([MIN_TRIALS, *(round(TRIALS_PER_COST * cost) for cost in costs)])
    targets = max([MIN_TRIALS, *(round(TRIALS_PER_COST / cost) for cost in costs)])
    return {"targets": targets, "nontargets": others}


def _count_classes(stats: Stats) -> Details:
    targets = int(TrialArray.of(stats).targets.sum())
    return {"targets": targets, "nontargets": len(stats) - targets}


def _mean_min_cost(points: Points, curve: DetectionCurve) -> float:
    return float(np.mean([compute_min_cost(curve, point) for point in points]))


def _error_costs(points: Points, scores: Array, targets: Mask) -> Array:
    """Return the share of the actual detection cost of each trial, such that class means add up to it."""
    costs = np.zeros(len(scores))
    for point in points:
        miss, fa = point.c_miss * point.p_target, point.c_fa * (1 - point.p_target)
        accepted = scores >= point.bayes_threshold
        costs += np.where(targets, ~accepted * miss, accepted * fa) / min(miss, fa) / len(points)
    return costs


def _half_costs(scores: Array, targets: Mask) -> Array:
    return trial_costs(scores, targets) / 2


# --- metrics ---------------------------------------------------------------------------------


def trial_badness(stat: Any) -> float:
    """Rate a trial: a target is worse the lower its score is, another trial the higher it is."""
    score, is_target, *_ = stat
    return -float(score) if is_target else float(score)


def _get_class(stat: Any) -> bool:
    return bool(stat[1])


def _bound_trial(sample: Sample) -> tuple[Stat, Stat]:
    """Return a trial whose score is on the wrong side of all others, and one on the right side."""
    a, b = (encode_speaker(sample.meta.get(field)) for field in SPEAKER_FIELDS)
    is_target = int(sample.target == SAME)
    best = math.inf if is_target else -math.inf
    return (-best, is_target, a, b), (best, is_target, a, b)


def _make_metric(
    name: str, title: str, aggregate: TrialAggregator, variant: str, *, is_bounded: bool = True, **options: Any
) -> Metric:
    return Metric(
        name,
        score_trial,
        aggregate,
        higher_is_better=False,
        title=title,
        variant=variant,
        badness=trial_badness,
        stratum=_get_class,
        bounds=_bound_trial if is_bounded else None,
        **options,
    )


SHARE, MINIMUM = BoundedScale(), MinimumScale()
HULL_RATE = CurveAggregator(compute_eer, MINIMUM, describe_trials)
eer = _make_metric("eer", "EER", HULL_RATE, "convex-hull", unit="share", plot="detection")
eer_interpolated = _make_metric(
    "eer_interpolated",
    "EER (interpolated)",
    InterpolatedAggregator(compute_interpolated_eer, SHARE),
    "interpolated",
    unit="share",
)
# The bias of a monotonic calibration falls more slowly than one over the number of trials.
CALIBRATED = MinimumScale(bias_factor=2.0)
min_cllr = _make_metric("min_cllr", "min Cllr", CurveAggregator(compute_min_cllr, CALIBRATED), "pav-ties-pooled")
cllr = _make_metric("cllr", "Cllr", CostAggregator(_half_costs), "natural-log", is_bounded=False)
cllr_loss = _make_metric(
    "cllr_loss",
    "Cllr − min Cllr",
    LossAggregator(CostAggregator(_half_costs), CurveAggregator(compute_min_cllr, SHARE)),
    "natural-log.pav-ties-pooled",
    is_bounded=False,
)


def make_min_dcf(points: Points, ending: str = "") -> Metric:
    """Return the lowest detection cost over all thresholds at these operating points."""
    aggregate = CurveAggregator(partial(_mean_min_cost, tuple(points)), MINIMUM, points=points)
    return _make_metric(f"min_dcf{ending}", f"minDCF{_title(points)}", aggregate, _name_points(points))


def make_act_dcf(points: Points, ending: str = "") -> Metric:
    """Return the detection cost at the Bayes threshold, for scores that are log-likelihood ratios."""
    aggregate = CostAggregator(partial(_error_costs, tuple(points)))
    return _make_metric(f"act_dcf{ending}", f"actDCF{_title(points)}", aggregate, f"{_name_points(points)}.natural-log")


def make_dcf_loss(points: Points, ending: str = "") -> Metric:
    """Return the detection cost at the Bayes threshold minus the lowest one."""
    lowest = CurveAggregator(partial(_mean_min_cost, tuple(points)), SHARE, points=points)
    aggregate = LossAggregator(CostAggregator(partial(_error_costs, tuple(points))), lowest)
    variant = f"{_name_points(points)}.natural-log"
    title = f"actDCF − minDCF{_title(points)}"
    return _make_metric(f"dcf_loss{ending}", title, aggregate, variant, is_bounded=False)


def _title(points: Points) -> str:
    return f" ({', '.join(f'{point.p_target:g}' for point in points)})"


def _name_points(points: Points) -> str:
    """Name operating points for a signature: `ptar-0.01-cmiss-1-cfa-1`, joined by a plus."""
    return "+".join(f"ptar-{point.p_target:g}-cmiss-{point.c_miss:g}-cfa-{point.c_fa:g}" for point in points)


min_dcf, min_dcf_05, min_dcf_sre08, min_dcf_sre10, min_dcf_sre12, min_dcf_sre16 = (
    make_min_dcf(points, ending) for ending, points in POINTS.items()
)
act_dcf, act_dcf_05, act_dcf_sre08, act_dcf_sre10, act_dcf_sre12, act_dcf_sre16 = (
    make_act_dcf(points, ending) for ending, points in POINTS.items()
)
dcf_loss = make_dcf_loss(POINTS[""])
