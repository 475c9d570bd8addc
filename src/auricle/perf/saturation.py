"""Detect saturation: an offered load above the server's capacity makes backlog and delay grow without end."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from auricle.perf.request_records import Floats, RequestColumns
from auricle.perf.windows import CountOverTime, Window, fill_missing_ends
from auricle.runs.perf_files import Saturation

TREND_BINS = 10
CRITICAL_T = 4.501  # Student's t with 8 degrees of freedom, one-sided p = 0.001
MIN_RELATIVE_RISE = 0.5
"""Smallest rise over the window, relative to the mean, that counts as growth."""


@dataclass(frozen=True, slots=True)
class Trend:
    """A line fitted to the means of ten time bins, which are nearly independent."""

    per_second: float
    is_growing: bool

    @classmethod
    def fit(cls, times: Floats, values: Floats, start: float, end: float) -> Trend | None:
        """Fit the trend; None if a bin has no value."""
        if end <= start:
            return None
        bins = np.clip(((times - start) / (end - start) * TREND_BINS).astype(int), 0, TREND_BINS - 1)
        counts = np.bincount(bins, minlength=TREND_BINS)
        if len(counts) > TREND_BINS or not counts.all():
            return None
        means = np.bincount(bins, values, TREND_BINS) / counts
        centres = (np.arange(TREND_BINS) - (TREND_BINS - 1) / 2) * (end - start) / TREND_BINS
        slope = float(centres @ means / (centres @ centres))
        residuals = means - means.mean() - slope * centres
        error = math.sqrt(float(residuals @ residuals) / (TREND_BINS - 2) / float(centres @ centres))
        level = float(np.abs(means).mean())
        is_relevant = slope * (end - start) > MIN_RELATIVE_RISE * level
        return cls(slope, is_relevant and slope > CRITICAL_T * error)


class SaturationDetector:
    """Detects saturation while a load point runs: both backlog and delay grow over the last `window_seconds`."""

    def __init__(self, window_seconds: float = 30.0) -> None:
        self._window_seconds = window_seconds
        self._backlog: deque[tuple[float, float]] = deque()
        self._delay: deque[tuple[float, float]] = deque()

    def add(self, timestamp: float, backlog: float, delay: float | None = None) -> None:
        """Add the number of requests due and not yet answered, and the latest delay to a first token."""
        self._backlog.append((timestamp, backlog))
        if delay is not None:
            self._delay.append((timestamp, delay))
        for samples in (self._backlog, self._delay):
            # One sample from before the window is kept: it shows that the window is full.
            while len(samples) > 1 and samples[1][0] <= timestamp - self._window_seconds:
                samples.popleft()

    def is_saturated(self) -> bool:
        """Return whether the load exceeds the server's capacity; False until the window is full."""
        if not self._backlog or not self._delay:
            return False
        end = self._backlog[-1][0]
        start = end - self._window_seconds
        if self._backlog[0][0] > start:
            return False
        for samples in (self._backlog, self._delay):
            times, values = np.array(samples).T
            trend = Trend.fit(times[times > start], values[times > start], start, end)
            if trend is None or not trend.is_growing:
                return False
        return True


def assess_saturation(columns: RequestColumns, measures: Mapping[str, Floats], window: Window) -> Saturation:
    """Assess whether backlog and delay grew throughout a window, and how fast."""
    start_times = columns.start_times
    rows = ~np.isnan(start_times)
    done = fill_missing_ends(columns)
    backlog = CountOverTime.from_spans(start_times[rows], done[rows])
    grid = np.linspace(window.start, window.end, 20 * TREND_BINS + 1)[1:]
    counts = np.concatenate([[0.0], backlog.counts])
    backlog_on_grid = counts[np.searchsorted(backlog.times, grid, side="right")]
    first_output = np.where(np.isnan(measures["ttft_s"]), measures["latency_s"], measures["ttft_s"])
    delay = np.nan_to_num(measures["queue_s"]) + first_output
    has_delay = window.select_requests(columns) & ~np.isnan(delay)
    trends = (
        Trend.fit(grid, backlog_on_grid, window.start, window.end),
        Trend.fit(start_times[has_delay], delay[has_delay], window.start, window.end),
    )
    slopes = (None if trend is None else trend.per_second for trend in trends)
    return Saturation(all(trend is not None and trend.is_growing for trend in trends), *slopes)
