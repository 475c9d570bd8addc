"""95 % intervals of load tests, and the reasons why a number has none.

Requests that are close in time are correlated: a long queue delays them all. Means of consecutive requests (batches)
show how much, and the correlation of one batch with the next widens the interval of their mean. Neither helps if a
queue changes more slowly than the test lasts, which the requests in flight show: then there is no interval. All limits
were chosen by simulation (`bench/coverage_load.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from auricle.perf.load_patterns import Load
from auricle.perf.request_records import Floats, Ints, RequestColumns
from auricle.perf.windows import CountOverTime, CumulativeAmount, Window, fill_missing_ends
from auricle.runs.perf_files import MeasureStatistics, RunMeasure, StandardError

QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
"""Percentiles that have an interval, as the mean has."""
MIN_REQUESTS = 20
MIN_BATCHES, MAX_BATCHES, REQUESTS_PER_BATCH = 8, 32, 6
RATE_BATCHES = 10
MAX_CORRELATION, MIN_DEGREES = 0.95, 3.0
MIN_RETURNS = 14.1
"""How often the backlog must return to its mean: 5 % of random walks seem to do so more often (Dickey and Fuller)."""
MANY_RETURNS = 1000.0
"""Returns with which even a measure that follows the queue has an interval."""
MAX_QUEUE_SHARE = 0.25
"""Largest part of the variance, relative to that of independent requests, that the queue may add otherwise."""
ONE_SIDED_Z = 1.645
ROUNDING_ERROR = 1e-9
GROWING_QUEUE = "the queue was still growing, or changed too slowly to be judged,"
SLOW_QUEUE = "the measure may follow the queue, which changes too slowly"
"""Reasons why there is no interval, which notes repeat."""


@dataclass(frozen=True, slots=True)
class Batches:
    """Means of consecutive parts of a series, and how much one is like the next."""

    means: Floats
    correlation: float
    least_error: float = 0.0
    """Smallest error of the mean: a regular pattern is no evidence that nothing varies."""

    @classmethod
    def of(cls, series: Floats) -> Batches:
        count = min(MAX_BATCHES, max(MIN_BATCHES, len(series) // REQUESTS_PER_BATCH))
        edges = np.linspace(0, len(series), count + 1).astype(int)
        means = np.add.reduceat(series, edges[:-1]) / np.diff(edges)
        return cls(means, _correlate_neighbours(means), float(series.std()) / len(series))

    def error_of_mean(self, correlation: float) -> StandardError:
        """Return the error of the mean; each degree of freedom is a batch's worth of independent requests."""
        count = len(self.means)
        inflation = (1 + correlation) / (1 - correlation)
        error = float(self.means.std(ddof=1)) * math.sqrt(inflation / count)
        return StandardError(max(error, self.least_error), max(MIN_DEGREES, count / inflation - 1))


def _correlate_neighbours(means: Floats) -> float:
    """Return the correlation of neighbours, corrected for the bias of few batches; 0 rather than negative."""
    deviations = means - means.mean()
    squares = float(deviations @ deviations)
    if squares <= 0:
        return 0.0
    correlation = float(deviations[1:] @ deviations[:-1]) / squares
    return min(max(correlation + (1 + 4 * correlation) / len(means), 0.0), MAX_CORRELATION)


