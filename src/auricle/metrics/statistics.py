"""How far a number may be trusted: intervals by resampling samples, or whole clusters of them.

Two numbers over the same samples are told apart by their `paired` difference: what is hard for
one is hard for the other, so the difference is known better than either number.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import TYPE_CHECKING, Any, TypeAlias

from auricle.metrics.answer_aggregation import Answers
from auricle.metrics.base import Fold, Leading, Weighable, Weighed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.int64]
    Draws: TypeAlias = Iterator[Array]

ROUNDS = 1000
LEVEL = 0.95
Z = 1.959963984540054  # of the normal distribution, 95 % lies within
POWER = 2.801585218112969  # Z, and what is exceeded with a chance of 80 %
BLOCK = 100_000  # samples drawn at a time: numpy takes longer to be called than to draw a few
EFFORT = 20_000_000  # stats a fold that is slow to weigh may see in all; it gets fewer rounds


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the number would lie in 95 of 100 repetitions, and how that was found."""

    low: float
    high: float
    method: str


def interval(stats: Sequence[Any], fold: Fold, *, clusters: Codes | None = None) -> Interval:
    """95 % interval of `fold(stats)`: Wilson's for a share, percentiles of the bootstrap else."""
    stats, fold = bared(stats, fold)
    if clusters is not None:
        return _resampled(stats, fold, by_cluster(clusters), "cluster-bootstrap")
    if share := _share(stats, fold):
        return Interval(*wilson(*share), "wilson")
    kinds, counts = distinct(stats)
    return _resampled(kinds, fold, by_count(counts), "bootstrap")


def bared(stats: Sequence[Any], fold: Fold) -> tuple[Sequence[Any], Fold]:
    """What a number is made from, without what is only told beside it."""
    if isinstance(fold, (Answers, Leading)) and fold.single:
        return fold.bare(stats), fold.fold
    return stats, fold


def _resampled(stats: Sequence[Any], fold: Fold, draws: Draws | None, name: str) -> Interval:
    if draws is None:  # one unit tells nothing about the spread between units
        return Interval(math.nan, math.nan, name)
    rounds = rounds_of(fold, len(stats))
    value = weigh(stats, fold)
    low, high = percentiles([value(drawn) for drawn in islice(draws, rounds)])
    return Interval(low, high, f"{name}:{rounds}")


