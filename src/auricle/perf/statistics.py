"""Statistics that say no more than their number allows.

    described(values) -> dict          n, mean, std, min, percentiles, max; None if n is too small
    Blocks(window, began, typical)     time cut into blocks, to draw anew
      .of_values(values) -> {"mean": [low, high], "p50": ..., "p95": ...}
      .of_flow(flow) -> [low, high]

Requests of one moment share that moment's luck, so intervals come from drawing whole blocks of
time: 95 % of the means of such draws lie within, widened as Student's t is for few blocks.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np

from auricle.perf.cumulative import CumulativeAmount
from auricle.perf.request_columns import Floats, Ints
from auricle.perf.windows import Window

PERCENTILES = (1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9)
INTERVAL_STATISTICS = ("mean", "p50", "p95")
RESAMPLES = 1000
MAX_BLOCKS, MIN_BLOCKS = 30, 10
LATENCIES_PER_BLOCK = 4
"""Of the typical request must fit into a block, if there is room for enough blocks."""
MIN_TAIL_VALUES = 5
"""Values must lie beyond a percentile for its interval to be trusted."""
MAX_GRID_VALUES = 2048
"""Values told apart when blocks are drawn: finer than any interval needs."""

METHOD = {
    "percentiles": "linear interpolation at rank 1 + p (n - 1); nearest-rank would take the value"
    " at rank ceil(p n) instead",
    "percentiles_need": "n >= 1 / min(p, 1 - p), else null: 100 for p99, 1000 for p99.9",
    "std": "of a sample: divided by n - 1",
    "intervals": f"95 %, {RESAMPLES} draws of whole blocks of time, seeded; null below"
    f" {2 * MIN_BLOCKS} requests, that of p95 below {20 * MIN_TAIL_VALUES}",
}


def format_percentile(percent: float) -> str:
    """`p50`, `p99.9`; two digits at least, so that they sort."""
    return f"p{percent:04.1f}" if percent % 1 else f"p{percent:02.0f}"


def min_values_for_percentile(percent: float) -> int:
    """How many values a percentile needs, so that one lies beyond it."""
    tail = min(percent, 100 - percent)
    return 1 if percent == 50 else math.ceil(100 / tail - 1e-9)


def describe_values(values: Floats) -> dict[str, Any]:
    """Statistics of the values that are known."""
    known = values[~np.isnan(values)]
    n = len(known)
    found: dict[str, Any] = {"n": n, "undefined": len(values) - n}
    found["mean"] = float(known.mean()) if n else None
    found["std"] = float(known.std(ddof=1)) if n > 1 else None
    found["min"] = float(known.min()) if n else None
    at = np.percentile(known, PERCENTILES) if n else np.zeros(len(PERCENTILES))
    for percent, value in zip(PERCENTILES, at, strict=True):
        found[format_percentile(percent)] = float(value) if n >= min_values_for_percentile(percent) else None
    found["max"] = float(known.max()) if n else None
    short = {format_percentile(each): f"n = {n}, needs {min_values_for_percentile(each)}" for each in PERCENTILES}
    found["withheld"] = {name: why for name, why in short.items() if n and found[name] is None}
    return found


class BlockBootstrap:
    """A window cut into equal blocks of time, drawn with replacement: the same draws for all."""

    def __init__(self, window: Window, start_times: Floats, typical_latency: float, seed: int = 0) -> None:
        """`began` is when each request did; `typical` is the latency blocks must outlast."""
        fit = window.length / (LATENCIES_PER_BLOCK * typical_latency) if typical_latency > 0 else MAX_BLOCKS
        self.block_count = int(min(MAX_BLOCKS, max(MIN_BLOCKS, fit)))
        self._edges = np.linspace(window.start, window.end, self.block_count + 1)
        self.has_enough_data = len(start_times) >= 2 * MIN_BLOCKS and window.length > 0
        place = np.searchsorted(self._edges, start_times, side="right") - 1
        self._block_indices: Ints = np.clip(place, 0, self.block_count - 1)
        dice = np.random.default_rng(seed)
        shares = np.full(self.block_count, 1 / self.block_count)
        self._block_weights = dice.multinomial(self.block_count, shares, RESAMPLES).astype(np.float64)

    def rate_interval(self, cumulative: CumulativeAmount) -> list[float] | None:
        """Of a rate."""
        if not self.has_enough_data:
            return None
        lengths = np.diff(self._edges)
        came = np.diff(cumulative(self._edges))
        return self._interval((self._block_weights @ came) / (self._block_weights @ lengths))

    def value_intervals(self, values: Floats, row_indices: Ints | None = None) -> dict[str, list[float] | None]:
        """Of mean, median and 95th percentile; `owners` tells whose each value is, if several."""
        blocks = self._block_indices if row_indices is None else self._block_indices[row_indices]
        known = ~np.isnan(values)
        values, blocks = values[known], blocks[known]
        if not self.has_enough_data or len(np.unique(blocks)) < 2:
            return dict.fromkeys(INTERVAL_STATISTICS)
        sizes = self._block_weights @ np.bincount(blocks, minlength=self.block_count)
        sums = self._block_weights @ np.bincount(blocks, values, self.block_count)
        fine = sizes > 0
        found: dict[str, list[float] | None] = {"mean": self._interval(sums[fine] / sizes[fine])}
        ranked = self._percentile_resampler(values, blocks)
        for percent in (50, 95):
            enough = len(values) >= MIN_TAIL_VALUES * min_values_for_percentile(percent)
            drawn = ranked(percent / 100, sizes)[fine] if enough else None
            found[format_percentile(percent)] = None if drawn is None else self._interval(drawn)
        return found

    def _percentile_resampler(self, values: Floats, block_indices: Ints) -> Any:
        """Percentiles of every draw at once, from how many of each block lie below each grain."""
        size = min(MAX_GRID_VALUES, len(values))
        grains = np.unique(np.quantile(values, np.linspace(0, 1, size), method="inverted_cdf"))
        place = np.searchsorted(grains, values)  # the least grain that is not below
        cells = np.bincount(block_indices * len(grains) + place, minlength=self.block_count * len(grains))
        below = self._block_weights @ cells.reshape(self.block_count, -1).cumsum(axis=1)

        def at(share: float, sizes: Floats) -> Floats:
            reached = below >= (share * sizes - 1e-9)[:, None]
            return np.asarray(grains[reached.argmax(axis=1)])

        return at

    def _interval(self, resampled: Floats) -> list[float]:
        """The interval of 95 %; few blocks vary too little among themselves, so more of it."""
        tail = NormalDist().cdf(
            -math.sqrt(self.block_count / (self.block_count - 1)) * _student_t_975(self.block_count - 1)
        )
        low, high = np.quantile(resampled, [tail, 1 - tail])
        return [float(low), float(high)]


def _student_t_975(degrees: int) -> float:
    """The 97.5th percentile of Student's t, by its expansion around the normal distribution's."""
    z = NormalDist().inv_cdf(0.975)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / degrees + second / degrees**2 + third / degrees**3
