"""What pictures of a load point need, thinned: a few thousand numbers, however many requests.

course(columns) -> dict      JSON
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from auricle.perf.measures import compute_measures
from auricle.perf.request_columns import Floats, RequestColumns
from auricle.perf.windows import count_in_flight

MAX_BARS = 150
"""Requests drawn one by one."""
IN_FLIGHT_BINS = 300
MAX_RATE_BINS = 60
"""Stretches of time over which a rate is taken, at most."""
MIN_REQUESTS_PER_BIN = 10
"""Requests in such a stretch, on average, at least: fewer make a rate of noise."""
MIN_RATE_BINS = 5
"""Stretches all the same, or there is no course to see."""
MAX_DOTS = 500
QUANTILES = (*(at / 100 for at in range(100)), 0.992, 0.995, 0.998, 0.999, 1.0)
DISTRIBUTION_MEASURES = ("latency_s", "sched_latency_s", "ttft_s", "ttfa_s", "underrun_max_s", "min_prebuffer_s")


def build_chart_data(columns: RequestColumns) -> dict[str, Any]:
    """Requests one by one, rates, how many were in flight, how measures are spread."""
    values = compute_measures(columns)
    rows = columns.in_measure_phase & columns.ok
    return {
        "bars": _build_bars(columns),
        "rates": _bin_rates(columns),
        "in_flight": _bin_in_flight(columns),
        "spread": {name: _compute_quantiles(values[name][rows]) for name in DISTRIBUTION_MEASURES},
        "rtfx": _thin_dots(columns["audio_seconds"][rows], values["rtfx_request"][rows]),
    }


def _build_bars(columns: RequestColumns) -> list[list[Any]]:
    """When it was due or sent, sent, first said something, ended, and how; evenly chosen."""
    order = np.argsort(columns.start_times, kind="stable")
    order = order[~np.isnan(columns.start_times[order])]
    chosen = order[np.unique(np.linspace(0, len(order) - 1, MAX_BARS).astype(int))] if len(order) else order
    status = columns.categorical["status"]
    last = np.where(np.isnan(columns["last_content"]), columns["done"], columns["last_content"])
    times = (columns.start_times, columns["sent"], columns["first_token"], last)
    return [
        [*(_none_if_nan(each[row]) for each in times), status.categories[status.codes[row]]] for row in chosen.tolist()
    ]


def _none_if_nan(value: float) -> float | None:
    return None if math.isnan(value) else round(float(value), 4)


def _bin_rates(columns: RequestColumns) -> dict[str, Any]:
    """Requests a second that were due, sent, and done well, stretch by stretch."""
    ended = np.where(columns.ok, columns["done"], np.nan)
    found = {"due": columns["due"], "sent": columns["sent"], "done": ended}
    known = {name: times[~np.isnan(times)] for name, times in found.items()}
    end = max((float(times.max()) for times in known.values() if len(times)), default=0.0)
    if end <= 0:
        return {"width_s": None, **{name: [] for name in known}}
    some = max(map(len, known.values())) / MIN_REQUESTS_PER_BIN
    width = _round_up(end / min(MAX_RATE_BINS, max(MIN_RATE_BINS, some)))
    edges = np.arange(max(1, math.floor(end / width)) + 1) * width  # a part of one says too little
    told = {name: np.histogram(times, edges)[0] / width for name, times in known.items()}
    return {"width_s": width, **{name: _to_rounded_list(each) for name, each in told.items()}}


def _round_up(value: float) -> float:
    """A round number that is not less."""
    size = 10.0 ** math.floor(math.log10(value))
    return next(size * times for times in (1.0, 2.0, 5.0, 10.0) if size * times >= value * 0.999)


def _bin_in_flight(columns: RequestColumns) -> dict[str, Any]:
    """The most that were in flight, stretch by stretch: thinning must not hide a peak."""
    found = count_in_flight(columns)
    if not len(found.times):
        return {"width_s": None, "most": []}
    end = float(found.times[-1])
    edges = np.linspace(0.0, end, IN_FLIGHT_BINS + 1)
    before = np.searchsorted(found.times, edges, side="right") - 1
    counts = np.append(found.counts, 0.0)
    most = [
        float(counts[max(first, 0) : last + 1].max(initial=0.0)) if last >= 0 else 0.0
        for first, last in zip(before[:-1].tolist(), before[1:].tolist(), strict=True)
    ]
    return {"width_s": end / IN_FLIGHT_BINS, "most": _to_rounded_list(np.array(most))}


def _compute_quantiles(values: Floats) -> list[float]:
    """The values below which shares of all lie, as `SHARES` has them; none if there is none."""
    known = values[~np.isnan(values)]
    return _to_rounded_list(np.quantile(known, QUANTILES)) if len(known) else []


def _thin_dots(x_values: Floats, y_values: Floats) -> list[list[float]]:
    known = np.flatnonzero(~np.isnan(x_values) & ~np.isnan(y_values))
    chosen = known[np.unique(np.linspace(0, len(known) - 1, MAX_DOTS).astype(int))] if len(known) else known
    return [_to_rounded_list(pair) for pair in np.stack([x_values[chosen], y_values[chosen]], axis=1)]


def _to_rounded_list(values: Floats) -> list[float]:
    return [float(f"{each:.5g}") for each in values]