def rounds_of(fold: Fold, size: int) -> int:
    """How often to draw: fewer times where there is much and a fold is slow to weigh it."""
    if isinstance(fold, Weighable) and not getattr(fold, "costly", False):
        return ROUNDS
    cost: int = getattr(fold, "cost", 1)  # of a stat, where a fold is somebody's own
    return max(100, min(ROUNDS, EFFORT // max(1, size * cost)))


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
    share, spread = hits / count, Z * Z / count
    centre = (share + spread / 2) / (1 + spread)
    half = Z * math.sqrt(share * (1 - share) / count + spread / (4 * count)) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)


def _share(stats: Sequence[Any], fold: Fold) -> tuple[float, int] | None:
    """Hits and count, where the number is a mean of zeros and ones."""
    import numpy as np

    from auricle.metrics.base import mean

    if fold is not mean or not len(stats):
        return None
    numbers = np.asarray(stats, dtype=np.float64)
    return (float(numbers.sum()), len(stats)) if np.isin(numbers, (0.0, 1.0)).all() else None


# --- two runs over the same samples ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Difference:
    """How much B's number differs from A's over the pairs both answered, and how surely."""

    value_a: float
    value_b: float
    difference: float
    """B less A."""
    low: float
    high: float
    p: float
    """How often a difference as large would be seen if there were none."""
    n: int
    """Pairs."""
    method: str
    detectable: float
    """The smallest true difference that would be found four times out of five."""


def paired(
    stats_a: Sequence[Any], stats_b: Sequence[Any], fold: Fold, clusters: Codes | None = None
) -> Difference:
    """`fold` of B's stats less that of A's, pair by pair, with interval, p and what can be seen.

    Zeros and ones are tested by McNemar's exact test, anything else by drawing pairs, or clusters
    of them, anew: the same draw for both sides.
    """
    (stats_a, _), (stats_b, fold) = bared(stats_a, fold), bared(stats_b, fold)
    if not len(stats_a):
        return _undecided((math.nan, math.nan), 0, "none")
    values = float(fold(stats_a)), float(fold(stats_b))
    if len(stats_a) < 2 or any(map(math.isnan, values)):
        return _undecided(values, len(stats_a), "none")
    if clusters is None and _share(stats_a, fold) and _share(stats_b, fold):
        return _of_shares(stats_a, stats_b, values)
    return _of_draws(stats_a, stats_b, fold, values, clusters)


def _undecided(values: tuple[float, float], n: int, method: str) -> Difference:
    """Values without any knowledge of how far they may be trusted."""
    nan = math.nan
    return Difference(*values, values[1] - values[0], nan, nan, nan, n, method, nan)


def _of_shares(a: Sequence[Any], b: Sequence[Any], values: tuple[float, float]) -> Difference:
    """McNemar's exact test and the interval of Bonett and Price, good with few changes, too."""
    import numpy as np

    before, after = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    gained, lost = int((after > before).sum()), int((after < before).sum())
    size = len(before) + 2
    up, down = (gained + 1) / size, (lost + 1) / size  # one imagined change each way
    error = math.sqrt((up + down - (up - down) ** 2) / size)
    return Difference(
        *values,
        values[1] - values[0],
        max(-1.0, up - down - Z * error),
        min(1.0, up - down + Z * error),
        mcnemar(gained, lost),
        len(before),
        "mcnemar-exact",
        POWER * error,
    )


def mcnemar(gained: int, lost: int) -> float:
    """Exact two-sided p: could as many changes be so one-sided if each were a fair coin?"""
    changes, fewer = gained + lost, min(gained, lost)
    if not changes:
        return 1.0
    whole = math.lgamma(changes + 1) - changes * math.log(2)
    tail = sum(
        math.exp(whole - math.lgamma(at + 1) - math.lgamma(changes - at + 1))
        for at in range(fewer + 1)
    )
    return min(1.0, 2 * tail)


def _of_draws(
    a: Sequence[Any],
    b: Sequence[Any],
    fold: Fold,
    values: tuple[float, float],
    clusters: Codes | None,
) -> Difference:
    import numpy as np

    if clusters is None:
        kinds_a, kinds_b, counts = distinct_pairs(a, b)
        draws, name = by_count(counts), "paired-bootstrap"
    else:
        kinds_a, kinds_b = a, b
        draws, name = by_cluster(clusters), "paired-cluster-bootstrap"
    if draws is None:
        return _undecided(values, len(a), name)
    rounds = rounds_of(fold, 2 * len(a))
    value_a, value_b = weigh(kinds_a, fold), weigh(kinds_b, fold)
    drawn = np.array([value_b(each) - value_a(each) for each in islice(draws, rounds)])
    drawn = drawn[~np.isnan(drawn)]
    if len(drawn) < 2:
        return _undecided(values, len(a), name)
    low, high = percentiles(drawn)
    error = float(drawn.std(ddof=1))
    units = len(a) if clusters is None else int(clusters.max()) + 1
    found = values[1] - values[0], low, high, _p(drawn, units)
    seen = POWER * error if error else math.nan  # where nothing differs, nothing is known
    return Difference(*values, *found, len(a), f"{name}:{rounds}", seen)


def _p(drawn: Array, units: int) -> float:
    """Two-sided: twice the share of draws beyond zero, as the interval's own ends are found.

    Where no draw is, the tail is the normal distribution's: else many tests at once could never
    find anything. Nor is it less than the chance that a coin falls the same way for every unit.
    """
    beyond = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
    p = 2 * (beyond + 1) / (len(drawn) + 1)
    error = float(drawn.std(ddof=1))
    if not beyond and error:
        p = min(p, math.erfc(abs(float(drawn.mean())) / error / math.sqrt(2)))
    return min(1.0, max(p, 2.0 ** (1 - units)))


def distinct_pairs(
    a: Sequence[Any], b: Sequence[Any]
) -> tuple[Sequence[Any], Sequence[Any], Codes]:
    """Pairs of stats that differ from each other: A's sides, B's sides, how often each occurs."""
    import numpy as np

    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        wide_a, wide_b = (each.reshape(len(each), -1) for each in (a, b))
        kinds, counts = distinct(np.column_stack([wide_a, wide_b]))
        whole, width = np.asarray(kinds), wide_a.shape[1]
        return whole[:, :width], whole[:, width:], counts
    pairs, counts = distinct(list(zip(a, b, strict=True)))
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs], counts


def holm(ps: Sequence[float]) -> list[float]:
    """P values of several tests at once, each so much larger that together they err as one."""
    told = sorted((p, at) for at, p in enumerate(ps) if not math.isnan(p))
    found, highest = [math.nan] * len(ps), 0.0
    for rank, (p, at) in enumerate(told):
        highest = max(highest, min(1.0, (len(told) - rank) * p))
        found[at] = highest
    return found


def between_shares(hits_a: float, n_a: int, hits_b: float, n_b: int) -> tuple[float, float]:
    """Newcombe's interval of B's share less A's, as if the two were strangers."""
    share_a, share_b = hits_a / n_a, hits_b / n_b
    low_a, high_a = wilson(hits_a, n_a)
    low_b, high_b = wilson(hits_b, n_b)
    delta = share_b - share_a
    down = math.hypot(share_b - low_b, high_a - share_a)
    up = math.hypot(high_b - share_b, share_a - low_a)
    return delta - down, delta + up
