"""Reduce the requests of a load point to the few thousand numbers that its charts need."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from auricle.perf.request_columns import Floats, RequestColumns
from auricle.perf.request_measures import compute_measures
from auricle.perf.windows import count_in_flight

MAX_BARS = 150
"""Most requests in the timeline."""
IN_FLIGHT_BINS = 300
MAX_RATE_BINS = 60
"""Most time bins of a rate."""
MIN_REQUESTS_PER_BIN = 10
"""Mean number of requests per bin below which bins are made wider; smaller bins would show noise."""
MIN_RATE_BINS = 5
"""Fewest time bins of a rate, whatever the number of requests."""
MAX_DOTS = 500
QUANTILES = (*(at / 100 for at in range(100)), 0.992, 0.995, 0.998, 0.999, 1.0)
DISTRIBUTION_MEASURES = ("latency_s", "sched_latency_s", "ttft_s", "ttfa_s", "underrun_max_s", "min_prebuffer_s")


def build_chart_data(columns: RequestColumns) -> dict[str, Any]:
    """Build the data of all charts of a load point, as JSON types."""
    measures = compute_measures(columns)
    rows = columns.in_measure_phase & columns.ok
    return {
        "bars": _build_bars(columns),
        "rates": _bin_rates(columns),
        "in_flight": _bin_in_flight(columns),
        "spread": {name: _compute_quantiles(measures[name][rows]) for name in DISTRIBUTION_MEASURES},
        "rtfx": _thin_dots(columns["audio_seconds"][rows], measures["rtfx_request"][rows]),
    }


def _build_bars(columns: RequestColumns) -> list[list[Any]]:
    """Return start, sending, first token, end and status of evenly chosen requests."""
    order = np.argsort(columns.start_times, kind="stable")
    order = order[~np.isnan(columns.start_times[order])]
    chosen = order[np.unique(np.linspace(0, len(order) - 1, MAX_BARS).astype(int))] if len(order) else order
    status = columns.categorical["status"]
    last = np.where(np.isnan(columns["last_content"]), columns["done"], columns["last_content"])
    times = (columns.start_times, columns["sent"], columns["first_token"], last)
    return [
        [*(_none_if_nan(column[row]) for column in times), status.categories[status.codes[row]]]
        for row in chosen.tolist()
    ]


def _none_if_nan(value: float) -> float | None:
    return None if math.isnan(value) else round(float(value), 4)


def _bin_rates(columns: RequestColumns) -> dict[str, Any]:
    """Return the rates of due, sent and successful requests per time bin."""
    succeeded = np.where(columns.ok, columns["done"], np.nan)
    events = {"due": columns["due"], "sent": columns["sent"], "done": succeeded}
    times_by_name = {name: times[~np.isnan(times)] for name, times in events.items()}
    end = max((float(times.max()) for times in times_by_name.values() if len(times)), default=0.0)
    if end <= 0:
        return {"width_s": None, **{name: [] for name in times_by_name}}
    bins = max(map(len, times_by_name.values())) / MIN_REQUESTS_PER_BIN
    width = _round_up(end / min(MAX_RATE_BINS, max(MIN_RATE_BINS, bins)))
    edges = np.arange(max(1, math.floor(end / width)) + 1) * width  # an incomplete last bin would mislead
    rates = {name: np.histogram(times, edges)[0] / width for name, times in times_by_name.items()}
    return {"width_s": width, **{name: _to_rounded_list(values) for name, values in rates.items()}}


def _round_up(value: float) -> float:
    """Round up to 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * factor for factor in (1.0, 2.0, 5.0, 10.0) if power * factor >= value * 0.999)


def _bin_in_flight(columns: RequestColumns) -> dict[str, Any]:
    """Return the maximum number of requests in flight per time bin, so that no peak is hidden."""
    in_flight = count_in_flight(columns)
    if not len(in_flight.times):
        return {"width_s": None, "most": []}
    end = float(in_flight.times[-1])
    edges = np.linspace(0.0, end, IN_FLIGHT_BINS + 1)
    before = np.searchsorted(in_flight.times, edges, side="right") - 1
    counts = np.append(in_flight.counts, 0.0)
    maxima = [
        float(counts[max(first, 0) : last + 1].max(initial=0.0)) if last >= 0 else 0.0
        for first, last in zip(before[:-1].tolist(), before[1:].tolist(), strict=True)
    ]
    return {"width_s": end / IN_FLIGHT_BINS, "most": _to_rounded_list(np.array(maxima))}


def _compute_quantiles(values: Floats) -> list[float]:
    """Return the values at `QUANTILES`; an empty list if none is defined."""
    defined = values[~np.isnan(values)]
    return _to_rounded_list(np.quantile(defined, QUANTILES)) if len(defined) else []


def _thin_dots(x_values: Floats, y_values: Floats) -> list[list[float]]:
    defined = np.flatnonzero(~np.isnan(x_values) & ~np.isnan(y_values))
    chosen = defined[np.unique(np.linspace(0, len(defined) - 1, MAX_DOTS).astype(int))] if len(defined) else defined
    return [_to_rounded_list(pair) for pair in np.stack([x_values[chosen], y_values[chosen]], axis=1)]


def _to_rounded_list(values: Floats) -> list[float]:
    return [float(f"{value:.5g}") for value in values]
