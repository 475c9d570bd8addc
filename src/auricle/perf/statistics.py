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

from auricle.perf.columns import Codes, Floats
from auricle.perf.throughput import Flow
from auricle.perf.windows import Window

PERCENTILES = (1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9)
INTERVALS = ("mean", "p50", "p95")
DRAWS = 1000
MOST_BLOCKS, FEWEST_BLOCKS = 30, 10
LATENCIES = 4
"""Of the typical request must fit into a block, if there is room for enough blocks."""
BEYOND = 5
"""Values must lie beyond a percentile for its interval to be trusted."""
GRAINS = 2048
"""Values told apart when blocks are drawn: finer than any interval needs."""

METHOD = {
    "percentiles": "linear interpolation at rank 1 + p (n - 1); nearest-rank would take the value"
    " at rank ceil(p n) instead",
    "percentiles_need": "n >= 1 / min(p, 1 - p), else null: 100 for p99, 1000 for p99.9",
    "std": "of a sample: divided by n - 1",
    "intervals": f"95 %, {DRAWS} draws of whole blocks of time, seeded; null below"
    f" {2 * FEWEST_BLOCKS} requests, that of p95 below {20 * BEYOND}",
}


def name_of(percent: float) -> str:
    """`p50`, `p99.9`; two digits at least, so that they sort."""
    return f"p{percent:04.1f}" if percent % 1 else f"p{percent:02.0f}"


def needed(percent: float) -> int:
    """How many values a percentile needs, so that one lies beyond it."""
    tail = min(percent, 100 - percent)
    return 1 if percent == 50 else math.ceil(100 / tail - 1e-9)


def described(values: Floats) -> dict[str, Any]:
    """Statistics of the values that are known."""
    known = values[~np.isnan(values)]
    n = len(known)
    found: dict[str, Any] = {"n": n, "undefined": len(values) - n}
    found["mean"] = float(known.mean()) if n else None
    found["std"] = float(known.std(ddof=1)) if n > 1 else None
    found["min"] = float(known.min()) if n else None
    at = np.percentile(known, PERCENTILES) if n else np.zeros(len(PERCENTILES))
    for percent, value in zip(PERCENTILES, at, strict=True):
        found[name_of(percent)] = float(value) if n >= needed(percent) else None
    found["max"] = float(known.max()) if n else None
    short = {name_of(each): f"n = {n}, needs {needed(each)}" for each in PERCENTILES}
    found["withheld"] = {name: why for name, why in short.items() if n and found[name] is None}
    return found


class Blocks:
    """A window cut into equal blocks of time, drawn with replacement: the same draws for all."""

    def __init__(self, window: Window, began: Floats, typical: float, seed: int = 0) -> None:
        """`began` is when each request did; `typical` is the latency blocks must outlast."""
        fit = window.length / (LATENCIES * typical) if typical > 0 else MOST_BLOCKS
        self.count = int(min(MOST_BLOCKS, max(FEWEST_BLOCKS, fit)))
        self._edges = np.linspace(window.start, window.end, self.count + 1)
        self.enough = len(began) >= 2 * FEWEST_BLOCKS and window.length > 0
        place = np.searchsorted(self._edges, began, side="right") - 1
        self._blocks: Codes = np.clip(place, 0, self.count - 1)
        dice = np.random.default_rng(seed)
        shares = np.full(self.count, 1 / self.count)
        self._draws = dice.multinomial(self.count, shares, DRAWS).astype(np.float64)

    def of_flow(self, flow: Flow) -> list[float] | None:
        """Of a rate."""
        if not self.enough:
            return None
        lengths = np.diff(self._edges)
        came = np.diff(flow(self._edges))
        return self._middle((self._draws @ came) / (self._draws @ lengths))

    def of_values(
        self, values: Floats, owners: Codes | None = None
    ) -> dict[str, list[float] | None]:
        """Of mean, median and 95th percentile; `owners` tells whose each value is, if several."""
        blocks = self._blocks if owners is None else self._blocks[owners]
        known = ~np.isnan(values)
        values, blocks = values[known], blocks[known]
        if not self.enough or len(np.unique(blocks)) < 2:
            return dict.fromkeys(INTERVALS)
        sizes = self._draws @ np.bincount(blocks, minlength=self.count)
        sums = self._draws @ np.bincount(blocks, values, self.count)
        fine = sizes > 0
        found: dict[str, list[float] | None] = {"mean": self._middle(sums[fine] / sizes[fine])}
        ranked = self._ranked(values, blocks)
        for percent in (50, 95):
            enough = len(values) >= BEYOND * needed(percent)
            drawn = ranked(percent / 100, sizes)[fine] if enough else None
            found[name_of(percent)] = None if drawn is None else self._middle(drawn)
        return found

    def _ranked(self, values: Floats, blocks: Codes) -> Any:
        """Percentiles of every draw at once, from how many of each block lie below each grain."""
        size = min(GRAINS, len(values))
        grains = np.unique(np.quantile(values, np.linspace(0, 1, size), method="inverted_cdf"))
        place = np.searchsorted(grains, values)  # the least grain that is not below
        cells = np.bincount(blocks * len(grains) + place, minlength=self.count * len(grains))
        below = self._draws @ cells.reshape(self.count, -1).cumsum(axis=1)

        def at(share: float, sizes: Floats) -> Floats:
            reached = below >= (share * sizes - 1e-9)[:, None]
            return np.asarray(grains[reached.argmax(axis=1)])

        return at

    def _middle(self, drawn: Floats) -> list[float]:
        """The interval of 95 %; few blocks vary too little among themselves, so more of it."""
        tail = NormalDist().cdf(
            -math.sqrt(self.count / (self.count - 1)) * _student(self.count - 1)
        )
        low, high = np.quantile(drawn, [tail, 1 - tail])
        return [float(low), float(high)]


def _student(degrees: int) -> float:
    """The 97.5th percentile of Student's t, by its expansion around the normal distribution's."""
    z = NormalDist().inv_cdf(0.975)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / degrees + second / degrees**2 + third / degrees**3
