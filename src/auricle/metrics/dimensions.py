"""Metrics over continuous dimensions such as arousal and valence.

If a corpus has only emotion labels, there is no true value to compare with: eta² is then the share of a dimension's
variance between the emotions. If listeners rated the dimensions, CCC, Pearson's r and RMSE compare with the
ratings in the sample's metadata. Nothing is rescaled, so CCC and RMSE are meaningful only if both sides use the same
scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from auricle.core.errors import SampleError, Unsuited
from auricle.core.types import Generation, Output, Prediction, Sample
from auricle.metrics.base import Details, Metric, Stats, WeightedAggregate, WeightedAggregator, divide
from auricle.metrics.separation import SeparationAggregator, eta_squared, split_labels_and_values

if TYPE_CHECKING:
    from auricle.metrics.base import Array

DIMENSIONS = ("arousal", "dominance", "valence")
NEEDS_DIMENSIONS = "needs dimensions such as arousal"
MIN_RELATIVE_VARIANCE = 1e-12
"""Variances below this share of the unweighted variance are rounding errors."""


def get_dimensions(output: Output) -> dict[str, float]:
    """Return the dimensions of an output in alphabetical order, or raise an error that explains why not."""
    if isinstance(output, Generation):
        raise Unsuited(f"{NEEDS_DIMENSIONS}; this model writes text")
    if not isinstance(output, Prediction):
        raise Unsuited(f"{NEEDS_DIMENSIONS}, not {type(output).__name__}")
    if output.scale != "continuous":
        raise Unsuited(f"{NEEDS_DIMENSIONS}; this model's outputs are class scores, of scale {output.scale}")
    return {name.casefold(): output.values[name] for name in sorted(output.values)}


def get_dimension_value(output: Output, dimension: str) -> float:
    values = get_dimensions(output)
    if dimension not in values:
        raise Unsuited(f"this model returns {', '.join(values)}, but not {dimension}")
    return values[dimension]


# --- separation of labels -------------------------------------------------------------------


def _label_and_values(sample: Sample, output: Output) -> tuple[Any, ...]:
    return str(sample.target), tuple(get_dimensions(output).items())


def _label_and_value(sample: Sample, output: Output, dimension: str) -> tuple[str, float]:
    return str(sample.target), get_dimension_value(output, dimension)


class EtaSquaredAggregator(WeightedAggregator):
    """Eta² of one dimension over (label, value)."""

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        labels, values = split_labels_and_values(stats)
        return eta_squared(labels, values)


def _has_label(sample: Sample) -> bool:
    return isinstance(sample.target, str)


def _equal_badness(stat: Any) -> float:
    """Rate all samples the same, because separation is a property of the whole corpus."""
    return 0.0


def _eta_squared_metric(dimension: str) -> Metric:
    score = partial(_label_and_value, dimension=dimension)
    return Metric(
        f"eta2_{dimension}",
        score,
        EtaSquaredAggregator(),
        title=f"η² {dimension}",
        applies=_has_label,
        custom_badness=_equal_badness,
    )


eta2 = Metric(
    "eta2",
    _label_and_values,
    SeparationAggregator(),
    title="η²",
    plot="separation",
    applies=_has_label,
    custom_badness=_equal_badness,
)
eta2_arousal, eta2_dominance, eta2_valence = map(_eta_squared_metric, DIMENSIONS)


# --- comparison with ratings ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Moments:
    """Means, variances and covariance of predicted and true numbers."""

    count: float
    mean_difference: float
    """Mean of the predicted minus mean of the true numbers."""
    predicted_variance: float
    true_variance: float
    covariance: float

    @property
    def squared_error(self) -> float:
        return max(0.0, self.predicted_variance + self.true_variance - 2 * self.covariance + self.mean_difference**2)


def _concordance(moments: Moments) -> float:
    if moments.count < 2:
        return math.nan
    return divide(
        2 * moments.covariance, moments.predicted_variance + moments.true_variance + moments.mean_difference**2
    )


def _correlation(moments: Moments) -> float:
    if moments.count < 2:
        return math.nan
    return divide(moments.covariance, math.sqrt(moments.predicted_variance) * math.sqrt(moments.true_variance))


def _root_mean_squared_error(moments: Moments) -> float:
    return math.sqrt(moments.squared_error) if moments.count else math.nan


class MomentsAggregator(WeightedAggregator):
    """An aggregator over (predicted, true) numbers that needs only their moments."""

    def __init__(self, finish: Callable[[Moments], float]) -> None:
        self._finish = finish

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        import numpy as np

        table = np.asarray(stats, dtype=np.float64).reshape(-1, 2)
        centre = table.mean(axis=0)  # squares of values far from zero would lose precision
        x, y = np.where(np.ptp(table, axis=0) > 0, table - centre, 0.0).T
        columns = np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y])
        shift = float(centre[0] - centre[1])
        min_variances = MIN_RELATIVE_VARIANCE * columns[3:5].mean(axis=1)

        def value(weights: Array) -> float:
            count, *sums = np.einsum("cn,n->c", columns, weights).tolist()
            if not count:
                return math.nan
            x, y, xx, yy, xy = (total / count for total in sums)
            variance_x, variance_y = xx - x * x, yy - y * y
            variance_x = variance_x if variance_x > min_variances[0] else 0.0
            variance_y = variance_y if variance_y > min_variances[1] else 0.0
            covariance = xy - x * y if variance_x and variance_y else 0.0
            return self._finish(Moments(count, x - y + shift, variance_x, variance_y, covariance))

        return value

    def details(self, stats: Stats) -> Details:
        """Return mean and range of both sides, with a note if the ranges do not overlap."""
        import numpy as np

        table = np.asarray(stats, dtype=np.float64).reshape(-1, 2)
        (low, true_low), (high, true_high) = table.min(axis=0), table.max(axis=0)
        sides = {
            name: {"mean": float(side.mean()), "low": float(side.min()), "high": float(side.max())}
            for name, side in zip(("predicted", "true"), table.T, strict=True)
        }
        if self._finish is _correlation or (low <= true_high and true_low <= high):
            return sides
        note = (
            f"Predictions range from {low:.3g} to {high:.3g}, ratings from {true_low:.3g} to {true_high:.3g}: "
            "CCC and RMSE compare different scales; Pearson's r is not affected."
        )
        return {**sides, "notes": [note]}


def _has_rating(sample: Sample, dimension: str) -> bool:
    rating = sample.meta.get(dimension)
    if isinstance(rating, bool) or not isinstance(rating, (int, float)):
        return False
    return math.isfinite(rating)


def _value_and_rating(sample: Sample, output: Output, dimension: str) -> tuple[float, float]:
    truth = sample.meta.get(dimension)
    if not isinstance(truth, (int, float)):
        raise SampleError(f"no rating of {dimension} in the metadata")
    return get_dimension_value(output, dimension), float(truth)


def _absolute_error(stat: Any) -> float:
    return abs(float(stat[0]) - float(stat[1]))


def _rating_metrics(
    name: str, title: str, finish: Callable[[Moments], float], higher_is_better: bool = True
) -> list[Metric]:
    return [
        Metric(
            f"{name}_{dimension}",
            partial(_value_and_rating, dimension=dimension),
            MomentsAggregator(finish),
            higher_is_better=higher_is_better,
            title=f"{title} {dimension}",
            plot="ratings" if higher_is_better else "",
            applies=partial(_has_rating, dimension=dimension),
            custom_badness=_absolute_error,
        )
        for dimension in DIMENSIONS
    ]


ccc_arousal, ccc_dominance, ccc_valence = _rating_metrics("ccc", "CCC", _concordance)
pearson_arousal, pearson_dominance, pearson_valence = _rating_metrics("pearson", "Pearson’s r", _correlation)
rmse_arousal, rmse_dominance, rmse_valence = _rating_metrics("rmse", "RMSE", _root_mean_squared_error, False)
