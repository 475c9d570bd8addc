"""Metrics over continuous dimensions such as arousal and valence.

If a corpus has only emotion labels, there is no true value to compare with: eta² is then the share of a dimension's
variance between the emotions. If listeners rated the dimensions, CCC, Pearson's r and RMSE compare with the
ratings in the sample's metadata. Nothing is rescaled, so CCC and RMSE are meaningful only if both sides use the same
scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auricle.core.errors import SampleError, Unsuited
from auricle.core.types import Generation, Output, Prediction, Sample
from auricle.metrics.base import (
    Array,
    Codes,
    Details,
    Mask,
    Metric,
    Stats,
    WeightedAggregate,
    WeightedAggregator,
    divide,
)
from auricle.metrics.capabilities import Restricted
from auricle.metrics.catalogue import DIMENSIONS
from auricle.metrics.correlation import MIN_RELATIVE_VARIANCE, prepare_ranks
from auricle.metrics.scales import FISHER, NONNEGATIVE, SHARE, Scale

NEEDS_DIMENSIONS = "needs dimensions such as arousal"
DENSITY_GRID_SIZE = 40
MAX_SCATTER_POINTS = 600  # more would cover each other
MIN_DENSITY_SAMPLES = 5


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


class SeparationAggregator(WeightedAggregator):
    """The mean eta² of all dimensions, over statistics (label, ((dimension, value), …))."""

    scale = SHARE

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        labels, table = split_dimensions(stats)
        dimensions = [eta_squared(labels, values) for values in table.values()]
        return lambda weights: sum(value(weights) for value in dimensions) / len(dimensions)

    def details(self, stats: Stats) -> Details:
        """Return eta², its value by chance, and figures for each emotion, for every dimension."""
        labels, table = split_dimensions(stats)
        return {"dimensions": {name: _dimension_figures(labels, values) for name, values in table.items()}}

    def plot_data(self, stats: Stats) -> Details:
        """Return the density of every emotion in every dimension, and points for a scatter plot of two dimensions."""
        labels, table = split_dimensions(stats)
        densities = {name: _estimate_densities(labels, values) for name, values in table.items()}
        return {"densities": densities, **_scatter_data(labels, table)}


class EtaSquaredAggregator(WeightedAggregator):
    """Eta² of one dimension over (label, value)."""

    scale = SHARE

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        return eta_squared([stat[0] for stat in stats], np.array([stat[1] for stat in stats], dtype=np.float64))


def split_dimensions(stats: Stats) -> tuple[list[str], dict[str, Array]]:
    """Return the labels, and the values of each dimension in the same order."""
    names = [name for name, _ in stats[0][1]]
    values = np.array([[value for _, value in stat[1]] for stat in stats], dtype=np.float64)
    return [stat[0] for stat in stats], dict(zip(names, values.T, strict=True))


def eta_squared(labels: Sequence[str], values: Array) -> WeightedAggregate:
    """Compute the share of a dimension's variance between labels, as a function of weights."""
    codes, names = encode_labels(labels)
    centred = values - values.mean()
    squares = centred**2

    def value(weights: Array) -> float:
        counts = np.bincount(codes, weights=weights, minlength=len(names))
        sums = np.bincount(codes, weights=weights * centred, minlength=len(names))
        size, total = counts.sum(), sums.sum()
        present = counts > 0
        if present.sum() < 2:
            return math.nan
        overall = float(np.einsum("n,n->", weights, squares) - total**2 / size)
        between = float((sums[present] ** 2 / counts[present]).sum() - total**2 / size)
        return divide(between, overall) if overall > 1e-15 * size else math.nan

    return value


def encode_labels(labels: Sequence[str]) -> tuple[Codes, list[str]]:
    """Return an index for each label, and the distinct labels in alphabetical order."""
    names = sorted(set(labels))
    index_by_name = {name: index for index, name in enumerate(names)}
    return np.fromiter((index_by_name[label] for label in labels), np.int64, len(labels)), names


