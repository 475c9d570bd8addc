"""The mean of a measure that is undefined for some answers, which are counted by reason."""

from __future__ import annotations

import math
from collections.abc import Sequence

from auricle.metrics.base import Array, Codes, Details, RatioAggregator, Stats
from auricle.metrics.scales import REAL, Scale


class DefinedMean(RatioAggregator):
    """The mean over the answers for which a measure is defined.

    The statistic of an answer is (value, 1, counts), or (0, 0, counts) if the measure is undefined; `counts` has a 1
    for everything that was noticed.

    Args:
        noticed: Names of the counts; most are reasons why the measure is undefined.
        scale: Scale of the number, on which its interval is computed.

    Examples:
        >>> aggregate = DefinedMean(["too_short"])
        >>> aggregate([aggregate.make_stat(3.0), aggregate.make_stat(4.0), aggregate.make_stat(None, "too_short")])
        3.5
    """

    def __init__(self, noticed: Sequence[str], scale: Scale = REAL) -> None:
        super().__init__(details=self._describe)
        self._noticed = tuple(noticed)
        self._number_scale = scale

    def make_stat(self, value: float | None, *noticed: str) -> tuple[float, ...]:
        """Return the statistic of one answer; None or a value that is not finite is undefined."""
        is_defined = value is not None and math.isfinite(value)
        counts = (float(name in noticed) for name in self._noticed)
        return (float(value), 1.0, *counts) if is_defined and value is not None else (0.0, 0.0, *counts)

    def choose_scale(self, stats: Stats, units: Codes) -> Scale:
        return self._number_scale

    def _describe(self, totals: Array) -> Details:
        answers, defined = int(totals[-1]), int(totals[1])
        counts = {name: int(total) for name, total in zip(self._noticed, totals[2:-1], strict=True) if total}
        return {"defined": defined, "undefined": answers - defined, **counts}
