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

from auricle.perf.request_columns import Floats, RequestColumns
from auricle.perf.windows import CountOverTime, Window, find_last_time

TREND_BINS = 10
CRITICAL_T = 4.501  # Student's t of 8 degrees: by chance one in a thousand rises so steadily
MIN_RELATIVE_RISE = 0.5
"""Of its mean a value must rise over the window to matter."""


@dataclass(frozen=True, slots=True)
class Trend:
    """A line through the means of ten stretches of time, which are nearly strangers."""

    per_second: float
    is_growing: bool

    @classmethod
    def fit(cls, times: Floats, values: Floats, start: float, end: float) -> Trend | None:
        """None where a stretch has no value."""
        if end <= start:
            return None
        place = np.clip(((times - start) / (end - start) * TREND_BINS).astype(int), 0, TREND_BINS - 1)
        counts = np.bincount(place, minlength=TREND_BINS)
        if len(counts) > TREND_BINS or not counts.all():
            return None
        means = np.bincount(place, values, TREND_BINS) / counts
        middles = (np.arange(TREND_BINS) - (TREND_BINS - 1) / 2) * (end - start) / TREND_BINS
        slope = float(middles @ means / (middles @ middles))
        left = means - means.mean() - slope * middles
        error = math.sqrt(float(left @ left) / (TREND_BINS - 2) / float(middles @ middles))
        level = float(np.abs(means).mean())
        rises = slope * (end - start) > MIN_RELATIVE_RISE * level
        return cls(slope, rises and slope > CRITICAL_T * error)


class SaturationDetector:
    """Watches a load point: both backlog and delay must grow over the last `window` seconds."""

    def __init__(self, window_seconds: float = 30.0) -> None:
        self._window_seconds = window_seconds
        self._backlog: deque[tuple[float, float]] = deque()
        self._delay: deque[tuple[float, float]] = deque()

    def add(self, timestamp: float, backlog: float, delay: float | None = None) -> None:
        """Now so many are due and not yet answered; the latest waited so long for a first word."""
        self._backlog.append((timestamp, backlog))
        if delay is not None:
            self._delay.append((timestamp, delay))
        for kept in (self._backlog, self._delay):
            # One from before the window stays: it shows that the window is full.
            while len(kept) > 1 and kept[1][0] <= timestamp - self._window_seconds:
                kept.popleft()

    def is_saturated(self) -> bool:
        """Whether more is asked than can be answered; not before the window is full."""
        if not self._backlog or not self._delay:
            return False
        end = self._backlog[-1][0]
        start = end - self._window_seconds
        if self._backlog[0][0] > start:
            return False
        trends = (_fit_samples(each, start, end) for each in (self._backlog, self._delay))
        return all(trend is not None and trend.is_growing for trend in trends)


def _fit_samples(samples: deque[tuple[float, float]], start: float, end: float) -> Trend | None:
    times, values = np.array(samples).T
    late = times > start
    return Trend.fit(times[late], values[late], start, end)


def assess_saturation(columns: RequestColumns, measures: Mapping[str, Floats], window: Window) -> dict[str, Any]:
    """Whether backlog and delay grew throughout a window, and how fast."""
    began = columns.start_times
    rows = ~np.isnan(began)
    done = np.where(np.isnan(columns["done"]), find_last_time(columns), columns["done"])
    backlog = CountOverTime.from_spans(began[rows], done[rows])
    grid = np.linspace(window.start, window.end, 20 * TREND_BINS + 1)[1:]
    counts = np.concatenate([[0.0], backlog.counts])
    waiting = counts[np.searchsorted(backlog.times, grid, side="right")]
    delay = np.nan_to_num(measures["queue_s"]) + _time_to_first_output(measures)
    known = window.select_requests(columns) & ~np.isnan(delay)
    trends = (
        Trend.fit(grid, waiting, window.start, window.end),
        Trend.fit(began[known], delay[known], window.start, window.end),
    )
    slopes = [None if trend is None else trend.per_second for trend in trends]
    return {
        "saturated": all(trend is not None and trend.is_growing for trend in trends),
        "backlog_per_s": slopes[0],
        "delay_s_per_s": slopes[1],
    }


def _time_to_first_output(measures: Mapping[str, Floats]) -> Floats:
    return np.where(np.isnan(measures["ttft_s"]), measures["latency_s"], measures["ttft_s"])
