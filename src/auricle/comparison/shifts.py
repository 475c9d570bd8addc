"""For models that answer in dimensions: how far their means moved, emotion by emotion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auricle.comparison.sides import Pairs, Side
from auricle.metrics.base import mean
from auricle.stats import Difference, paired

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_LABELS = 50


@dataclass(frozen=True, slots=True)
class Shift:
    """How far the mean of a dimension moved, over all pairs or those of one true label."""

    dimension: str
    label: str
    """Empty for all pairs together."""
    found: Difference
    d: float
    """Cohen's d: the shift in standard deviations, pooled over both runs."""


def shifts(a: Side, b: Side, pairs: Pairs) -> list[Shift]:
    """Every dimension both runs tell, over all pairs and by true label; none where one has none."""
    import numpy as np

    both = [
        (here, there)
        for here, there in zip(pairs.a.tolist(), pairs.b.tolist(), strict=True)
        if here in a.dimensions and there in b.dimensions
    ]
    if not both:
        return []
    labels = np.array([a.labels[here] for here, _ in both], dtype=object)
    found = []
    for name in shared(a, b):
        before, after = (
            np.array([side.dimensions[pair[at]].get(name, math.nan) for pair in both])
            for at, side in enumerate((a, b))
        )
        for label, members in _members(labels):
            found.append(_shift(name, label, before[members], after[members]))
    return found


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


def _shift(name: str, label: str, before: Any, after: Any) -> Shift:
    import numpy as np

    known = ~(np.isnan(before) | np.isnan(after))
    before, after = before[known], after[known]
    found = paired(before, after, mean)
    spread = math.nan
    if len(before) > 1:
        spread = math.sqrt((before.var(ddof=1) + after.var(ddof=1)) / 2)
    return Shift(name, label, found, found.difference / spread if spread else math.nan)
