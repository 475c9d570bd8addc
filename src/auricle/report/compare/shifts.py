"""Shifts of the mean of each predicted dimension, overall and by label."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Any

from auricle.metrics.base import mean
from auricle.metrics.intervals import Difference, adjust_holm, compare_paired
from auricle.report.compare.loading import ComparedRun, Pairs
from auricle.report.compare.metric_rows import encode_field, renumber_clusters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_LABELS = 50
NO_VALUES: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift(Difference):
    """The shift of the mean of a dimension, over all pairs or those with one true label."""

    dimension: str
    label: str
    """Empty for all pairs."""
    adjusted: float
    """The p-value adjusted by Holm's method over all shifts."""
    cohens_d: float
    """The shift in standard deviations, pooled over both runs."""


def compute_shifts(a: ComparedRun, b: ComparedRun, pairs: Pairs, cluster: str) -> list[Shift]:
    """Compute the shift of every dimension that both runs predict, over all pairs and by true label."""
    import numpy as np

    if not a.dimensions or not b.dimensions:
        return []
    clusters = encode_field(a, pairs, cluster) if cluster else None
    labels = np.array([a.labels[here] for here in pairs.a], dtype=object)
    shifts = []
    for name in shared_dimensions(a, b):
        before, after = (
            np.array([side.dimensions.get(place, NO_VALUES).get(name, math.nan) for place in places])
            for side, places in ((a, pairs.a.tolist()), (b, pairs.b.tolist()))
        )
        known = ~(np.isnan(before) | np.isnan(after))
        for label, members in _members_by_label(labels):
            which = np.flatnonzero(known & members)
            drawn = None if clusters is None else renumber_clusters(clusters[which])
            if len(which):
                shifts.append(_compute_shift(name, label, before[which], after[which], drawn))
    ps = adjust_holm([shift.p for shift in shifts])
    return [replace(shift, adjusted=p) for shift, p in zip(shifts, ps, strict=True)]


def shared_dimensions(a: ComparedRun, b: ComparedRun) -> list[str]:
    """Return the dimensions that both runs predict, in the order of A."""
    first, second = (next(iter(side.dimensions.values()), {}) for side in (a, b))
    return [name for name in first if name in second]


def _members_by_label(labels: NDArray[np.object_]) -> Sequence[tuple[str, NDArray[np.bool_]]]:
    import numpy as np

    names = sorted({each for each in labels if each is not None})
    alone = [("", np.ones(len(labels), dtype=bool))]
    if len(names) > MAX_LABELS:
        return alone
    return [*alone, *((name, labels == name) for name in names)]


def _compute_shift(dimension: str, label: str, before: Any, after: Any, clusters: Any) -> Shift:
    test = compare_paired(before, after, mean, clusters)
    spread = math.nan
    if len(before) > 1:
        spread = math.sqrt((before.var(ddof=1) + after.var(ddof=1)) / 2)
    d = test.difference / spread if spread else math.nan
    return Shift(*astuple(test), dimension=dimension, label=label, adjusted=test.p, cohens_d=d)
