"""Choose the time window in which a load point is measured; compute concurrency, amounts and rates within it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from auricle.perf.load_patterns import Load
from auricle.perf.request_records import Floats, Mask, RequestColumns

WindowKind: TypeAlias = Literal["all", "steady"]
CumulativeAmount: TypeAlias = Callable[[Floats], Floats]
"""Maps times to the amount reached by each. A rate is the difference of two amounts over the time between them."""

MIN_ACTIVE_USER_SHARE = 0.9
"""Share of users that must be active for a closed loop to be steady."""
MIN_LATENCIES_PER_WINDOW = 3
"""Smallest length of a steady window, in multiples of the 99th percentile of latency."""
MIN_REQUESTS_PER_USER = 10
"""Requests that must finish in a steady window, per user or per request in flight."""


@dataclass(frozen=True, slots=True)
class Window:
    """A span of time, excluding `start` and including `end`, in seconds from the start of the load point."""

    kind: WindowKind
    start: float
    end: float
    not_steady_reason: str = ""
    """Why there is no steady window, if one was requested."""

    @property
    def length(self) -> float:
        return max(0.0, self.end - self.start)

    def contains(self, times: Floats) -> Mask:
        """Return which times are in the window."""
        return (times > self.start) & (times <= self.end)

    def select_requests(self, columns: RequestColumns) -> Mask:
        """Return which requests of the measured phase start in the window."""
        start_times = columns.start_times
        return columns.in_measure_phase & (start_times >= self.start) & (start_times <= self.end)


@dataclass(frozen=True, slots=True)
class CountOverTime:
    """A step function of time: `counts[i]` from `times[i]` to `times[i + 1]`."""

    times: Floats
    counts: Floats

    @classmethod
    def from_spans(cls, starts: Floats, ends: Floats) -> CountOverTime:
        """Count how many spans contain each time."""
        times = np.concatenate([starts, ends])
        steps = np.concatenate([np.ones(len(starts)), -np.ones(len(ends))])
        times, indices = np.unique(times, return_inverse=True)
        return cls(times, np.cumsum(np.bincount(indices, steps, len(times))))

    def mean(self, start: float, end: float) -> float | None:
        """Return the time-weighted mean."""
        if not len(self.times) or end <= start:
            return None
        edges = np.clip(np.append(self.times, np.inf), start, end)
        return float(np.sum(self.counts * np.diff(edges)) / (end - start))

    def before(self, moments: Floats) -> Floats:
        """Return the count just before each moment."""
        counts = np.concatenate([[0.0], self.counts])
        return np.asarray(counts[np.searchsorted(self.times, moments, side="left")])

    def maximum(self, start: float, end: float) -> int:
        ends = np.append(self.times[1:], np.inf)
        during = (ends > start) & (self.times <= end)
        return int(self.counts[during].max(initial=0))

    def longest_span_above(self, threshold: float, start: float, end: float) -> tuple[float, float]:
        """Return the longest span between two times in which the count is never below the threshold."""
        times = np.clip(np.concatenate([[start], self.times, [end]]), start, end)
        counts = np.concatenate([[0.0], self.counts])
        is_above = np.concatenate([[False], counts >= threshold, [False]])
        changes = np.flatnonzero(np.diff(is_above.astype(int)))
        if not len(changes):
            return start, start
        starts, ends = times[changes.reshape(-1, 2)].T
        longest = int(np.argmax(ends - starts))
        return float(starts[longest]), float(ends[longest])


def count_in_flight(columns: RequestColumns) -> CountOverTime:
    """Count the requests in flight over time, in all phases and with any status."""
    sent = ~np.isnan(columns["sent"])
    return CountOverTime.from_spans(columns["sent"][sent], fill_missing_ends(columns)[sent])


def find_last_time(columns: RequestColumns) -> float:
    """Return the last recorded time."""
    return float(np.nanmax(np.concatenate([columns["sent"], columns["done"]]), initial=0.0))


def fill_missing_ends(columns: RequestColumns) -> Floats:
    """Return when each request was done; the last recorded time where that is unknown."""
    return np.where(np.isnan(columns["done"]), find_last_time(columns), columns["done"])


def choose_window(columns: RequestColumns, latency: Floats, load: Load, kind: WindowKind = "steady") -> Window:
    """Return the requested window; the whole measured phase, with the reason, if there is no steady window."""
    full_window = _full_window(columns)
    if kind == "all":
        return full_window
    steady = _steady_window(columns, latency, load)
    if isinstance(steady, str):
        return Window("all", full_window.start, full_window.end, steady)
    return steady


def _full_window(columns: RequestColumns) -> Window:
    """Return the window from the start of the first measured request to the end of the last."""
    start_times = columns.start_times[columns.in_measure_phase]
    done = columns["done"][columns.in_measure_phase]
    if np.isnan(start_times).all():
        return Window("all", 0.0, 0.0)
    start = float(np.nanmin(start_times))
    end = float(np.nanmax(done)) if not np.isnan(done).all() else find_last_time(columns)
    return Window("all", start, max(start, end))


def _steady_window(columns: RequestColumns, latency: Floats, load: Load) -> Window | str:
    """Return the steady window, or the reason why there is none."""
    rows = columns.in_measure_phase & ~np.isnan(latency)
    if not rows.any():
        return "no request of the measured phase succeeded"
    if not load.is_constant:
        return "the load has no constant rate"
    latency_p99 = float(np.percentile(latency[rows], 99))
    start, end = _steady_bounds(columns, load, latency_p99)
    window = Window("steady", start, end)
    if window.length < MIN_LATENCIES_PER_WINDOW * latency_p99:
        return (
            f"the load was steady for {window.length:.3g} s,"
            f" less than {MIN_LATENCIES_PER_WINDOW} times the 99th percentile of latency ({latency_p99:.3g} s)"
        )
    succeeded = int((columns.ok & window.contains(columns["done"])).sum())
    concurrency = load.users or max(1.0, count_in_flight(columns).mean(window.start, window.end) or 0.0)
    if succeeded < MIN_REQUESTS_PER_USER * concurrency:
        unit = "users" if load.users else "requests in flight"
        return (
            f"{succeeded} requests succeeded while the load was steady,"
            f" fewer than {MIN_REQUESTS_PER_USER} for each of {concurrency:.3g} {unit}"
        )
    return window


def _steady_bounds(columns: RequestColumns, load: Load, latency_p99: float) -> tuple[float, float]:
    """Return the span in which the load was at its full level, between the warm-up and the last start."""
    start_times = columns.start_times[columns.in_measure_phase]
    last = float(np.nanmax(start_times))
    # Requests that start together also end together, so the first latency after the start is not steady.
    first_latency_end = float(np.nanmin(columns.start_times)) + latency_p99
    first = min(last, max(float(np.nanmin(start_times)), first_latency_end))
    if load.users:
        return count_active_users(columns).longest_span_above(MIN_ACTIVE_USER_SHARE * load.users, first, last)
    return first, last


def count_active_users(columns: RequestColumns) -> CountOverTime:
    """Count users between their first request and their last answer; a user who thinks is active."""
    users = columns["user"]
    rows = ~np.isnan(users) & ~np.isnan(columns["sent"])
    if not rows.any():
        return count_in_flight(columns)
    distinct_users, indices = np.unique(users[rows], return_inverse=True)
    starts, ends = np.full(len(distinct_users), np.inf), np.full(len(distinct_users), -np.inf)
    np.minimum.at(starts, indices, columns["sent"][rows])
    np.maximum.at(ends, indices, fill_missing_ends(columns)[rows])
    return CountOverTime.from_spans(starts, ends)


def compute_offered_rate(columns: RequestColumns, rows: Mask) -> float | None:
    """Return the planned requests per second."""
    return _rate_of_times(columns["due"][rows])


def compute_achieved_rate(columns: RequestColumns, rows: Mask) -> float | None:
    """Return the sent requests per second; only of requests with a due time, if there are any."""
    planned = rows & ~np.isnan(columns["due"])
    return _rate_of_times(columns["sent"][planned if planned.any() else rows])


def _rate_of_times(times: Floats) -> float | None:
    defined = times[~np.isnan(times)]
    span = float(np.ptp(defined)) if len(defined) else 0.0
    return (len(defined) - 1) / span if span > 0 else None


# --- cumulative requests, tokens and seconds of audio ---------------------------------------


def compute_cumulative_amounts(columns: RequestColumns) -> dict[str, CumulativeAmount | None]:
    """Accumulate over successful requests of all phases, by the names of `RUN_DEFINITIONS`; None if unknown."""
    ok = columns.ok
    return {
        "req_s": accumulate_at(columns["done"][ok], np.ones(int(ok.sum()))),
        "tok_out_s": _accumulate_by_chunk(columns, "output_tokens"),
        "tok_in_s": _accumulate_evenly(columns, "input_tokens") if all_known(columns["input_tokens"][ok]) else None,
        "chars_out_s": _accumulate_by_chunk(columns, "output_chars"),
        "audio_in_x": _accumulate_evenly(columns, "audio_seconds"),
        "audio_out_x": _accumulate_audio_out(columns),
    }


def all_known(values: Floats) -> bool:
    """Return whether no value is missing; a sum with unknown parts would be too small."""
    return len(values) > 0 and not bool(np.isnan(values).any())


def accumulate_at(times: Floats, amounts: Floats) -> CumulativeAmount:
    """Accumulate amounts that arrive whole, each at its time."""
    order = np.argsort(times)
    totals = np.concatenate([[0.0], np.cumsum(amounts[order])])
    ordered = times[order]
    return lambda query_times: totals[np.searchsorted(ordered, query_times, side="right")]


def _accumulate_evenly(columns: RequestColumns, name: str) -> CumulativeAmount | None:
    """Accumulate amounts that arrive evenly between sent and done."""
    rows = columns.ok & ~np.isnan(columns[name])
    if not rows.any():
        return None
    amounts, sent = columns[name][rows], columns["sent"][rows]
    spans = np.maximum(columns["done"][rows] - sent, 1e-9)

    def amount_by(times: Floats) -> Floats:
        return np.array([np.dot(amounts, np.clip((time - sent) / spans, 0.0, 1.0)) for time in times])

    return amount_by


def _accumulate_audio_out(columns: RequestColumns) -> CumulativeAmount | None:
    rows = np.repeat(columns.ok, columns.audio_chunk_times.counts)
    if not rows.any():
        return None
    return accumulate_at(columns.audio_chunk_times.flat[rows], columns.audio_chunk_seconds.flat[rows])


def _accumulate_by_chunk(columns: RequestColumns, name: str) -> CumulativeAmount | None:
    """Accumulate amounts that are spread evenly over the chunks of a stream; other responses arrive whole."""
    rows = np.flatnonzero(columns.ok)
    done, amounts = columns["done"][rows], columns[name][rows]
    if not all_known(amounts):
        return None
    streamed: Mask = columns.streamed[rows] & ~np.isnan(columns["first_token"][rows])
    first = np.where(streamed, columns["first_token"][rows], done)
    stream_seconds = columns.gaps.reduce_rows(np.add)[rows]
    last = np.where(streamed, first + np.nan_to_num(stream_seconds), done)
    finished = accumulate_at(last, amounts)

    def unfinished(time: float) -> float:
        """Return what was received by then of streams that are still open."""
        open_rows = np.flatnonzero((first <= time) & (time < last))
        shares = [_share_received(columns.gaps.get_row(rows[row]), time - first[row]) for row in open_rows]
        return float(np.dot(amounts[open_rows], shares)) if len(open_rows) else 0.0

    def amount_by(times: Floats) -> Floats:
        return np.asarray(finished(times) + np.array([unfinished(time) for time in times]))

    return amount_by


def _share_received(gaps: Floats, elapsed: float) -> float:
    """Return the share of chunks received within `elapsed` seconds of the first."""
    return (1 + int(np.searchsorted(np.cumsum(gaps), elapsed, side="right"))) / (1 + len(gaps))
