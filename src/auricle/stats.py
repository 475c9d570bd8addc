"""How far a number may be trusted: intervals by resampling samples, or whole clusters of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from auricle.metrics.base import Fold, Weighable, Weighed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.int64]

ROUNDS = 1000
LEVEL = 0.95
EFFORT = 20_000_000  # stats a fold that cannot weigh may see in all; it gets fewer rounds


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the number would lie in 95 of 100 repetitions, and how that was found."""

    low: float
    high: float
    method: str


def interval(stats: Sequence[Any], fold: Fold, *, clusters: Codes | None = None) -> Interval:
    """95 % interval of `fold(stats)`."""
    return intervals([(stats, fold)], clusters=clusters)[0]


def intervals(
    columns: Sequence[tuple[Sequence[Any], Fold]], *, clusters: Codes | None = None
) -> list[Interval]:
    """95 % intervals of several numbers over the same samples, resampled together.

    Wilson's for a share of independent samples, percentiles of the bootstrap for the rest.
    """
    size = len(columns[0][0])
    shares = [None if clusters is not None else _share(*column) for column in columns]
    drawn = [at for at, share in enumerate(shares) if share is None]
    spread = dict(
        zip(drawn, _bootstrap([columns[at] for at in drawn], size, clusters), strict=True)
    )
    return [
        Interval(*wilson(*share), "wilson") if share else spread[at]
        for at, share in enumerate(shares)
    ]


def _bootstrap(
    columns: Sequence[tuple[Sequence[Any], Fold]], size: int, clusters: Codes | None
) -> list[Interval]:
    name = "bootstrap" if clusters is None else "cluster-bootstrap"
    units = size if clusters is None else int(clusters.max()) + 1
    if units < 2:  # one unit tells nothing about the spread between units
        return [Interval(math.nan, math.nan, name) for _ in columns]
    folds = [weigh(*column) for column in columns]
    rounds = [_rounds(size, fold) for _, fold in columns]
    values: list[list[float]] = [[] for _ in columns]
    for at, drawn in enumerate(weights(size, max(rounds, default=0), clusters)):
        for fold, most, found in zip(folds, rounds, values, strict=True):
            if at < most:
                found.append(fold(drawn))
    return [Interval(*percentiles(found), f"{name}:{len(found)}") for found in values]


def _rounds(size: int, fold: Fold) -> int:
    return ROUNDS if isinstance(fold, Weighable) else max(100, min(ROUNDS, EFFORT // size))


def weigh(stats: Sequence[Any], fold: Fold) -> Weighed:
    """The fold as a function of how often each stat counts."""
    if isinstance(fold, Weighable):
        return fold.weigh(stats)

    def repeated(weights: Array) -> float:
        counted = zip(stats, weights, strict=True)
        return float(fold([stat for stat, times in counted for _ in range(int(times))]))

    return repeated


def weights(
    size: int, rounds: int, clusters: Codes | None = None, seed: int = 0
) -> Iterator[Array]:
    """For each round, how often each sample was drawn, with replacement."""
    import numpy as np

    dice = np.random.default_rng(seed)
    units = size if clusters is None else int(clusters.max()) + 1
    for _ in range(rounds):
        drawn = np.bincount(dice.integers(0, units, units), minlength=units).astype(np.float64)
        yield drawn if clusters is None else drawn[clusters]


def percentiles(values: Sequence[float]) -> tuple[float, float]:
    """The middle 95 %, leaving out rounds in which the number was undefined."""
    import numpy as np

    found = np.asarray(values, dtype=np.float64)
    found = found[~np.isnan(found)]
    if not len(found):
        return math.nan, math.nan
    low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def wilson(hits: float, count: int) -> tuple[float, float]:
    """Wilson's score interval of a share: right where all or none are hits, too."""
    z = 1.959963984540054
    share, spread = hits / count, z * z / count
    centre = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / count + spread / (4 * count)) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)


def _share(stats: Sequence[Any], fold: Fold) -> tuple[float, int] | None:
    """Hits and count, where the number is a mean of zeros and ones."""
    import numpy as np

    from auricle.metrics.base import mean

    if fold is not mean or not len(stats):
        return None
    numbers = np.asarray(stats, dtype=np.float64)
    return (float(numbers.sum()), len(stats)) if np.isin(numbers, (0.0, 1.0)).all() else None
