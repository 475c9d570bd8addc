"""Metrics: a statistic for each sample and an aggregate over all of them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from auricle.metrics.base import Metric, RatioAggregator, SumAggregator, mean, metric, ratio
from auricle.metrics.multi_answer import aggregate_answers

if TYPE_CHECKING:
    from auricle.metrics.intervals import Difference, Interval, compare_paired, compute_interval
    from auricle.metrics.measurement import Measurement, accuracy, bleu, cer, macro_f1, measure, uar, wer

_INTERVAL_NAMES = ("Difference", "Interval", "compare_paired", "compute_interval")

__all__ = [
    "Difference",
    "Interval",
    "Measurement",
    "Metric",
    "RatioAggregator",
    "SumAggregator",
    "accuracy",
    "aggregate_answers",
    "bleu",
    "cer",
    "compare_paired",
    "compute_interval",
    "macro_f1",
    "mean",
    "measure",
    "metric",
    "ratio",
    "uar",
    "wer",
]


def __getattr__(name: str) -> Any:
    """Import the modules that load numpy when one of their names is first used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "intervals" if name in _INTERVAL_NAMES else "measurement"
    return getattr(import_module(f"auricle.metrics.{module}"), name)
