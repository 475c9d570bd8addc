"""Descriptive statistics of the measures of requests."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from auricle.perf.request_records import Floats
from auricle.runs.perf_files import MeasureStatistics

PERCENTILES = (1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9)

METHOD = {
    "percentiles": "linear interpolation at rank 1 + p (n - 1); nearest-rank would take the value"
    " at rank ceil(p n) instead",
    "percentiles_need": "n >= 1 / min(p, 1 - p), else null: 100 for p99, 1000 for p99.9",
    "std": "sample standard deviation: divided by n - 1",
    "intervals": "95 %, batch means with Student's t, widened by the correlation of neighbouring batches; null, with a"
    " reason in no_interval, where the window does not carry one",
}


def format_percentile(percent: float) -> str:
    """Return the name of a percentile, such as `p50` or `p99.9`; at least two digits, so that names sort."""
    return f"p{percent:04.1f}" if percent % 1 else f"p{percent:02.0f}"


def min_values_for_percentile(percent: float) -> int:
    """Return how many values a percentile needs for one value to be beyond it."""
    tail = min(percent, 100 - percent)
    return 1 if percent == 50 else math.ceil(100 / tail - 1e-9)


def describe_values(values: Floats) -> MeasureStatistics:
    """Compute count, mean, deviation, extremes and percentiles of the defined values; None where n is too small."""
    defined = values[~np.isnan(values)]
    if not (n := len(defined)):
        return MeasureStatistics(undefined=len(values))
    percentiles: dict[str, Any] = {}
    withheld = {}
    for percent, value in zip(PERCENTILES, np.percentile(defined, PERCENTILES).tolist(), strict=True):
        name, needed = format_percentile(percent), min_values_for_percentile(percent)
        if n >= needed:
            percentiles[name.replace(".", "_")] = value
        else:
            withheld[name] = f"n = {n}, needs {needed}"
    return MeasureStatistics(
        n=n,
        undefined=len(values) - n,
        mean=float(defined.mean()),
        std=float(defined.std(ddof=1)) if n > 1 else None,
        min=float(defined.min()),
        max=float(defined.max()),
        withheld=withheld,
        **percentiles,
    )
