"""Metrics: a statistic for each sample and an aggregate over all of them."""

from auricle.metrics.base import Metric, SumAggregator, mean, metric, ratio
from auricle.metrics.intervals import Difference, Interval, compare_paired, compute_interval
from auricle.metrics.multi_answer import aggregate_answers

__all__ = [
    "Difference",
    "Interval",
    "Metric",
    "SumAggregator",
    "aggregate_answers",
    "compare_paired",
    "compute_interval",
    "mean",
    "metric",
    "ratio",
]