class IntervalEstimator:
    """Estimates intervals and standard errors from the requests of a window.

    Args:
        columns: The requests of the load point.
        window: The window that is measured.
        load: The load; users who wait for answers make no queue that can grow.
    """

    def __init__(self, columns: RequestColumns, window: Window, load: Load) -> None:
        self._columns, self._window, self._load = columns, window, load
        self._start_times = columns.start_times[window.select_requests(columns)]
        self._ranks: Ints = np.argsort(np.argsort(self._start_times, kind="stable"))

    @cached_property
    def _backlog(self) -> CountOverTime:
        """Requests due and not yet answered."""
        start_times = self._columns.start_times
        rows = ~np.isnan(start_times)
        return CountOverTime.from_spans(start_times[rows], fill_missing_ends(self._columns)[rows])

    @cached_property
    def _queue(self) -> Floats:
        """The backlog that each request of the window found, in the order of their start."""
        return self._backlog.before(np.sort(self._start_times))

    @cached_property
    def returns(self) -> float:
        """How often the backlog returned to its mean within the window.

        Its change from one moment to the next is regressed on its size, as Dickey and Fuller test for a random walk,
        which does not return.
        """
        if not self._load.has_schedule:
            return math.inf
        moments = np.linspace(self._start_times.min(), self._start_times.max(), len(self._start_times) + 1)
        counts = self._backlog.before(moments)
        deviations, changes = counts[:-1] - counts[:-1].mean(), np.diff(counts)
        squares = float(deviations @ deviations)
        return -len(changes) * float(deviations @ changes) / squares if squares > 0 else math.inf

    def _find_obstacle(self, requests: int) -> str:
        """Return why a measure that so many requests have can neither be given an interval nor be tested."""
        if requests < MIN_REQUESTS:
            return f"{requests} requests; {MIN_REQUESTS} are needed"
        if self._window.not_steady_reason and self._load.is_constant:
            return f"no steady window: {self._window.not_steady_reason}"
        if self.returns < MIN_RETURNS:
            return f"{GROWING_QUEUE} in a window of {self._window.length:.3g} s; measure longer, or with a lower load"
        return ""

    def _check_queue(self, series: Floats, requests: Ints, mean: float) -> str:
        """Return why a measure has no interval: it may follow a backlog that changes too slowly."""
        if self.returns >= MANY_RETURNS or series.std() <= ROUNDING_ERROR * abs(mean):
            return ""
        queue = self._queue[requests]
        covariance, spread = float(np.mean((queue - queue.mean()) * series)), float(queue.std() * series.std())
        z = abs(covariance / spread) * math.sqrt(len(series)) + ONE_SIDED_Z if spread else 0.0
        if 2 * z * z <= MAX_QUEUE_SHARE * self.returns:
            return ""
        seconds = self._window.length * MANY_RETURNS / self.returns
        return (
            f"{SLOW_QUEUE} for a window of {self._window.length:.3g} s;"
            f" measure for {seconds:,.0f} s, or with a lower load"
        )

    def add_intervals(
        self, statistics: MeasureStatistics, values: Floats, row_indices: Ints | None = None
    ) -> MeasureStatistics:
        """Add intervals and errors to the statistics of a measure, or the reasons why there are none.

        Args:
            statistics: Its statistics.
            values: One value per request of the window, or several; NaN where it is undefined.
            row_indices: The request that each value belongs to, if there are several per request.
        """
        rows = np.arange(len(values)) if row_indices is None else row_indices
        defined = ~np.isnan(values)
        if not defined.all():  # a copy of millions of values is avoided
            values, rows = values[defined], rows[defined]
        ranks = self._ranks[rows]
        sizes = np.bincount(ranks)
        requests = np.flatnonzero(sizes)
        if not len(values) or (reason := self._find_obstacle(len(requests))):
            reasons = dict.fromkeys(("mean", *QUANTILES), reason) if len(values) else {}
            return replace(statistics, intervals=dict.fromkeys(("mean", *QUANTILES)), no_interval=reasons)
        mean, per_value = float(values.mean()), len(requests) / len(values)
        series = np.asarray(np.bincount(ranks, values - mean)[requests], dtype=np.float64)
        batches = Batches.of(series)
        errors = {"mean": batches.error_of_mean(batches.correlation).times(per_value)}
        half = errors["mean"].half_width
        intervals: dict[str, tuple[float, float] | None] = {"mean": (mean - half, mean + half)}
        reasons = {}
        for name, share in QUANTILES.items():
            if (quantile := statistics[name]) is None:
                intervals[name], reasons[name] = None, statistics.withheld[name]
                continue
            counts = np.asarray(np.bincount(ranks, values <= quantile)[requests], dtype=np.float64)
            below = Batches.of(counts - counts.sum() / len(values) * sizes[requests])
            error = below.error_of_mean(max(below.correlation, batches.correlation)).times(per_value)
            intervals[name] = _find_quantiles(values, share, error.half_width)
            if intervals[name] is None:
                reasons[name] = f"too few independent requests beyond {name}; measure longer"
            if near := _find_quantiles(values, share, error.value):
                errors[name] = StandardError((near[1] - near[0]) / 2, error.degrees)
        if reason := self._check_queue(series, requests, mean):
            intervals, reasons = dict.fromkeys(intervals), dict.fromkeys(intervals, reason)
        return replace(statistics, intervals=intervals, errors=errors, no_interval=reasons)

    def estimate_rate(self, value: float, cumulative: CumulativeAmount) -> RunMeasure:
        """Return a rate with its interval; without one if there are too few requests."""
        requests = len(self._start_times)
        if requests < MIN_REQUESTS:
            return RunMeasure(value)
        edges = np.linspace(self._window.start, self._window.end, RATE_BATCHES + 1)
        means = np.diff(cumulative(edges)) / np.diff(edges)
        batches = Batches(means, _correlate_neighbours(means), abs(value) / requests)  # one request more or less
        error = batches.error_of_mean(batches.correlation)
        return RunMeasure(value, (max(0.0, value - error.half_width), value + error.half_width), error)


def _find_quantiles(values: Floats, share: float, distance: float) -> tuple[float, float] | None:
    """Return the quantiles at this distance below and above a share; None if one would be beyond all values."""
    if not 0 <= share - distance <= share + distance <= 1:
        return None
    low, high = np.quantile(values, [share - distance, share + distance]).tolist()
    return low, high