def _dimension_figures(labels: Sequence[str], values: Array) -> dict[str, Any]:
    codes, names = encode_labels(labels)
    ranks = prepare_ranks(values)(np.ones(len(values)))
    return {
        "eta2": eta_squared(labels, values)(np.ones(len(values))),
        "chance": divide(len(names) - 1, len(values) - 1),
        "emotions": {name: _emotion_figures(values, ranks, codes == code) for code, name in enumerate(names)},
    }


def _emotion_figures(values: Array, ranks: Array, members: Mask) -> dict[str, Any]:
    """Describe one emotion along a dimension, and against all others with Cohen's d and AUC."""
    inside, outside = values[members], values[~members]
    low, *quartiles, high = np.quantile(inside, (0, 0.25, 0.5, 0.75, 1)).tolist()
    pairs_above = float(ranks[members].sum()) - len(inside) * (len(inside) + 1) / 2
    return {
        "n": len(inside),
        "mean": float(inside.mean()),
        "sd": float(inside.std(ddof=1)) if len(inside) > 1 else math.nan,
        "d": _cohens_d(inside, outside),
        "auc": divide(pairs_above, len(inside) * len(outside)),
        "low": low,
        "quartiles": quartiles,
        "high": high,
    }


def _cohens_d(a: Array, b: Array) -> float:
    """Compute the difference of two means in units of their pooled standard deviation."""
    if min(len(a), len(b)) < 2:
        return math.nan
    degrees_of_freedom = len(a) + len(b) - 2
    variance = ((len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)) / degrees_of_freedom
    return divide(float(a.mean() - b.mean()), math.sqrt(variance))


def _estimate_densities(labels: Sequence[str], values: Array) -> dict[str, Any]:
    """Estimate the density of each emotion on one grid; None for emotions with few samples."""
    codes, names = encode_labels(labels)
    margin = 0.05 * (float(np.ptp(values)) or 1.0)
    grid = np.linspace(values.min() - margin, values.max() + margin, DENSITY_GRID_SIZE)
    return {
        "from": float(grid[0]),
        "to": float(grid[-1]),
        "of": {name: _estimate_density(values[codes == code], grid) for code, name in enumerate(names)},
    }


def _estimate_density(values: Array, grid: Array) -> list[float] | None:
    """Estimate a density with a Gaussian kernel and the bandwidth of Silverman's rule."""
    if len(values) < MIN_DENSITY_SAMPLES or not (deviation := float(values.std(ddof=1))):
        return None
    quartile_range = float(np.subtract(*np.quantile(values, (0.75, 0.25)))) / 1.34
    bandwidth = 0.9 * (min(deviation, quartile_range) or deviation) * len(values) ** -0.2
    distances = (grid[:, None] - values[None, :]) / bandwidth
    densities = np.exp(-0.5 * distances**2).sum(axis=1) / (len(values) * bandwidth * math.sqrt(2 * math.pi))
    return [float(f"{density:.4g}") for density in densities]


def _scatter_data(labels: Sequence[str], table: Mapping[str, Array]) -> Details:
    """Return points over valence and arousal, or over the first two dimensions."""
    if len(table) < 2:
        return {}
    preferred = [name for name in ("valence", "arousal") if name in table]
    x_name, y_name = preferred if len(preferred) == 2 else list(table)[:2]
    codes, names = encode_labels(labels)
    shown = np.linspace(0, len(codes) - 1, min(len(codes), MAX_SCATTER_POINTS)).astype(int)
    x, y = table[x_name], table[y_name]
    return {
        "plane": {
            "x": x_name,
            "y": y_name,
            "labels": names,
            "of": len(codes),
            "points": [[int(codes[i]), float(f"{x[i]:.5g}"), float(f"{y[i]:.5g}")] for i in shown],
            "centres": [
                {
                    "n": int((codes == code).sum()),
                    "x": float(x[codes == code].mean()),
                    "y": float(y[codes == code].mean()),
                    "sd_x": float(x[codes == code].std()),
                    "sd_y": float(y[codes == code].std()),
                }
                for code in range(len(names))
            ],
        }
    }


