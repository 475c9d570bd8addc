"""How well continuous dimensions separate emotions: eta², effect sizes, and data for plots."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from auricle.metrics.base import Details, Stats, WeightedAggregate, WeightedAggregator, divide
from auricle.metrics.correlation import prepare_ranks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from auricle.metrics.base import Array

    Codes = NDArray[np.int64]

DENSITY_GRID_SIZE = 40
MAX_SCATTER_POINTS = 600  # more would cover each other
MIN_DENSITY_SAMPLES = 5


class SeparationAggregator(WeightedAggregator):
    """The mean eta² of all dimensions, over statistics (label, ((dimension, value), …))."""

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


def split_labels_and_values(stats: Stats) -> tuple[list[str], Array]:
    """Split (label, value) statistics into labels and values."""
    import numpy as np

    return [stat[0] for stat in stats], np.array([stat[1] for stat in stats], dtype=np.float64)


def split_dimensions(stats: Stats) -> tuple[list[str], dict[str, Array]]:
    """Return the labels, and the values of each dimension in the same order."""
    import numpy as np

    names = [name for name, _ in stats[0][1]]
    values = np.array([[value for _, value in stat[1]] for stat in stats], dtype=np.float64)
    return [stat[0] for stat in stats], dict(zip(names, values.T, strict=True))


def eta_squared(labels: Sequence[str], values: Array) -> WeightedAggregate:
    """Compute the share of a dimension's variance between labels, as a function of weights."""
    import numpy as np

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
    import numpy as np

    names = sorted(set(labels))
    index_by_name = {name: index for index, name in enumerate(names)}
    return np.fromiter((index_by_name[label] for label in labels), np.int64, len(labels)), names


def _dimension_figures(labels: Sequence[str], values: Array) -> dict[str, Any]:
    import numpy as np

    codes, names = encode_labels(labels)
    ranks = prepare_ranks(values)(np.ones(len(values)))
    return {
        "eta2": eta_squared(labels, values)(np.ones(len(values))),
        "chance": divide(len(names) - 1, len(values) - 1),
        "emotions": {name: _emotion_figures(values, ranks, codes == code) for code, name in enumerate(names)},
    }


def _emotion_figures(values: Array, ranks: Array, members: NDArray[np.bool_]) -> dict[str, Any]:
    """Describe one emotion along a dimension, and against all others with Cohen's d and AUC."""
    import numpy as np

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


# --- data for plots ------------------------------------------------------------------------


def _estimate_densities(labels: Sequence[str], values: Array) -> dict[str, Any]:
    """Estimate the density of each emotion on one grid; None for emotions with few samples."""
    import numpy as np

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
    import numpy as np

    deviation = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    if len(values) < MIN_DENSITY_SAMPLES or not deviation:
        return None
    quartile_range = float(np.subtract(*np.quantile(values, (0.75, 0.25)))) / 1.34
    bandwidth = 0.9 * (min(deviation, quartile_range) or deviation) * len(values) ** -0.2
    distances = (grid[:, None] - values[None, :]) / bandwidth
    densities = np.exp(-0.5 * distances**2).sum(axis=1) / (len(values) * bandwidth * math.sqrt(2 * math.pi))
    return [float(f"{density:.4g}") for density in densities]


def _scatter_data(labels: Sequence[str], table: Mapping[str, Array]) -> Details:
    """Return points over valence and arousal, or over the first two dimensions."""
    import numpy as np

    if len(table) < 2:
        return {}
    preferred = [name for name in ("valence", "arousal") if name in table]
    x_name, y_name = preferred if len(preferred) == 2 else list(table)[:2]
    codes, names = encode_labels(labels)
    shown = np.unique(np.linspace(0, len(codes) - 1, MAX_SCATTER_POINTS).astype(int))
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
