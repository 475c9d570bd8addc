"""For models that answer in dimensions: how far their means moved, emotion by emotion."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from auricle.metrics.base import mean
from auricle.metrics.statistics import Difference, holm, paired
from auricle.report.compare.loading import Pairs, Side
from auricle.report.compare.metric_rows import codes, dense

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_LABELS = 50
NOTHING: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class Shift:
    """How far the mean of a dimension moved, over all pairs or those of one true label."""

    dimension: str
    label: str
    """Empty for all pairs together."""
    found: Difference
    adjusted: float
    """Its p value among all shifts, by Holm."""
    d: float
    """Cohen's d: the shift in standard deviations, pooled over both runs."""


def shifts(a: Side, b: Side, pairs: Pairs, cluster: str) -> list[Shift]:
    """Every dimension both runs tell, over all pairs and by true label; none where one has none."""
    import numpy as np

    if not a.dimensions or not b.dimensions:
        return []
    clusters = codes(a, pairs, cluster) if cluster else None
    labels = np.array([a.labels[here] for here in pairs.a], dtype=object)
    found = []
    for name in shared(a, b):
        before, after = (
            np.array([side.dimensions.get(place, NOTHING).get(name, math.nan) for place in places])
            for side, places in ((a, pairs.a.tolist()), (b, pairs.b.tolist()))
        )
        known = ~(np.isnan(before) | np.isnan(after))
        for label, members in _members(labels):
            which = np.flatnonzero(known & members)
            drawn = None if clusters is None else dense(clusters[which])
            if len(which):
                found.append(_shift((name, label), before[which], after[which], drawn))
    ps = holm([each.found.p for each in found])
    return [replace(each, adjusted=p) for each, p in zip(found, ps, strict=True)]


def shared(a: Side, b: Side) -> list[str]:
    """Dimensions both runs know, in A's order."""
    first, second = (next(iter(side.dimensions.values()), {}) for side in (a, b))
    return [name for name in first if name in second]


def _members(labels: NDArray[np.object_]) -> Sequence[tuple[str, NDArray[np.bool_]]]:
    import numpy as np

    names = sorted({each for each in labels if each is not None})
    alone = [("", np.ones(len(labels), dtype=bool))]
    if len(names) > MOST_LABELS:
        return alone
    return [*alone, *((name, labels == name) for name in names)]


def _shift(named: tuple[str, str], before: Any, after: Any, clusters: Any) -> Shift:
    found = paired(before, after, mean, clusters)
    spread = math.nan
    if len(before) > 1:
        spread = math.sqrt((before.var(ddof=1) + after.var(ddof=1)) / 2)
    d = found.difference / spread if spread else math.nan
    return Shift(*named, found, found.p, d)