class SeparationMetric(Metric, Restricted):
    """How far apart the labels are, in one dimension or in all.

    It rates all samples the same, because separation is a property of the whole corpus.
    """

    def __init__(self, name: str, title: str, aggregate: WeightedAggregator, *, dimension: str = "") -> None:
        super().__init__(name, aggregate=aggregate, title=title, plot="" if dimension else "separation")
        self._dimension = dimension

    def applies(self, sample: Sample) -> bool:
        return isinstance(sample.target, str)

    def score(self, sample: Sample, output: Output) -> tuple[Any, ...]:
        """Return the label and the predicted values."""
        if self._dimension:
            return str(sample.target), get_dimension_value(output, self._dimension)
        return str(sample.target), tuple(get_dimensions(output).items())

    def badness(self, stat: Any) -> float:
        return 0.0


eta2 = SeparationMetric("eta2", "η²", SeparationAggregator())
eta2_arousal, eta2_dominance, eta2_valence = (
    SeparationMetric(f"eta2_{name}", f"η² {name}", EtaSquaredAggregator(), dimension=name) for name in DIMENSIONS
)


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
    return divide(moments.covariance, math.sqrt(moments.predicted_variance) * math.sqrt(moments.true_variance))


def _root_mean_squared_error(moments: Moments) -> float:
    return math.sqrt(moments.squared_error) if moments.count else math.nan


class MomentsAggregator(WeightedAggregator):
    """An aggregator over (predicted, true) numbers that needs only their moments."""

    def __init__(self, finish: Callable[[Moments], float], scale: Scale = FISHER) -> None:
        self._finish = finish
        self.scale = scale

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        table = np.asarray(stats, dtype=np.float64).reshape(-1, 2)
        centre = table.mean(axis=0)  # squares of values far from zero would lose precision
        x, y = (table - centre).T
        columns = np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y])
        shift = float(centre[0] - centre[1])
        min_variance_x, min_variance_y = MIN_RELATIVE_VARIANCE * columns[3:5].mean(axis=1)

        def value(weights: Array) -> float:
            count, *sums = np.einsum("cn,n->c", columns, weights).tolist()
            if not count:
                return math.nan
            x, y, xx, yy, xy = (total / count for total in sums)
            variance_x, variance_y = xx - x * x, yy - y * y
            variance_x = variance_x if variance_x > min_variance_x else 0.0
            variance_y = variance_y if variance_y > min_variance_y else 0.0
            return self._finish(Moments(count, x - y + shift, variance_x, variance_y, xy - x * y))

        return value

    def details(self, stats: Stats) -> Details:
        """Return mean and range of both sides, with a note if the ranges do not overlap."""
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


class DimensionMetric(Metric, Restricted):
    """A comparison of predictions of a dimension with ratings of it."""

    def __init__(
        self, name: str, title: str, finish: Callable[[Moments], float], dimension: str, higher_is_better: bool = True
    ) -> None:
        super().__init__(
            f"{name}_{dimension}",
            aggregate=MomentsAggregator(finish, FISHER if higher_is_better else NONNEGATIVE),
            higher_is_better=higher_is_better,
            title=f"{title} {dimension}",
            plot="ratings" if higher_is_better else "",
        )
        self._dimension = dimension

    def applies(self, sample: Sample) -> bool:
        rating = sample.meta.get(self._dimension)
        if isinstance(rating, bool) or not isinstance(rating, (int, float)):
            return False
        return math.isfinite(rating)

    def score(self, sample: Sample, output: Output) -> tuple[float, float]:
        truth = sample.meta.get(self._dimension)
        if not isinstance(truth, (int, float)):
            raise SampleError(f"no rating of {self._dimension} in the metadata")
        return get_dimension_value(output, self._dimension), float(truth)

    def badness(self, stat: tuple[float, float]) -> float:
        return abs(stat[0] - stat[1])


ccc_arousal, ccc_dominance, ccc_valence = (DimensionMetric("ccc", "CCC", _concordance, name) for name in DIMENSIONS)
pearson_arousal, pearson_dominance, pearson_valence = (
    DimensionMetric("pearson", "Pearson’s r", _correlation, name) for name in DIMENSIONS
)
rmse_arousal, rmse_dominance, rmse_valence = (
    DimensionMetric("rmse", "RMSE", _root_mean_squared_error, name, higher_is_better=False) for name in DIMENSIONS
)
