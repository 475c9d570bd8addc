"""Values and counts of calls, pooled."""

import math

import numpy as np
import pytest

from auricle import Sample
from auricle.metrics.pooling import PooledQuantile, count_metric, value_metric
from tests.tasks.calls.metrics.recordings import record

SAMPLE = Sample(id="1", inputs={})


def test_a_quantile_is_that_of_all_values_in_all_groups() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=40)
    stats = [((*values[start : start + 5],), (*values[start + 5 : start + 10],)) for start in range(0, 40, 10)]
    assert PooledQuantile(0.9, ("a", "b"))(stats) == pytest.approx(np.percentile(values, 90))


def test_no_values_have_no_quantile() -> None:
    assert math.isnan(PooledQuantile(0.5)([((),)]))


def test_details_name_the_groups_that_have_values() -> None:
    median = PooledQuantile(0.5, ("a", "b"), limits=(0.0,))
    details = median.details([((0.5, -1.5), ())])
    assert (details["negative"], details["above_0"]) == (1, 0.5)
    assert details["a"]["p50"] == -0.5
    assert "b" not in details


def test_calls_without_values_or_with_an_empty_denominator_are_not_scored() -> None:
    values = value_metric("v", "V", lambda sample, recording: [[]])
    counts = count_metric("c", "C", lambda sample, recording: (0, 0), ("a", "b"))
    assert values.score(SAMPLE, record()) is None
    assert counts.score(SAMPLE, record()) is None


def test_counts_are_pooled_not_averaged_over_calls() -> None:
    metric = count_metric("c", "C", lambda sample, recording: (1, 2, 0.25), ("hits", "events", "seconds"))
    assert metric.aggregate([(1, 1, 0.25), (1, 9, 0.0)]) == pytest.approx(0.2)
    assert metric.details([(1, 1, 0.25), (1, 9, 0.0)]) == {"hits": 2, "events": 10, "seconds": 0.25}
