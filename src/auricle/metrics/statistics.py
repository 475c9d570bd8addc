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

from auricle.metrics.answer_aggregation import AnswerAggregator
from auricle.metrics.base import Aggregator, FirstValueMean, SupportsWeights, WeightedAggregate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.int64]
    Draws: TypeAlias = Iterator[Array]

BOOTSTRAP_ROUNDS = 1000
CONFIDENCE_LEVEL = 0.95
Z_95 = 1.959963984540054  # of the normal distribution, 95 % lies within
Z_95_POWER_80 = 2.801585218112969  # Z, and what is exceeded with a chance of 80 %
DRAW_BLOCK_SIZE = 100_000  # samples drawn at a time: numpy takes longer to be called than to draw a few
RESAMPLING_BUDGET = 20_000_000  # stats a fold that is slow to weigh may see in all; it gets fewer rounds


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the number would lie in 95 of 100 repetitions, and how that was found."""

    low: float
    high: float
    method: str


def compute_interval(stats: Sequence[Any], aggregate: Aggregator, *, clusters: Codes | None = None) -> Interval:
    """95 % interval of `fold(stats)`: Wilson's for a share, percentiles of the bootstrap else."""
    stats, aggregate = unwrap_stats(stats, aggregate)
    if clusters is not None:
        return _bootstrap_interval(stats, aggregate, draw_by_cluster(clusters), "cluster-bootstrap")
    if share := _count_hits(stats, aggregate):
        return Interval(*wilson_interval(*share), "wilson")
    kinds, counts = count_distinct(stats)
    return _bootstrap_interval(kinds, aggregate, draw_by_count(counts), "bootstrap")


def unwrap_stats(stats: Sequence[Any], aggregate: Aggregator) -> tuple[Sequence[Any], Aggregator]:
    """What a number is made from, without what is only told beside it."""
    if isinstance(aggregate, (AnswerAggregator, FirstValueMean)) and aggregate.is_single_stat:
        return aggregate.unwrap(stats), aggregate.inner
    return stats, aggregate


def _bootstrap_interval(stats: Sequence[Any], aggregate: Aggregator, draws: Draws | None, method: str) -> Interval:
    if draws is None:  # one unit tells nothing about the spread between units
        return Interval(math.nan, math.nan, method)
    rounds = choose_rounds(aggregate, len(stats))
    value = prepare_weighted(stats, aggregate)
    low, high = percentile_interval([value(drawn) for drawn in islice(draws, rounds)])
    return Interval(low, high, f"{method}:{rounds}")


