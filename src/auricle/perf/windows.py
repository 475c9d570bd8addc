"""The stretch of time a load point is judged by, and what went on in it.

choose(columns, latency, load, wanted) -> Window     "steady" if that can be had, else "all"
in_flight(columns) -> Course                         how many were sent and not yet done
offered(columns, rows), achieved(columns, rows)      requests a second, planned and sent
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from auricle.perf.loads import ClosedLoop, FixedRate, Load
from auricle.perf.request_columns import Floats, Mask, RequestColumns

WindowKind: TypeAlias = Literal["all", "steady"]

MIN_ACTIVE_USER_SHARE = 0.9
"""Of the users must be at work for a closed loop to be steady."""
MIN_LATENCIES_PER_WINDOW = 3
"""Times the 99th percentile of latency must fit into a steady window."""
MIN_REQUESTS_PER_USER = 10
"""Requests each user, or each place in flight, must have finished in a steady window."""


@dataclass(frozen=True, slots=True)
class Window:
    """From just after `start` to `end`, seconds from the start of the load point."""

    kind: WindowKind
    start: float
    end: float
    not_steady_reason: str = ""
    """Why there is no steady window, where one was wanted."""

    @property
    def length(self) -> float:
        return max(0.0, self.end - self.start)

    def contains(self, times: Floats) -> Mask:
        """Which events happened in it."""
        return (times > self.start) & (times <= self.end)

    def select_requests(self, columns: RequestColumns) -> Mask:
        """Which measured requests were due, or sent where nothing is due, in it."""
        began = columns.start_times
        return columns.in_measure_phase & (began >= self.start) & (began <= self.end)


@dataclass(frozen=True, slots=True)
class CountOverTime:
    """A count that changes at times: `counts[i]` from `times[i]` to `times[i + 1]`."""

    times: Floats
    counts: Floats

    @classmethod
    def from_spans(cls, starts: Floats, ends: Floats) -> CountOverTime:
        """How many of some spans of time are under way."""
        times = np.concatenate([starts, ends])
        steps = np.concatenate([np.ones(len(starts)), -np.ones(len(ends))])
        times, place = np.unique(times, return_inverse=True)
        return cls(times, np.cumsum(np.bincount(place, steps, len(times))))

    def mean(self, start: float, end: float) -> float | None:
        """Weighted by time."""
        if not len(self.times) or end <= start:
            return None
        edges = np.clip(np.append(self.times, np.inf), start, end)
        return float(np.sum(self.counts * np.diff(edges)) / (end - start))

    def maximum(self, start: float, end: float) -> int:
        ends = np.append(self.times[1:], np.inf)
        during = (ends > start) & (self.times <= end)
        return int(self.counts[during].max(initial=0))

    def longest_span_above(self, threshold: float, start: float, end: float) -> tuple[float, float]:
        """The longest stretch between two times in which the count is never less."""
        inside = np.clip(np.concatenate([[start], self.times, [end]]), start, end)
        counts = np.concatenate([[0.0], self.counts])
        enough = np.concatenate([[False], counts >= threshold, [False]])
        turns = np.flatnonzero(np.diff(enough.astype(int)))
        if not len(turns):
            return start, start
        begins, ends = inside[turns.reshape(-1, 2)].T
        longest = int(np.argmax(ends - begins))
        return float(begins[longest]), float(ends[longest])


def count_in_flight(columns: RequestColumns) -> CountOverTime:
    """Sent and not yet done, of any phase and whatever became of it."""
    sent = ~np.isnan(columns["sent"])
    done = np.where(np.isnan(columns["done"]), find_last_time(columns), columns["done"])
    return CountOverTime.from_spans(columns["sent"][sent], done[sent])


def find_last_time(columns: RequestColumns) -> float:
    """The end of all that is recorded."""
    known = [columns[name] for name in ("sent", "done")]
    return float(np.nanmax(np.concatenate(known), initial=0.0))


def choose_window(columns: RequestColumns, latency: Floats, load: Load, kind: WindowKind = "steady") -> Window:
    """The window asked for, or all of it with the reason why a steady one would mislead."""
    whole = _whole_window(columns)
    if kind == "all":
        return whole
    steady = _steady_window(columns, latency, load)
    if isinstance(steady, str):
        return Window("all", whole.start, whole.end, steady)
    return steady


def _whole_window(columns: RequestColumns) -> Window:
    """From the first measured request to the end of the last."""
    began = columns.start_times[columns.in_measure_phase]
    done = columns["done"][columns.in_measure_phase]
    if np.isnan(began).all():
        return Window("all", 0.0, 0.0)
    start = float(np.nanmin(began))
    end = float(np.nanmax(done)) if not np.isnan(done).all() else find_last_time(columns)
    return Window("all", start, max(start, end))


def _steady_window(columns: RequestColumns, latency: Floats, load: Load) -> Window | str:
    """The steady window, or why there is none."""
    rows = columns.in_measure_phase & ~np.isnan(latency)
    if not rows.any():
        return "no measured request ended well"
    if not isinstance(load, ClosedLoop | FixedRate):
        return "the rate changes by plan"
    high = float(np.percentile(latency[rows], 99))
    start, end = _steady_bounds(columns, load, high)
    window = Window("steady", start, end)
    if window.length < MIN_LATENCIES_PER_WINDOW * high:
        return (
            f"too short: {window.length:.3g} s in which the load was steady,"
            f" less than {MIN_LATENCIES_PER_WINDOW} times the 99th percentile of latency, {high:.3g} s"
        )
    ended = int((columns.ok & window.contains(columns["done"])).sum())
    places = _expected_concurrency(columns, load, window)
    if ended < MIN_REQUESTS_PER_USER * places:
        what = "users" if isinstance(load, ClosedLoop) else "in flight"
        return (
            f"too short: {ended} requests ended while the load was steady,"
            f" less than {MIN_REQUESTS_PER_USER} for each of {places:.3g} {what}"
        )
    return window


def _expected_concurrency(columns: RequestColumns, load: ClosedLoop | FixedRate, window: Window) -> float:
    """How many requests are under way at once, more or less."""
    if isinstance(load, ClosedLoop):
        return load.users
    return max(1.0, count_in_flight(columns).mean(window.start, window.end) or 0.0)


def _steady_bounds(columns: RequestColumns, load: ClosedLoop | FixedRate, latency_p99: float) -> tuple[float, float]:
    """Where the load was as heavy as it should be, between warm-up and the last start."""
    began = columns.start_times[columns.in_measure_phase]
    last = float(np.nanmax(began))
    # Those who begin together also end together, until the first answers are through: in the
    # warm-up, or after it.
    through = float(np.nanmin(columns.start_times)) + latency_p99
    first = min(last, max(float(np.nanmin(began)), through))
    if isinstance(load, ClosedLoop):
        return count_active_users(columns).longest_span_above(MIN_ACTIVE_USER_SHARE * load.users, first, last)
    return first, last


def count_active_users(columns: RequestColumns) -> CountOverTime:
    """How many users have begun and not yet finished; a user who thinks is at work."""
    user = columns["user"]
    rows = ~np.isnan(user) & ~np.isnan(columns["sent"])
    if not rows.any():
        return count_in_flight(columns)
    done = np.where(np.isnan(columns["done"]), find_last_time(columns), columns["done"])
    known, place = np.unique(user[rows], return_inverse=True)
    starts, ends = np.full(len(known), np.inf), np.full(len(known), -np.inf)
    np.minimum.at(starts, place, columns["sent"][rows])
    np.maximum.at(ends, place, done[rows])
    return CountOverTime.from_spans(starts, ends)


def compute_offered_rate(columns: RequestColumns, rows: Mask) -> float | None:
    """Requests a second, as planned."""
    return _rate_of_times(columns["due"][rows])


def compute_achieved_rate(columns: RequestColumns, rows: Mask) -> float | None:
    """Requests a second, as sent; where some were due, of these."""
    planned = rows & ~np.isnan(columns["due"])
    return _rate_of_times(columns["sent"][planned if planned.any() else rows])


def _rate_of_times(times: Floats) -> float | None:
    known = times[~np.isnan(times)]
    span = float(np.ptp(known)) if len(known) else 0.0
    return (len(known) - 1) / span if span > 0 else None
