"""More asked than can be answered: the backlog grows, and so does the wait, as long as it lasts.

Trend.of(times, values, start, end)      how fast it grows, and whether that is beyond chance
Saturation(window).add(at, backlog, delay); .reached()      while a load point runs
saturation(columns, values, window) -> dict                 of one that is over
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from auricle.perf.columns import Columns, Floats
from auricle.perf.windows import Course, Window, last_time

BINS = 10
CRITICAL = 4.501  # Student's t of 8 degrees: by chance one in a thousand rises so steadily
RISE = 0.5
"""Of its mean a value must rise over the window to matter."""


@dataclass(frozen=True, slots=True)
class Trend:
    """A line through the means of ten stretches of time, which are nearly strangers."""

    per_second: float
    grows: bool

    @classmethod
    def of(cls, times: Floats, values: Floats, start: float, end: float) -> Trend | None:
        """None where a stretch has no value."""
        if end <= start:
            return None
        place = np.clip(((times - start) / (end - start) * BINS).astype(int), 0, BINS - 1)
        counts = np.bincount(place, minlength=BINS)
        if len(counts) > BINS or not counts.all():
            return None
        means = np.bincount(place, values, BINS) / counts
        middles = (np.arange(BINS) - (BINS - 1) / 2) * (end - start) / BINS
        slope = float(middles @ means / (middles @ middles))
        left = means - means.mean() - slope * middles
        error = math.sqrt(float(left @ left) / (BINS - 2) / float(middles @ middles))
        level = float(np.abs(means).mean())
        rises = slope * (end - start) > RISE * level
        return cls(slope, rises and slope > CRITICAL * error)


class Saturation:
    """Watches a load point: both backlog and delay must grow over the last `window` seconds."""

    def __init__(self, window: float = 30.0) -> None:
        self._window = window
        self._backlog: deque[tuple[float, float]] = deque()
        self._delay: deque[tuple[float, float]] = deque()

    def add(self, at: float, backlog: float, delay: float | None = None) -> None:
        """Now so many are due and not yet answered; the latest waited so long for a first word."""
        self._backlog.append((at, backlog))
        if delay is not None:
            self._delay.append((at, delay))
        for kept in (self._backlog, self._delay):
            # One from before the window stays: it shows that the window is full.
            while len(kept) > 1 and kept[1][0] <= at - self._window:
                kept.popleft()

    def reached(self) -> bool:
        """Whether more is asked than can be answered; not before the window is full."""
        if not self._backlog or not self._delay:
            return False
        end = self._backlog[-1][0]
        start = end - self._window
        if self._backlog[0][0] > start:
            return False
        trends = (_of(each, start, end) for each in (self._backlog, self._delay))
        return all(trend is not None and trend.grows for trend in trends)


def _of(samples: deque[tuple[float, float]], start: float, end: float) -> Trend | None:
    times, values = np.array(samples).T
    late = times > start
    return Trend.of(times[late], values[late], start, end)


def saturation(columns: Columns, values: Mapping[str, Floats], window: Window) -> dict[str, Any]:
    """Whether backlog and delay grew throughout a window, and how fast."""
    began = columns.began
    rows = ~np.isnan(began)
    done = np.where(np.isnan(columns["done"]), last_time(columns), columns["done"])
    backlog = Course.of(began[rows], done[rows])
    grid = np.linspace(window.start, window.end, 20 * BINS + 1)[1:]
    counts = np.concatenate([[0.0], backlog.counts])
    waiting = counts[np.searchsorted(backlog.times, grid, side="right")]
    delay = np.nan_to_num(values["queue_s"]) + _first_word(values)
    known = window.began(columns) & ~np.isnan(delay)
    trends = (
        Trend.of(grid, waiting, window.start, window.end),
        Trend.of(began[known], delay[known], window.start, window.end),
    )
    slopes = [None if trend is None else trend.per_second for trend in trends]
    return {
        "saturated": all(trend is not None and trend.grows for trend in trends),
        "backlog_per_s": slopes[0],
        "delay_s_per_s": slopes[1],
    }


def _first_word(values: Mapping[str, Floats]) -> Floats:
    return np.where(np.isnan(values["ttft_s"]), values["latency_s"], values["ttft_s"])
