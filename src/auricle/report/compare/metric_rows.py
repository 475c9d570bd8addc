"""Metric by metric: how much B differs from A, how surely, and in which samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from auricle.metrics.base import Metric
from auricle.metrics.statistics import Difference, holm, paired
from auricle.report.compare.loading import ABSENT, Pairs, Scored, Side

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.int64]
    Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Row:
    """One metric over all pairs, or over those that share a value of a meta field."""

    metric: str
    field: str
    group: str
    found: Difference
    adjusted: float
    """The p value among all that were made at once, by Holm; `p` itself if it stands alone."""
    better: int
    """Pairs in which B did better than A,"""
    worse: int
    """and in which it did worse; in the rest both did the same."""
    units: int
    """What was drawn to find the interval: pairs, or clusters of them."""
    worst: float
    """The difference had every failed sample spoken against B as much as can be,"""
    best: float
    """and for it."""
    higher_is_better: bool
    unit: str
    signature: str


@dataclass(frozen=True)
class Matched:
    """A metric's stats on both sides of the pairs that have one on both, in data order."""

    metric: Metric
    a: Any
    b: Any
    pairs: Places
    """Which of all pairs these are."""
    change: Numbers
    """How much worse B did than A, pair by pair; below zero, better."""

    @property
    def is_flip(self) -> bool:
        """Is each pair's change from right to wrong, or back, or none?"""
        import numpy as np

        return bool(np.isin(self.change, (-1.0, 0.0, 1.0)).all()) and _is_hit(self.metric)


def _is_hit(metric: Metric) -> bool:
    return metric.unit == "share" and metric.view is None


def match(metric: Metric, a: Side, b: Side, pairs: Pairs) -> Matched:
    """The stats of all pairs that both runs have one for."""
    import numpy as np

    at_a, at_b = (_at(side.scored[metric.name]) for side in (a, b))
    which_a, which_b = at_a[pairs.a], at_b[pairs.b]
    both = np.flatnonzero((which_a != ABSENT) & (which_b != ABSENT))
    stats_a = a.scored[metric.name].stats[which_a[both]]
    stats_b = b.scored[metric.name].stats[which_b[both]]
    return Matched(metric, stats_a, stats_b, both, _changes(metric, stats_a, stats_b))


def _at(scored: Scored) -> Places:
    import numpy as np

    return np.frombuffer(scored.at, dtype=np.int64) if scored.at else np.empty(0, dtype=np.int64)


def _changes(metric: Metric, a: Any, b: Any) -> Numbers:
    """How much worse each pair became; only those that differ are ranked, which takes a while."""
    import numpy as np

    change = np.zeros(len(a))
    if not len(a):
        return change
    if isinstance(a, np.ndarray):
        unequal = np.flatnonzero((a != b).reshape(len(a), -1).any(axis=1))
        a, b = a[unequal].tolist(), b[unequal].tolist()
    else:
        unequal = np.array([at for at, each in enumerate(a) if each != b[at]], dtype=np.int64)
        a, b = [a[at] for at in unequal], [b[at] for at in unequal]
    for at, before, after in zip(unequal, a, b, strict=True):
        change[at] = metric.badness(after) - metric.badness(before)
    return change


def rows(
    matched: Sequence[Matched], sides: tuple[Side, Side], pairs: Pairs, by: str, cluster: str
) -> list[Row]:
    """Each metric over all pairs, then by each value of the field `by`; adjusted within each."""
    import numpy as np

    everybody = np.ones(pairs.count, dtype=bool)
    clusters = codes(sides[0], pairs, cluster) if cluster else None
    whole = [_with_bounds(_row(each, everybody, clusters), each, sides, pairs) for each in matched]
    parts = [
        replace(_row(each, members, clusters), field=by, group=group)
        for group, members in groups(sides[0], pairs, by)
        for each in matched
        if members[each.pairs].any()
    ]
    return [*_adjusted(whole), *_adjusted(parts)]


def _adjusted(made: Sequence[Row]) -> list[Row]:
    ps = holm([row.found.p for row in made])
    return [replace(row, adjusted=p) for row, p in zip(made, ps, strict=True)]


def _row(each: Matched, members: NDArray[np.bool_], clusters: Places | None) -> Row:
    import numpy as np

    metric = each.metric
    which = np.flatnonzero(members[each.pairs])
    drawn = None if clusters is None else dense(clusters[each.pairs[which]])
    difference = paired(_take(each.a, which), _take(each.b, which), metric.fold, drawn)
    return Row(
        metric=metric.name,
        field="",
        group="all",
        found=difference,
        adjusted=difference.p,
        better=int((each.change[which] < 0).sum()),
        worse=int((each.change[which] > 0).sum()),
        units=len(which) if drawn is None else int(drawn.max()) + 1,
        worst=difference.difference,
        best=difference.difference,
        higher_is_better=metric.higher_is_better,
        unit=metric.unit,
        signature=metric.signature,
    )


def dense(clusters: Places) -> Places | None:
    """Cluster codes from 0 without gaps; nothing within one cluster, where samples are all."""
    import numpy as np

    found, members = np.unique(clusters, return_inverse=True)
    return members if len(found) > 1 else None


def _take(stats: Any, which: Places) -> Any:
    import numpy as np

    return stats[which] if isinstance(stats, np.ndarray) else [stats[at] for at in which]


def codes(side: Side, pairs: Pairs, field: str) -> Places:
    """A number for each value of a meta field, pair by pair; who has none stands alone."""
    import numpy as np

    values, known = side.fields[field], dict[str, int]()
    found = [
        known.setdefault(str(place) if value is None else f"={value}", len(known))
        for place in pairs.a
        for value in (values[place],)
    ]
    return np.array(found, dtype=np.int64)


def groups(side: Side, pairs: Pairs, field: str) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Each value of a meta field with the pairs that have it, numbers in their own order."""
    import numpy as np

    if not field:
        return
    values = np.array([side.fields[field][place] for place in pairs.a], dtype=object)
    for value in sorted({each for each in values if each is not None}, key=_natural):
        yield value, values == value


def _natural(text: str) -> tuple[int, float, str]:
    try:
        return 0, float(text), text
    except ValueError:
        return 1, 0.0, text


def _with_bounds(row: Row, each: Matched, sides: tuple[Side, Side], pairs: Pairs) -> Row:
    """The difference had the samples that failed gone as badly for B as can be, and as well."""
    ends = [_ends(side, each.metric, pairs, at) for at, side in enumerate(sides)]
    extra = [(a, b) for a, b in zip(*ends, strict=True) if a and b]
    if not pairs.lost:
        return row
    if not extra:
        return replace(row, worst=math.nan, best=math.nan)

    def value(stats: Any, side: int, end: int) -> float:
        return float(each.metric.fold([*stats, *(pair[side][end] for pair in extra)]))

    worst, best = 0, 1
    return replace(
        row,
        worst=value(each.b, 1, worst) - value(each.a, 0, best),
        best=value(each.b, 1, best) - value(each.a, 0, worst),
    )


def _ends(side: Side, metric: Metric, pairs: Pairs, which: int) -> Iterator[tuple[Any, Any] | None]:
    """The worst and the best stat of each pair that failed somewhere; its own where it has one."""
    import numpy as np

    scored = side.scored[metric.name]
    for pair in pairs.lost:
        place = pair[which]
        at = scored.at[place]
        own = None if at == ABSENT else scored.stats[np.array([at])][0]
        yield scored.lost.get(place) if own is None else (own, own)
