"""How emotions lie along dimensions: means, spreads, and how well one tells them apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from auricle.metrics.base import Details, WeightedAggregate, divide

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from auricle.metrics.base import Array

    Codes = NDArray[np.int64]

DENSITY_GRID_SIZE = 40  # points a density is told at
MAX_SCATTER_POINTS = 600  # of a picture; beyond it they would cover each other
MIN_DENSITY_SAMPLES = 5


class SeparationAggregator:
    """The mean eta² of all dimensions over (label, ((dimension, value), …)), with all behind it."""

    def __call__(self, stats: Sequence[Any]) -> float:
        import numpy as np

        return self.prepare_weighted(stats)(np.ones(len(stats)))

    def prepare_weighted(self, stats: Sequence[Any]) -> WeightedAggregate:
        labels, table = split_dimensions(stats)
        each = [eta_squared(labels, values) for values in table.values()]
        return lambda weights: sum(value(weights) for value in each) / len(each)

    def details(self, stats: Sequence[Any]) -> Details:
        """For every dimension: eta², what chance alone would give, and figures of each emotion."""
        labels, table = split_dimensions(stats)
        return {"dimensions": {name: _dimension_figures(labels, each) for name, each in table.items()}}

    def plot_data(self, stats: Sequence[Any]) -> Details:
        """Densities of every emotion and dimension, and points of a plane of two."""
        labels, table = split_dimensions(stats)
        densities = {name: _estimate_densities(labels, values) for name, values in table.items()}
        return {"densities": densities, **_scatter_data(labels, table)}


def split_labels_and_values(stats: Sequence[Any]) -> tuple[list[str], Array]:
    """Labels and values of (label, value) stats."""
    import numpy as np

    return [stat[0] for stat in stats], np.array([stat[1] for stat in stats], dtype=np.float64)


def split_dimensions(stats: Sequence[Any]) -> tuple[list[str], dict[str, Array]]:
    """Labels, and each dimension's values beside them."""
    import numpy as np

    names = [name for name, _ in stats[0][1]]
    values = np.array([[value for _, value in stat[1]] for stat in stats], dtype=np.float64)
    return [stat[0] for stat in stats], dict(zip(names, values.T, strict=True))


def eta_squared(labels: Sequence[str], values: Array) -> WeightedAggregate:
    """The share of a dimension's variance that lies between labels."""
    import numpy as np

    codes, names = encode_labels(labels)
    centred = values - values.mean()
    squares = centred**2

    def value(weights: Array) -> float:
        counts = np.bincount(codes, weights=weights, minlength=len(names))
        sums = np.bincount(codes, weights=weights * centred, minlength=len(names))
        size, total = counts.sum(), sums.sum()
        there = counts > 0
        if there.sum() < 2:
            return math.nan
        whole = float(np.einsum("n,n->", weights, squares) - total**2 / size)
        between = float((sums[there] ** 2 / counts[there]).sum() - total**2 / size)
        return divide(between, whole) if whole > 1e-15 * size else math.nan

    return value


def encode_labels(labels: Sequence[str]) -> tuple[Codes, list[str]]:
    """A small number for each label, and the labels in alphabetical order."""
    import numpy as np

    names = sorted(set(labels))
    place = {name: at for at, name in enumerate(names)}
    return np.fromiter((place[label] for label in labels), np.int64, len(labels)), names


def _dimension_figures(labels: Sequence[str], values: Array) -> dict[str, Any]:
    import numpy as np

    codes, names = encode_labels(labels)
    ranks = _ranks(values)
    return {
        "eta2": eta_squared(labels, values)(np.ones(len(values))),
        "chance": divide(len(names) - 1, len(values) - 1),
        "emotions": {name: _emotion_figures(values, ranks, codes == at) for at, name in enumerate(names)},
    }


def _emotion_figures(values: Array, ranks: Array, members: NDArray[np.bool_]) -> dict[str, Any]:
    """One emotion along a dimension, and against all the others: Cohen's d and AUC."""
    import numpy as np

    own, rest = values[members], values[~members]
    low, first, middle, third, high = np.quantile(own, (0, 0.25, 0.5, 0.75, 1)).tolist()
    above = float(ranks[members].sum()) - len(own) * (len(own) + 1) / 2
    return {
        "n": len(own),
        "mean": float(own.mean()),
        "sd": float(own.std(ddof=1)) if len(own) > 1 else math.nan,
        "d": _cohens_d(own, rest),
        "auc": divide(above, len(own) * len(rest)),
        "low": low,
        "quartiles": [first, middle, third],
        "high": high,
    }


def _cohens_d(own: Array, rest: Array) -> float:
    """The difference of two means in units of their pooled spread."""
    if min(len(own), len(rest)) < 2:
        return math.nan
    freedom = len(own) + len(rest) - 2
    pooled = ((len(own) - 1) * own.var(ddof=1) + (len(rest) - 1) * rest.var(ddof=1)) / freedom
    return divide(float(own.mean() - rest.mean()), math.sqrt(pooled))


def _ranks(values: Array) -> Array:
    """Ranks from 1; equal values share the mean of theirs."""
    import numpy as np

    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Array = (last - (counts - 1) / 2)[where]
    return ranks


# --- for pictures --------------------------------------------------------------------------


def _estimate_densities(labels: Sequence[str], values: Array) -> dict[str, Any]:
    """How thick each emotion lies along one grid; nothing for emotions of few samples."""
    import numpy as np

    codes, names = encode_labels(labels)
    margin = 0.05 * (float(np.ptp(values)) or 1.0)
    grid = np.linspace(values.min() - margin, values.max() + margin, DENSITY_GRID_SIZE)
    return {
        "from": float(grid[0]),
        "to": float(grid[-1]),
        "of": {name: _estimate_density(values[codes == at], grid) for at, name in enumerate(names)},
    }


def _estimate_density(values: Array, grid: Array) -> list[float] | None:
    """A Gaussian kernel's estimate, as wide as Silverman's rule says."""
    import numpy as np

    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    if len(values) < MIN_DENSITY_SAMPLES or not spread:
        return None
    quarter = float(np.subtract(*np.quantile(values, (0.75, 0.25)))) / 1.34
    width = 0.9 * (min(spread, quarter) or spread) * len(values) ** -0.2
    away = (grid[:, None] - values[None, :]) / width
    thick = np.exp(-0.5 * away**2).sum(axis=1) / (len(values) * width * math.sqrt(2 * math.pi))
    return [float(f"{each:.4g}") for each in thick]


def _scatter_data(labels: Sequence[str], table: Mapping[str, Array]) -> Details:
    """Points over valence and arousal, or over the first two dimensions there are."""
    import numpy as np

    if len(table) < 2:
        return {}
    known = [name for name in ("valence", "arousal") if name in table]
    across, up = known if len(known) == 2 else list(table)[:2]
    codes, names = encode_labels(labels)
    chosen = np.unique(np.linspace(0, len(codes) - 1, MAX_SCATTER_POINTS).astype(int))
    x, y = table[across], table[up]
    return {
        "plane": {
            "x": across,
            "y": up,
            "labels": names,
            "of": len(codes),
            "points": [[int(codes[at]), float(f"{x[at]:.5g}"), float(f"{y[at]:.5g}")] for at in chosen],
            "centres": [
                {
                    "n": int((codes == at).sum()),
                    "x": float(x[codes == at].mean()),
                    "y": float(y[codes == at].mean()),
                    "sd_x": float(x[codes == at].std()),
                    "sd_y": float(y[codes == at].std()),
                }
                for at in range(len(names))
            ],
        }
    }
