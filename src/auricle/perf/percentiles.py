"""Descriptive statistics and confidence intervals.

Requests that are close in time are correlated, so intervals are bootstrapped over blocks of time, and widened for
small numbers of blocks as Student's t is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np

from auricle.perf.request_records import Floats, Ints
from auricle.perf.windows import CumulativeAmount, Window
from auricle.runs.perf_files import MeasureStatistics

PERCENTILES = (1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9)
INTERVAL_STATISTICS = ("mean", "p50", "p95")
RESAMPLES = 1000
MAX_BLOCKS, MIN_BLOCKS = 30, 10
LATENCIES_PER_BLOCK = 4
"""Typical latencies that fit into a block, unless there would be fewer than `MIN_BLOCKS` blocks."""
MIN_TAIL_VALUES = 5
"""Values beyond a percentile that are needed for its interval."""
MAX_GRID_VALUES = 2048
"""Distinct values used for percentiles of resamples; finer than any interval needs."""

METHOD = {
    "percentiles": "linear interpolation at rank 1 + p (n - 1); nearest-rank would take the value"
    " at rank ceil(p n) instead",
    "percentiles_need": "n >= 1 / min(p, 1 - p), else null: 100 for p99, 1000 for p99.9",
    "std": "sample standard deviation: divided by n - 1",
    "intervals": f"95 %, {RESAMPLES} bootstrap resamples of blocks of time, seeded; null below"
    f" {2 * MIN_BLOCKS} requests, for p95 below {20 * MIN_TAIL_VALUES}",
}


def format_percentile(percent: float) -> str:
    """Return the name of a percentile, such as `p50` or `p99.9`; at least two digits, so that names sort."""
    return f"p{percent:04.1f}" if percent % 1 else f"p{percent:02.0f}"


def min_values_for_percentile(percent: float) -> int:
    """Return how many values a percentile needs for one value to be beyond it."""
    tail = min(percent, 100 - percent)
    return 1 if percent == 50 else math.ceil(100 / tail - 1e-9)


def describe_values(values: Floats) -> MeasureStatistics:
    """Compute count, mean, deviation, extremes and percentiles of the defined values; None where n is too small."""
    defined = values[~np.isnan(values)]
    if not (n := len(defined)):
        return MeasureStatistics(undefined=len(values))
    percentiles: dict[str, Any] = {}
    withheld = {}
    for percent, value in zip(PERCENTILES, np.percentile(defined, PERCENTILES).tolist(), strict=True):
        name, needed = format_percentile(percent), min_values_for_percentile(percent)
        if n >= needed:
            percentiles[name.replace(".", "_")] = value
        else:
            withheld[name] = f"n = {n}, needs {needed}"
    return MeasureStatistics(
        n=n,
        undefined=len(values) - n,
        mean=float(defined.mean()),
        std=float(defined.std(ddof=1)) if n > 1 else None,
        min=float(defined.min()),
        max=float(defined.max()),
        withheld=withheld,
        **percentiles,
    )


class BlockBootstrap:
    """A bootstrap over equal blocks of a time window; all statistics use the same resamples.

    Args:
        window: The window that is divided into blocks.
        start_times: When each request started.
        typical_latency: Latency that blocks must exceed several times.
        seed: Seed of the resamples.
    """

    def __init__(self, window: Window, start_times: Floats, typical_latency: float, seed: int = 0) -> None:
        fit = window.length / (LATENCIES_PER_BLOCK * typical_latency) if typical_latency > 0 else MAX_BLOCKS
        self.block_count = int(min(MAX_BLOCKS, max(MIN_BLOCKS, fit)))
        self._edges = np.linspace(window.start, window.end, self.block_count + 1)
        self.has_enough_data = len(start_times) >= 2 * MIN_BLOCKS and window.length > 0
        blocks = np.searchsorted(self._edges, start_times, side="right") - 1
        self._block_indices: Ints = np.clip(blocks, 0, self.block_count - 1)
        generator = np.random.default_rng(seed)
        shares = np.full(self.block_count, 1 / self.block_count)
        self._block_weights = generator.multinomial(self.block_count, shares, RESAMPLES).astype(np.float64)

    def rate_interval(self, cumulative: CumulativeAmount) -> tuple[float, float] | None:
        """Return the interval of a rate; None if there is not enough data."""
        if not self.has_enough_data:
            return None
        lengths = np.diff(self._edges)
        amounts = np.diff(cumulative(self._edges))
        return self._interval((self._block_weights @ amounts) / (self._block_weights @ lengths))

    def value_intervals(self, values: Floats, row_indices: Ints | None = None) -> dict[str, tuple[float, float] | None]:
        """Return the intervals of mean, median and 95th percentile; None if there is not enough data.

        Args:
            values: One value per request, or several.
            row_indices: The request that each value belongs to, if there are several per request.
        """
        blocks = self._block_indices if row_indices is None else self._block_indices[row_indices]
        defined = ~np.isnan(values)
        values, blocks = values[defined], blocks[defined]
        if not self.has_enough_data or len(np.unique(blocks)) < 2:
            return dict.fromkeys(INTERVAL_STATISTICS)
        sizes = self._block_weights @ np.bincount(blocks, minlength=self.block_count)
        sums = self._block_weights @ np.bincount(blocks, values, self.block_count)
        non_empty = sizes > 0
        intervals: dict[str, tuple[float, float] | None] = {"mean": self._interval(sums[non_empty] / sizes[non_empty])}
        resample_percentile = self._percentile_resampler(values, blocks)
        for percent in (50, 95):
            enough = len(values) >= MIN_TAIL_VALUES * min_values_for_percentile(percent)
            resampled = resample_percentile(percent / 100, sizes)[non_empty] if enough else None
            intervals[format_percentile(percent)] = None if resampled is None else self._interval(resampled)
        return intervals

    def _percentile_resampler(self, values: Floats, block_indices: Ints) -> Callable[[float, Floats], Floats]:
        """Return a function that computes a percentile of all resamples at once, from counts on a grid of values."""
        grid = np.unique(np.quantile(values, np.linspace(0, 1, MAX_GRID_VALUES), method="inverted_cdf"))
        grid_indices = np.searchsorted(grid, values)  # the smallest grid value that is not below
        cells = np.bincount(block_indices * len(grid) + grid_indices, minlength=self.block_count * len(grid))
        counts_up_to = self._block_weights @ cells.reshape(self.block_count, -1).cumsum(axis=1)

        def resample_percentile(share: float, sizes: Floats) -> Floats:
            reached = counts_up_to >= (share * sizes - 1e-9)[:, None]
            return np.asarray(grid[reached.argmax(axis=1)])

        return resample_percentile

    def _interval(self, resampled: Floats) -> tuple[float, float]:
        """Return the 95 % interval of resamples, widened because a few blocks underestimate the variance."""
        tail = NormalDist().cdf(
            -math.sqrt(self.block_count / (self.block_count - 1)) * _student_t_975(self.block_count - 1)
        )
        low, high = np.quantile(resampled, [tail, 1 - tail])
        return float(low), float(high)


def _student_t_975(degrees: int) -> float:
    """Return the 97.5th percentile of Student's t, by its expansion around the normal quantile."""
    z = NormalDist().inv_cdf(0.975)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / degrees + second / degrees**2 + third / degrees**3
