"""Compute the numbers of a load point by slices of time, to show how it changed while it ran."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from auricle.core.errors import SpecError
from auricle.perf.breakdowns import count_statuses
from auricle.perf.measures import compute_measures
from auricle.perf.percentiles import describe_values
from auricle.perf.request_records import Floats, RequestColumns
from auricle.perf.summary import round_floats
from auricle.perf.windows import compute_cumulative_amounts, count_in_flight
from auricle.runs.perf_files import BucketStatistics, LoadPointSummary, TimeSlice

SLICE_MEASURES = ("ttft_s", "latency_s", "sched_latency_s", "ttfa_s")
MIN_SLICE_SECONDS = 0.1
MIN_LAST_SLICE_SHARE = 0.25
"""Share of a slice below which the rest of the time is added to the slice before it."""
TITLES = ("from s", "to s", "requests", "failed", "req/s", "in flight", "TTFT p50", "TTFT p95", "latency p50", "p95")


def parse_slice(text: str) -> float:
    """Parse the length of slices: `10s` or `10`.

    Raises:
        SpecError: The text is not a number of seconds of at least 0.1.
    """
    try:
        seconds = float(text.removesuffix("s"))
    except ValueError:
        seconds = math.nan
    if not MIN_SLICE_SECONDS <= seconds < math.inf:
        raise SpecError(f"--slice must be at least {MIN_SLICE_SECONDS:g} seconds, such as 10s, not {text!r}.")
    return seconds


def add_slices(point: LoadPointSummary, columns: RequestColumns, seconds: float | None) -> LoadPointSummary:
    """Add the numbers of its slices to a load point, if a length of slices is set."""
    return replace(point, slices=round_floats(compute_slices(columns, seconds))) if seconds else point


def compute_slices(columns: RequestColumns, seconds: float) -> tuple[TimeSlice, ...]:
    """Cut the measured phase into slices, from its first request to its last response.

    A request belongs to the slice in which it was due, or sent in a closed loop; completions and tokens belong to the
    one in which they arrived. The last slice takes what is left: it is shorter, or up to a quarter longer.
    """
    start_times = columns.start_times[columns.in_measure_phase]
    if np.isnan(start_times).all():
        return ()
    first = float(np.nanmin(start_times))
    last = float(
        np.nanmax([np.nanmax(start_times), np.nanmax(columns["done"][columns.in_measure_phase], initial=first)])
    )
    whole_slices, rest = divmod((last - first) / seconds, 1)
    count = int(whole_slices) + (rest >= MIN_LAST_SLICE_SHARE or not whole_slices)
    edges = np.append(first + seconds * np.arange(count), last)
    return tuple(_compute_slices(columns, edges))


def _compute_slices(columns: RequestColumns, edges: Floats) -> Iterator[TimeSlice]:
    measures, amounts = compute_measures(columns), compute_cumulative_amounts(columns)
    in_flight, start_times = count_in_flight(columns), columns.start_times
    origin = edges[0]
    for start, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        is_last = end == edges[-1]
        rows = columns.in_measure_phase & (start_times >= start) & ((start_times < end) | is_last)
        counts = count_statuses(columns, rows)
        rates = {
            name: None
            if amount is None or end <= start
            else float(np.diff(amount(np.array([start, end])))[0]) / (end - start)
            for name, amount in amounts.items()
        }
        described = {name: describe_values(measures[name][rows & columns.ok]) for name in SLICE_MEASURES}
        yield TimeSlice(
            start_s=start - origin,
            end_s=end - origin,
            requests=counts.total,
            ok=counts.ok,
            failed=counts.failed,
            cancelled=counts.cancelled,
            in_flight_mean=in_flight.mean(start, end),
            rates=rates,
            measures={
                name: BucketStatistics(entry.n, entry.mean, entry.p50, entry.p95, entry.p99)
                for name, entry in described.items()
                if entry.n
            },
        )


def format_slices(points: Sequence[LoadPointSummary]) -> list[str]:
    """Format a table of slices for each load point that has any."""
    lines: list[str] = []
    for point in points:
        if not point.slices:
            continue
        rows = [TITLES, *map(_format_row, point.slices)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        cells = ("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
        lines += [f"\n{point.load} over time:", *cells]
    return lines


def _format_row(time_slice: TimeSlice) -> tuple[str, ...]:
    ttft, latency = (time_slice.measures.get(name) for name in ("ttft_s", "latency_s"))
    numbers = [
        time_slice.rates.get("req_s"),
        time_slice.in_flight_mean,
        *(value for entry in (ttft, latency) for value in ((entry.p50, entry.p95) if entry else (None, None))),
    ]
    counts = (
        f"{time_slice.start_s:g}",
        f"{time_slice.end_s:.4g}",
        f"{time_slice.requests:,}",
        f"{time_slice.failed:,}",
    )
    return (*counts, *("–" if number is None else f"{number:.3g}" for number in numbers))
