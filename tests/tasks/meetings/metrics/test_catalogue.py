"""The names of the metrics of meetings are those of the catalogue of metrics."""

from __future__ import annotations

from auricle.metrics.base import resolve_metrics
from auricle.tasks.meetings.metrics.catalogue import SPEAKER_METRICS, WORD_METRICS


def test_every_name_is_that_of_a_metric() -> None:
    for name in (*SPEAKER_METRICS, *WORD_METRICS):
        (metric,) = resolve_metrics(name)
        assert metric.name == name
