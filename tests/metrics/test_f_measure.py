"""F1 of pooled counts, against precision and recall."""

import numpy as np
import pytest

from auricle.metrics.f_measure import PooledF1


def test_f1_is_the_harmonic_mean_of_pooled_precision_and_recall() -> None:
    rng = np.random.default_rng(1)
    stats = rng.integers(0, 5, (30, 1)) + np.column_stack([np.zeros(30), rng.integers(0, 5, (30, 2))])
    right, spoken, written = stats.sum(axis=0)
    precision, recall = right / written, right / spoken
    aggregate = PooledF1((0, 0), (1, 2))
    assert aggregate(stats) == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-12)
    each = aggregate.finish_each(stats.astype(np.float64))
    assert each == pytest.approx([aggregate([row]) for row in stats], nan_ok=True)


def test_f1_of_nothing_is_undefined() -> None:
    assert np.isnan(PooledF1((0, 0), (1, 2))([(0, 0, 0)]))
