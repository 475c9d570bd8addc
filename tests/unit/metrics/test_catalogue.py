"""The catalogue of built-in metrics."""

import pytest

from auricle import Metric
from auricle.metrics.catalogue import _METRICS, METRICS


@pytest.mark.parametrize("name", _METRICS)
def test_every_metric_loads_under_its_name(name: str) -> None:
    metric = METRICS.get(name)
    assert isinstance(metric, Metric)
    assert metric.name == name


@pytest.mark.parametrize("name", _METRICS)
def test_every_metric_has_a_short_summary(name: str) -> None:
    summary = _METRICS[name].summary
    assert 10 < len(summary) < 65
    assert not summary.endswith(".")
