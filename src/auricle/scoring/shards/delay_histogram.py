"""Distribution of delays in bins of one per cent, which can be added up without error."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from auricle.runs.metrics import Delay
from auricle.runs.throughput import MIN_ANSWERS_FOR_P95

BIN_RATIO = 1.01
SHORTEST = 1e-6


class DelayHistogram:
    """Counts of delays by bins whose limits are in the ratio of 1.01.

    Args:
        counts: Number of delays per bin.

    Examples:
        >>> DelayHistogram.of([0.5] * 30 + [2.0] * 70).summarise()
        Delay(answers=100, p50=2.008, p95=2.008)
    """

    def __init__(self, counts: Mapping[int, int] | None = None) -> None:
        self.counts: Counter[int] = Counter(counts or {})

    @classmethod
    def of(cls, seconds: Iterable[float]) -> DelayHistogram:
        """Count delays."""
        bins = (math.floor(math.log(max(value, SHORTEST) / SHORTEST) / math.log(BIN_RATIO)) for value in seconds)
        return cls(Counter(bins))

    def add(self, other: DelayHistogram) -> None:
        self.counts.update(other.counts)

    def summarise(self) -> Delay | None:
        """Return the number of delays and their percentiles, which are known to one per cent."""
        total = self.counts.total()
        if not total:
            return None
        high = self._quantile(0.95) if total >= MIN_ANSWERS_FOR_P95 else None
        return Delay(total, self._quantile(0.5), high)

    def _quantile(self, share: float) -> float:
        remaining = share * self.counts.total()
        for number in sorted(self.counts):
            remaining -= self.counts[number]
            if remaining <= 0:
                return float(f"{SHORTEST * BIN_RATIO ** (number + 0.5):.4g}")
        raise AssertionError("an empty histogram has no quantiles")
