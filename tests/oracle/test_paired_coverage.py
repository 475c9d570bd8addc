"""Do the intervals of a difference hold the truth as often as they say? By simulation."""

from typing import Any

import numpy as np
import pytest

from auricle.metrics.base import mean, ratio
from auricle.metrics.statistics import compare_paired


@pytest.fixture
def dice() -> Any:
    return np.random.default_rng(20)


def test_intervals_of_a_pooled_rate_cover_the_true_difference(dice: Any) -> None:
    covered = found_by_chance = 0
    for _ in range(200):
        lengths = dice.integers(1, 30, 150)
        hard = dice.beta(2, 8, 150)  # some utterances are hard for both
        a, b = (np.column_stack([dice.binomial(lengths, hard), lengths]) for _ in range(2))
        found = compare_paired(a.astype(float), b.astype(float), ratio)
        covered += found.low <= 0 <= found.high
        found_by_chance += found.p < 0.05
    assert 180 <= covered <= 199
    assert found_by_chance <= 20


def test_intervals_of_a_share_cover_the_true_difference(dice: Any) -> None:
    covered = 0
    for _ in range(1000):
        luck = dice.uniform(size=120)
        a = (luck < 0.7).astype(float)
        b = np.where(dice.uniform(size=120) < 0.8, luck < 0.7, dice.uniform(size=120) < 0.9)
        truth = 0.2 * (0.9 - 0.7)
        found = compare_paired(a, b.astype(float), mean)
        covered += found.low <= truth <= found.high
    assert 935 <= covered <= 985


def test_what_is_called_detectable_is_detected_four_times_out_of_five(dice: Any) -> None:
    size = compare_paired(dice.normal(size=200), dice.normal(size=200), mean).detectable
    seen = 0
    for _ in range(200):
        found = compare_paired(dice.normal(size=200), dice.normal(size=200) + size, mean)
        seen += found.p < 0.05
    assert 140 <= seen <= 180
