"""Correct the scores of a judge with the labels of people (prediction-powered inference).

A judge errs in one direction more often than in the other, so that the mean of its verdicts is biased, and an
interval around this mean does not contain the truth. If people labelled a random part of the samples, the mean
difference between labels and verdicts there estimates the bias, and is added (Angelopoulos et al., 2023). The verdicts
are weighted by how well they predict the labels (PPI++), so that a useless judge does no harm.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auricle.core.types import Sample
from auricle.metrics.base import Array, Codes, Details, Metric, Stats, Unit, WeightedAggregate

if TYPE_CHECKING:
    from auricle.metrics.intervals import Interval

MIN_LABELS = 20
"""Human labels below which a score is not corrected: the interval would be wider than that of the labels alone."""
PRIOR_LABELS = 10
"""Weight, in labels, of the assumption that verdicts predict labels; a few labels may all be equal by chance."""
METHOD = "prediction-powered"


def make_corrected_metric(
    metric: Metric,
    read_label: Callable[[Sample], float | None],
    *,
    step: float,
    limits: tuple[float, float],
    unit: Unit,
) -> Metric:
    """Make the companion of a judged metric that corrects its mean with human labels.

    Args:
        metric: The judged metric.
        read_label: Function that returns the label of a sample on the scale of the metric; None if it has none.
        step: Smallest difference between two labels.
        limits: Lowest and highest score.
        unit: How the number is shown.
    """

    def score(sample: Sample, value: float | None) -> tuple[float, float, float] | None:
        label = read_label(sample)
        if value is None:
            return None
        return (value, 0.0, 0.0) if label is None else (value, label, 1.0)

    return Metric(
        f"{metric.name}.corrected",
        score,
        CorrectedMean(step, limits),
        version=1,
        title=f"{metric.title}, corrected",
        variant=metric.variant,
        unit=unit,
        derived_from=(metric.name,),
        badness=lambda stat: abs(stat[0] - stat[1]) * stat[2],
    )


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean that was corrected with labels, and how sure it is."""

    value: float
    standard_error: float
    judge_weight: float
    """Weight of the verdicts: 0 if they do not help to predict labels."""


@dataclass(frozen=True)
class CorrectedMean:
    """Aggregator of (verdict, label, 1 or 0 if there is no label): the mean of the labels that all samples would have.

    Args:
        step: Smallest difference between two labels; one more disagreement of this size is assumed, because a few
            labels without any do not show that there is none.
        limits: Lowest and highest score.
    """

    step: float
    limits: tuple[float, float]

    def __call__(self, stats: Stats) -> float:
        import numpy as np

        return self.prepare_weighted(stats)(np.ones(len(stats)))

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        rows = _to_rows(stats)
        return lambda weights: self._estimate(rows, weights).value

    def explain_absence(self, stats: Stats) -> str | None:
        """Return why there is no number: empty without any label, None if there are enough."""
        labels = int(_to_rows(stats)[:, 2].sum())
        if not 0 < labels < MIN_LABELS:
            return None if labels else ""
        return f"{labels} human labels are too few to correct the judge; label at least {MIN_LABELS} random samples"

    def compute_interval(self, stats: Stats, clusters: Codes | None = None) -> Interval:
        """Compute the 95 % interval, with Student's t for as many units as have labels."""
        import numpy as np

        from auricle.metrics.distributions import t_quantile
        from auricle.metrics.intervals import Interval

        rows = _to_rows(stats)
        labelled = rows[:, 2] > 0
        units = int(labelled.sum()) if clusters is None else len(np.unique(clusters[labelled]))
        if units < 2:
            return Interval(math.nan, math.nan, METHOD, units)
        estimate = self._estimate(rows, np.ones(len(rows)), clusters)
        half = t_quantile(0.975, units - 1) * estimate.standard_error
        low, high = max(self.limits[0], estimate.value - half), min(self.limits[1], estimate.value + half)
        return Interval(low, high, METHOD if clusters is None else f"cluster-{METHOD}", units)

    def details(self, stats: Stats) -> Details:
        import numpy as np

        rows = _to_rows(stats)
        labels = int(rows[:, 2].sum())
        note = f"The correction with {labels} human labels assumes that they are a random part of the samples."
        estimate = self._estimate(rows, np.ones(len(rows)))
        return {"human_labels": labels, "judged": float(rows[:, 0].mean()), "judge_weight": estimate.judge_weight,
                "notes": [note]}  # fmt: skip

    def _estimate(self, rows: Array, weights: Array, clusters: Codes | None = None) -> Estimate:
        import numpy as np

        verdicts, labels, has_label = rows.T
        labelled, unlabelled = weights * has_label, weights * (1 - has_label)
        n, rest = float(labelled.sum()), float(unlabelled.sum())
        if n < 2:
            return Estimate(math.nan, math.nan, 0.0)
        judge_weight = self._judge_weight(rows, weights, n, rest)
        residuals = labels - judge_weight * verdicts
        rectifier = float(labelled @ residuals) / n
        mean_of_rest = float(unlabelled @ verdicts) / rest if rest else 0.0
        # The influence of each sample on the estimate.
        own = has_label * (residuals - rectifier) / n
        other = (1 - has_label) * judge_weight * (verdicts - mean_of_rest) / (rest or 1.0)
        influences = np.sqrt(weights) * (own + other)
        if clusters is not None:
            influences = np.bincount(clusters, influences)
        variance = float(influences @ influences) * n / (n - 1) + self.step**2 / (n * (n - 1))
        return Estimate(judge_weight * mean_of_rest + rectifier, math.sqrt(variance), judge_weight)

    def _judge_weight(self, rows: Array, weights: Array, n: float, rest: float) -> float:
        """Return the weight of verdicts with the least variance: the slope of labels on verdicts, if there are more."""
        verdicts, labels, has_label = rows.T
        deviations = verdicts - float(weights @ verdicts) / float(weights.sum())
        variance = float(weights @ deviations**2) / float(weights.sum())
        if not variance or not rest:
            return 0.0
        labelled = weights * has_label
        own_deviations = verdicts - float(labelled @ verdicts) / n
        covariance = float(labelled @ (own_deviations * labels)) / (n - 1)
        slope = (n * covariance / variance + PRIOR_LABELS) / (n + PRIOR_LABELS)
        return min(1.0, max(0.0, slope)) / (1.0 + n / rest)


def _to_rows(stats: Stats) -> Array:
    import numpy as np

    return np.asarray(stats, dtype=np.float64).reshape(len(stats), 3)
