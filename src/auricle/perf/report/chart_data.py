"""What pictures of a load point need, thinned: a few thousand numbers, however many requests.

course(columns) -> dict      JSON
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from auricle.perf.columns import Columns, Floats
from auricle.perf.measures import measures
from auricle.perf.windows import in_flight

BARS = 150
"""Requests drawn one by one."""
BINS = 300
RATES = 60
"""Stretches of time over which a rate is taken, at most."""
ENOUGH = 10
"""Requests in such a stretch, on average, at least: fewer make a rate of noise."""
FEWEST = 5
"""Stretches all the same, or there is no course to see."""
DOTS = 500
SHARES = (*(at / 100 for at in range(100)), 0.992, 0.995, 0.998, 0.999, 1.0)
SPREAD = ("latency_s", "sched_latency_s", "ttft_s", "ttfa_s", "underrun_max_s", "min_prebuffer_s")


def course(columns: Columns) -> dict[str, Any]:
    """Requests one by one, rates, how many were in flight, how measures are spread."""
    values = measures(columns)
    rows = columns.measured & columns.ok
    return {
        "bars": _bars(columns),
        "rates": _rates(columns),
        "in_flight": _in_flight(columns),
        "spread": {name: _spread(values[name][rows]) for name in SPREAD},
        "rtfx": _dots(columns["audio_seconds"][rows], values["rtfx_request"][rows]),
    }


def _bars(columns: Columns) -> list[list[Any]]:
    """When it was due or sent, sent, first said something, ended, and how; evenly chosen."""
    order = np.argsort(columns.began, kind="stable")
    order = order[~np.isnan(columns.began[order])]
    chosen = (
        order[np.unique(np.linspace(0, len(order) - 1, BARS).astype(int))] if len(order) else order
    )
    status = columns.words["status"]
    last = np.where(np.isnan(columns["last_content"]), columns["done"], columns["last_content"])
    times = (columns.began, columns["sent"], columns["first_token"], last)
    return [
        [*(_known(each[row]) for each in times), status.words[status.codes[row]]]
        for row in chosen.tolist()
    ]


def _known(value: float) -> float | None:
    return None if math.isnan(value) else round(float(value), 4)


def _rates(columns: Columns) -> dict[str, Any]:
    """Requests a second that were due, sent, and done well, stretch by stretch."""
    ended = np.where(columns.ok, columns["done"], np.nan)
    found = {"due": columns["due"], "sent": columns["sent"], "done": ended}
    known = {name: times[~np.isnan(times)] for name, times in found.items()}
    end = max((float(times.max()) for times in known.values() if len(times)), default=0.0)
    if end <= 0:
        return {"width_s": None, **{name: [] for name in known}}
    some = max(map(len, known.values())) / ENOUGH
    width = _round(end / min(RATES, max(FEWEST, some)))
    edges = np.arange(max(1, math.floor(end / width)) + 1) * width  # a part of one says too little
    told = {name: np.histogram(times, edges)[0] / width for name, times in known.items()}
    return {"width_s": width, **{name: _listed(each) for name, each in told.items()}}


def _round(least: float) -> float:
    """A round number that is not less."""
    size = 10.0 ** math.floor(math.log10(least))
    return next(size * times for times in (1.0, 2.0, 5.0, 10.0) if size * times >= least * 0.999)


def _in_flight(columns: Columns) -> dict[str, Any]:
    """The most that were in flight, stretch by stretch: thinning must not hide a peak."""
    found = in_flight(columns)
    if not len(found.times):
        return {"width_s": None, "most": []}
    end = float(found.times[-1])
    edges = np.linspace(0.0, end, BINS + 1)
    before = np.searchsorted(found.times, edges, side="right") - 1
    counts = np.append(found.counts, 0.0)
    most = [
        float(counts[max(first, 0) : last + 1].max(initial=0.0)) if last >= 0 else 0.0
        for first, last in zip(before[:-1].tolist(), before[1:].tolist(), strict=True)
    ]
    return {"width_s": end / BINS, "most": _listed(np.array(most))}


def _spread(values: Floats) -> list[float]:
    """The values below which shares of all lie, as `SHARES` has them; none if there is none."""
    known = values[~np.isnan(values)]
    return _listed(np.quantile(known, SHARES)) if len(known) else []


def _dots(across: Floats, up: Floats) -> list[list[float]]:
    known = np.flatnonzero(~np.isnan(across) & ~np.isnan(up))
    chosen = (
        known[np.unique(np.linspace(0, len(known) - 1, DOTS).astype(int))] if len(known) else known
    )
    return [_listed(pair) for pair in np.stack([across[chosen], up[chosen]], axis=1)]


def _listed(values: Floats) -> list[float]:
    return [float(f"{each:.5g}") for each in values]
