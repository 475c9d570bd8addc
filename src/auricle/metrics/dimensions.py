"""Metrics over dimensions, such as arousal and valence: what they separate, and how true they are.

Where a corpus knows only names of emotions there is no right value to be near to; eta² then says
how much of a dimension's spread lies between the emotions. Where listeners rated dimensions, the
ratings stand in a sample's meta and CCC, Pearson's r and RMSE compare with them, as they are:
nothing is rescaled, so CCC and RMSE mean something only if both sides use one scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from auricle.core.errors import SampleError, Unsuited
from auricle.core.types import Generation, Output, Prediction, Sample
from auricle.metrics.base import Details, Metric, WeightedAggregate, divide
from auricle.metrics.separation import SeparationAggregator, eta_squared, split_labels_and_values

if TYPE_CHECKING:
    from auricle.metrics.base import Array

DIMENSIONS = ("arousal", "dominance", "valence")
NEEDS_DIMENSIONS = "needs dimensions such as arousal"
MIN_RELATIVE_VARIANCE = 1e-12


def get_dimensions(output: Output) -> dict[str, float]:
    """An output's dimensions in alphabetical order, or why it has none."""
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
        raise Unsuited(f"this model tells {', '.join(values)}, and not {dimension}")
    return values[dimension]


# --- what dimensions separate ---------------------------------------------------------------


def _label_and_values(sample: Sample, output: Output) -> tuple[Any, ...]:
    return str(sample.target), tuple(get_dimensions(output).items())


def _label_and_value(sample: Sample, output: Output, dimension: str) -> tuple[str, float]:
    return str(sample.target), get_dimension_value(output, dimension)


class EtaSquaredAggregator:
    """Eta² of one dimension over (label, value)."""

    def __call__(self, stats: Sequence[Any]) -> float:
        import numpy as np

        return self.prepare_weighted(stats)(np.ones(len(stats)))

    def prepare_weighted(self, stats: Sequence[Any]) -> WeightedAggregate:
        labels, values = split_labels_and_values(stats)
        return eta_squared(labels, values)


def _has_label(sample: Sample) -> bool:
    return isinstance(sample.target, str)


def _equal_badness(stat: Any) -> float:
    """No sample separates emotions by itself, so none is the worst."""
    return 0.0


def _eta_squared_metric(dimension: str) -> Metric:
    score = partial(_label_and_value, dimension=dimension)
    return Metric(f"eta2_{dimension}", score, EtaSquaredAggregator(), applies=_has_label, custom_badness=_equal_badness)


eta2 = Metric("eta2", _label_and_values, SeparationAggregator(), applies=_has_label, custom_badness=_equal_badness)
eta2_arousal, eta2_dominance, eta2_valence = map(_eta_squared_metric, DIMENSIONS)


# --- how true they are ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Moments:
    """Means, variances and covariance of predictions and truths, over all of them."""

    count: float
    mean_difference: float
    """The predictions' mean less the truths'."""
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


class MomentsAggregator:
    """A fold over (predicted, true) numbers by their moments."""

    def __init__(self, finish: Callable[[Moments], float]) -> None:
        self._finish = finish

    def __call__(self, stats: Sequence[Any]) -> float:
        import numpy as np

        return self.prepare_weighted(stats)(np.ones(len(stats)))

    def prepare_weighted(self, stats: Sequence[Any]) -> WeightedAggregate:
        import numpy as np

        table = np.asarray(stats, dtype=np.float64).reshape(-1, 2)
        centre = table.mean(axis=0)  # far from zero, squares would drown the differences
        x, y = np.where(np.ptp(table, axis=0) > 0, table - centre, 0.0).T
        columns = np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y])
        shift = float(centre[0] - centre[1])
        least = MIN_RELATIVE_VARIANCE * columns[3:5].mean(axis=1)  # below it, a spread is a rounding error

        def value(weights: Array) -> float:
            count, *sums = np.einsum("cn,n->c", columns, weights).tolist()
            if not count:
                return math.nan
            x, y, xx, yy, xy = (total / count for total in sums)
            spread_x, spread_y = xx - x * x, yy - y * y
            spread_x = spread_x if spread_x > least[0] else 0.0
            spread_y = spread_y if spread_y > least[1] else 0.0
            both = xy - x * y if spread_x and spread_y else 0.0
            return self._finish(Moments(count, x - y + shift, spread_x, spread_y, both))

        return value

    def details(self, stats: Sequence[Any]) -> Details:
        """Where both sides lie, and a warning where they lie apart."""
        import numpy as np

        table = np.asarray(stats, dtype=np.float64).reshape(-1, 2)
        (low, other_low), (high, other_high) = table.min(axis=0), table.max(axis=0)
        sides = {
            name: {"mean": float(side.mean()), "low": float(side.min()), "high": float(side.max())}
            for name, side in zip(("predicted", "true"), table.T, strict=True)
        }
        if self._finish is _correlation or (low <= other_high and other_low <= high):
            return sides
        told = (
            f"Predictions run from {low:.3g} to {high:.3g}, ratings from {other_low:.3g} to "
            f"{other_high:.3g}: CCC and RMSE compare unlike scales, Pearson's r does not mind."
        )
        return {**sides, "notes": [told]}


def _has_rating(sample: Sample, dimension: str) -> bool:
    rating = sample.meta.get(dimension)
    if isinstance(rating, bool) or not isinstance(rating, (int, float)):
        return False
    return math.isfinite(rating)


def _value_and_rating(sample: Sample, output: Output, dimension: str) -> tuple[float, float]:
    truth = sample.meta.get(dimension)
    if not isinstance(truth, (int, float)):
        raise SampleError(f"has no rating of {dimension} in its meta")
    return get_dimension_value(output, dimension), float(truth)


def _absolute_error(stat: Any) -> float:
    return abs(float(stat[0]) - float(stat[1]))


def _rating_metrics(name: str, finish: Callable[[Moments], float], higher_is_better: bool = True) -> list[Metric]:
    return [
        Metric(
            f"{name}_{dimension}",
            partial(_value_and_rating, dimension=dimension),
            MomentsAggregator(finish),
            higher_is_better=higher_is_better,
            applies=partial(_has_rating, dimension=dimension),
            custom_badness=_absolute_error,
        )
        for dimension in DIMENSIONS
    ]


ccc_arousal, ccc_dominance, ccc_valence = _rating_metrics("ccc", _concordance)
pearson_arousal, pearson_dominance, pearson_valence = _rating_metrics("pearson", _correlation)
rmse_arousal, rmse_dominance, rmse_valence = _rating_metrics("rmse", _root_mean_squared_error, higher_is_better=False)
