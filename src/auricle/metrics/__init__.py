"""Metrics: a stat for each sample and a fold over them."""

from auricle.metrics.base import Metric, SumAggregator, mean, metric, ratio

__all__ = ["Metric", "SumAggregator", "mean", "metric", "ratio"]