def choose_rounds(aggregate: Aggregator, size: int) -> int:
    """How often to draw: fewer times where there is much and a fold is slow to weigh it."""
    if isinstance(aggregate, SupportsWeights) and not getattr(aggregate, "is_costly", False):
        return BOOTSTRAP_ROUNDS
    cost: int = getattr(aggregate, "cost", 1)  # of a stat, where a fold is somebody's own
    return max(100, min(BOOTSTRAP_ROUNDS, RESAMPLING_BUDGET // max(1, size * cost)))


def prepare_weighted(stats: Sequence[Any], aggregate: Aggregator) -> WeightedAggregate:
    """The fold as a function of how often each stat counts."""
    if isinstance(aggregate, SupportsWeights):
        return aggregate.prepare_weighted(stats)

    def repeated(weights: Array) -> float:
        counted = zip(stats, weights, strict=True)
        return float(aggregate([stat for stat, times in counted for _ in range(int(times))]))

    return repeated


def count_distinct(stats: Sequence[Any]) -> tuple[Sequence[Any], Codes]:
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


def draw_by_count(counts: Codes, seed: int = 0) -> Draws | None:
    """Draws of as many samples as there are, with replacement, told as counts of each kind."""
    import numpy as np

    size, kinds = int(counts.sum()), len(counts)
    if size < 2:
        return None
    dice = np.random.default_rng(seed)
    block = max(1, DRAW_BLOCK_SIZE // size)
    if 8 * kinds < size:
        shares = counts / size
        blocks = (dice.multinomial(size, shares, block) for _ in count())
    else:
        owner = np.repeat(np.arange(kinds), counts)
        blocks = (_count_draws(owner[dice.integers(0, size, (block, size))], kinds) for _ in count())
    return (row for drawn in blocks for row in drawn.astype(np.float64))


def _count_draws(drawn: Codes, kind_count: int) -> Codes:
    """How often each kind was drawn, row by row."""
    import numpy as np

    apart = drawn + kind_count * np.arange(len(drawn))[:, None]
    return np.bincount(apart.ravel(), minlength=kind_count * len(drawn)).reshape(-1, kind_count)


def draw_by_cluster(clusters: Codes, seed: int = 0) -> Draws | None:
    """Draws of whole clusters, told as how often each sample counts."""
    import numpy as np

    units = int(clusters.max()) + 1
    if units < 2:
        return None
    dice = np.random.default_rng(seed)
    return (np.bincount(dice.integers(0, units, units), minlength=units).astype(np.float64)[clusters] for _ in count())


def percentile_interval(values: Sequence[float]) -> tuple[float, float]:
    """The middle 95 %, leaving out rounds in which the number was undefined."""
    import numpy as np

    found = np.asarray(values, dtype=np.float64)
    found = found[~np.isnan(found)]
    if not len(found):
        return math.nan, math.nan
    low, high = np.quantile(found, [(1 - CONFIDENCE_LEVEL) / 2, (1 + CONFIDENCE_LEVEL) / 2])
    return float(low), float(high)


def wilson_interval(hits: float, count: int) -> tuple[float, float]:
    """Wilson's score interval of a share: right where all or none are hits, too."""
    share, spread = hits / count, Z_95 * Z_95 / count
    centre = (share + spread / 2) / (1 + spread)
    half = Z_95 * math.sqrt(share * (1 - share) / count + spread / (4 * count)) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)


def _count_hits(stats: Sequence[Any], aggregate: Aggregator) -> tuple[float, int] | None:
    """Hits and count, where the number is a mean of zeros and ones."""
    import numpy as np

    from auricle.metrics.base import mean

    if aggregate is not mean or not len(stats):
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


def compare_paired(
    stats_a: Sequence[Any], stats_b: Sequence[Any], aggregate: Aggregator, clusters: Codes | None = None
) -> Difference:
    """`fold` of B's stats less that of A's, pair by pair, with interval, p and what can be seen.

    Zeros and ones are tested by McNemar's exact test, anything else by drawing pairs, or clusters
    of them, anew: the same draw for both sides.
    """
    (stats_a, _), (stats_b, aggregate) = (unwrap_stats(stats_a, aggregate), unwrap_stats(stats_b, aggregate))
    if not len(stats_a):
        return _difference_without_interval((math.nan, math.nan), 0, "none")
    values = float(aggregate(stats_a)), float(aggregate(stats_b))
    if len(stats_a) < 2 or any(map(math.isnan, values)):
        return _difference_without_interval(values, len(stats_a), "none")
    if clusters is None and _count_hits(stats_a, aggregate) and _count_hits(stats_b, aggregate):
        return _mcnemar_difference(stats_a, stats_b, values)
    return _bootstrap_difference(stats_a, stats_b, aggregate, values, clusters)


def _difference_without_interval(values: tuple[float, float], n: int, method: str) -> Difference:
    """Values without any knowledge of how far they may be trusted."""
    nan = math.nan
    return Difference(*values, values[1] - values[0], nan, nan, nan, n, method, nan)


def _mcnemar_difference(a: Sequence[Any], b: Sequence[Any], values: tuple[float, float]) -> Difference:
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
        max(-1.0, up - down - Z_95 * error),
        min(1.0, up - down + Z_95 * error),
        mcnemar_p_value(gained, lost),
        len(before),
        "mcnemar-exact",
        Z_95_POWER_80 * error,
    )


def mcnemar_p_value(gained: int, lost: int) -> float:
    """Exact two-sided p: could as many changes be so one-sided if each were a fair coin?"""
    changes, fewer = gained + lost, min(gained, lost)
    if not changes:
        return 1.0
    whole = math.lgamma(changes + 1) - changes * math.log(2)
    tail = sum(math.exp(whole - math.lgamma(at + 1) - math.lgamma(changes - at + 1)) for at in range(fewer + 1))
    return min(1.0, 2 * tail)


def _bootstrap_difference(
    a: Sequence[Any], b: Sequence[Any], aggregate: Aggregator, values: tuple[float, float], clusters: Codes | None
) -> Difference:
    import numpy as np

    if clusters is None:
        kinds_a, kinds_b, counts = count_distinct_pairs(a, b)
        draws, name = draw_by_count(counts), "paired-bootstrap"
    else:
        kinds_a, kinds_b = a, b
        draws, name = draw_by_cluster(clusters), "paired-cluster-bootstrap"
    if draws is None:
        return _difference_without_interval(values, len(a), name)
    rounds = choose_rounds(aggregate, 2 * len(a))
    value_a, value_b = prepare_weighted(kinds_a, aggregate), prepare_weighted(kinds_b, aggregate)
    drawn = np.array([value_b(each) - value_a(each) for each in islice(draws, rounds)])
    drawn = drawn[~np.isnan(drawn)]
    if len(drawn) < 2:
        return _difference_without_interval(values, len(a), name)
    low, high = percentile_interval(drawn)
    error = float(drawn.std(ddof=1))
    units = len(a) if clusters is None else int(clusters.max()) + 1
    found = values[1] - values[0], low, high, _bootstrap_p_value(drawn, units)
    seen = Z_95_POWER_80 * error if error else math.nan  # where nothing differs, nothing is known
    return Difference(*values, *found, len(a), f"{name}:{rounds}", seen)


def _bootstrap_p_value(differences: Array, units: int) -> float:
    """Two-sided: twice the share of draws beyond zero, as the interval's own ends are found.

    Where no draw is, the tail is the normal distribution's: else many tests at once could never
    find anything. Nor is it less than the chance that a coin falls the same way for every unit.
    """
    beyond = min(int((differences <= 0).sum()), int((differences >= 0).sum()))
    p = 2 * (beyond + 1) / (len(differences) + 1)
    error = float(differences.std(ddof=1))
    if not beyond and error:
        p = min(p, math.erfc(abs(float(differences.mean())) / error / math.sqrt(2)))
    return min(1.0, max(p, 2.0 ** (1 - units)))


def count_distinct_pairs(a: Sequence[Any], b: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any], Codes]:
    """Pairs of stats that differ from each other: A's sides, B's sides, how often each occurs."""
    import numpy as np

    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        wide_a, wide_b = (each.reshape(len(each), -1) for each in (a, b))
        kinds, counts = count_distinct(np.column_stack([wide_a, wide_b]))
        whole, width = np.asarray(kinds), wide_a.shape[1]
        return whole[:, :width], whole[:, width:], counts
    pairs, counts = count_distinct(list(zip(a, b, strict=True)))
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs], counts


def adjust_holm(p_values: Sequence[float]) -> list[float]:
    """P values of several tests at once, each so much larger that together they err as one."""
    told = sorted((p, at) for at, p in enumerate(p_values) if not math.isnan(p))
    found, highest = [math.nan] * len(p_values), 0.0
    for rank, (p, at) in enumerate(told):
        highest = max(highest, min(1.0, (len(told) - rank) * p))
        found[at] = highest
    return found


def newcombe_interval(hits_a: float, n_a: int, hits_b: float, n_b: int) -> tuple[float, float]:
    """Newcombe's interval of B's share less A's, as if the two were strangers."""
    share_a, share_b = hits_a / n_a, hits_b / n_b
    low_a, high_a = wilson_interval(hits_a, n_a)
    low_b, high_b = wilson_interval(hits_b, n_b)
    delta = share_b - share_a
    down = math.hypot(share_b - low_b, high_a - share_a)
    up = math.hypot(high_b - share_b, share_a - low_a)
    return delta - down, delta + up
