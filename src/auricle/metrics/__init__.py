"""Metrics: a statistic for each sample and an aggregate over all of them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from auricle.metrics.base import Metric, RatioAggregator, SumAggregator, mean, metric, ratio
from auricle.metrics.multi_answer import aggregate_answers

if TYPE_CHECKING:
    from auricle.metrics.intervals import Difference, Interval, compare_paired, compute_interval

__all__ = [
    "Difference",
    "Interval",
    "Metric",
    "RatioAggregator",
    "SumAggregator",
    "aggregate_answers",
    "compare_paired",
    "compute_interval",
    "mean",
    "metric",
    "ratio",
]


def __getattr__(name: str) -> Any:
    """Import `intervals`, which loads numpy, when one of its names is first used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("auricle.metrics.intervals"), name)
