"""Coverage and power of paired comparisons, by simulation."""

import numpy as np
import pytest

from auricle.metrics.base import mean, ratio
from auricle.metrics.intervals import compare_paired


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


def test_intervals_of_a_pooled_rate_cover_the_true_difference(rng: np.random.Generator) -> None:
    covered = false_positives = 0
    for _ in range(200):
        lengths = rng.integers(1, 30, 150)
        difficulty = rng.beta(2, 8, 150)  # some utterances are hard for both models
        a, b = (np.column_stack([rng.binomial(lengths, difficulty), lengths]) for _ in range(2))
        result = compare_paired(a.astype(float), b.astype(float), ratio)
        covered += result.low <= 0 <= result.high
        false_positives += result.p < 0.05
    assert 180 <= covered <= 199
    assert false_positives <= 20


def test_intervals_of_a_share_cover_the_true_difference(rng: np.random.Generator) -> None:
    covered = 0
    for _ in range(1000):
        uniform = rng.uniform(size=120)
        a = (uniform < 0.7).astype(float)
        b = np.where(rng.uniform(size=120) < 0.8, uniform < 0.7, rng.uniform(size=120) < 0.9)
        true_difference = 0.2 * (0.9 - 0.7)
        result = compare_paired(a, b.astype(float), mean)
        covered += result.low <= true_difference <= result.high
    assert 935 <= covered <= 985


def test_the_detectable_difference_is_detected_with_80_percent_power(rng: np.random.Generator) -> None:
    difference = compare_paired(rng.normal(size=200), rng.normal(size=200), mean).detectable
    detected = 0
    for _ in range(200):
        result = compare_paired(rng.normal(size=200), rng.normal(size=200) + difference, mean)
        detected += result.p < 0.05
    assert 140 <= detected <= 180
