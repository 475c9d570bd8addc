"""How far a number may be trusted: intervals by resampling samples, or whole clusters of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import TYPE_CHECKING, Any, TypeAlias

from auricle.metrics.base import Fold, Weighable, Weighed
from auricle.metrics.several import Answers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.int64]
    Draws: TypeAlias = Iterator[Array]

ROUNDS = 1000
LEVEL = 0.95
BLOCK = 100_000  # samples drawn at a time: numpy takes longer to be called than to draw a few
EFFORT = 20_000_000  # stats a fold that cannot weigh may see in all; it gets fewer rounds


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the number would lie in 95 of 100 repetitions, and how that was found."""

    low: float
    high: float
    method: str


def interval(stats: Sequence[Any], fold: Fold, *, clusters: Codes | None = None) -> Interval:
    """95 % interval of `fold(stats)`: Wilson's for a share, percentiles of the bootstrap else."""
    if isinstance(fold, Answers) and fold.single:
        stats, fold = fold.bare(stats), fold.fold
    if clusters is not None:
        return _resampled(stats, fold, by_cluster(clusters), "cluster-bootstrap")
    if share := _share(stats, fold):
        return Interval(*wilson(*share), "wilson")
    kinds, counts = distinct(stats)
    return _resampled(kinds, fold, by_count(counts), "bootstrap")


def _resampled(stats: Sequence[Any], fold: Fold, draws: Draws | None, name: str) -> Interval:
    if draws is None:  # one unit tells nothing about the spread between units
        return Interval(math.nan, math.nan, name)
    rounds = ROUNDS
    if not isinstance(fold, Weighable):
        rounds = max(100, min(ROUNDS, EFFORT // len(stats)))
    value = weigh(stats, fold)
    low, high = percentiles([value(drawn) for drawn in islice(draws, rounds)])
    return Interval(low, high, f"{name}:{rounds}")


def weigh(stats: Sequence[Any], fold: Fold) -> Weighed:
    """The fold as a function of how often each stat counts."""
    if isinstance(fold, Weighable):
        return fold.weigh(stats)

    def repeated(weights: Array) -> float:
        counted = zip(stats, weights, strict=True)
        return float(fold([stat for stat, times in counted for _ in range(int(times))]))

    return repeated


def distinct(stats: Sequence[Any]) -> tuple[Sequence[Any], Codes]:
    """Stats that differ, and how often each occurs: to resample a few kinds is to resample all."""
    import numpy as np

    if isinstance(stats, np.ndarray):
        rows = np.ascontiguousarray(stats)
        # Compared as plain bytes: several times faster than number by number, and as good here.
        packed = rows.view(np.dtype((np.void, rows.nbytes // len(rows)))).ravel()
        _, first, counts = np.unique(packed, return_index=True, return_counts=True)
        return stats[first], counts
    counted = Counter(tuple(stat) if isinstance(stat, list) else stat for stat in stats)
    return list(counted), np.array(list(counted.values()), dtype=np.int64)


def by_count(counts: Codes, seed: int = 0) -> Draws | None:
    """Draws of as many samples as there are, with replacement, told as counts of each kind."""
    import numpy as np

    size, kinds = int(counts.sum()), len(counts)
    if size < 2:
        return None
    dice = np.random.default_rng(seed)
    block = max(1, BLOCK // size)
    if 8 * kinds < size:
        shares = counts / size
        blocks = (dice.multinomial(size, shares, block) for _ in count())
    else:
        owner = np.repeat(np.arange(kinds), counts)
        blocks = (_tallies(owner[dice.integers(0, size, (block, size))], kinds) for _ in count())
    return (row for drawn in blocks for row in drawn.astype(np.float64))


def _tallies(drawn: Codes, kinds: int) -> Codes:
    """How often each kind was drawn, row by row."""
    import numpy as np

    apart = drawn + kinds * np.arange(len(drawn))[:, None]
    return np.bincount(apart.ravel(), minlength=kinds * len(drawn)).reshape(-1, kinds)


def by_cluster(clusters: Codes, seed: int = 0) -> Draws | None:
    """Draws of whole clusters, told as how often each sample counts."""
    import numpy as np

    units = int(clusters.max()) + 1
    if units < 2:
        return None
    dice = np.random.default_rng(seed)
    return (
        np.bincount(dice.integers(0, units, units), minlength=units).astype(np.float64)[clusters]
        for _ in count()
    )


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
