"""Metrics: a stat for each sample and a fold over them."""

from auricle.metrics.base import Metric, Sums, mean, metric, ratio

__all__ = ["Metric", "Sums", "mean", "metric", "ratio"]
