"""Intervals: right in known cases, the same every time, and quick by construction."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from auricle.metrics.base import mean, ratio
from auricle.metrics.labels import uar
from auricle.metrics.statistics import compute_interval, wilson_interval


def test_a_share_has_wilsons_interval() -> None:
    stats = np.array([1.0] * 7 + [0.0] * 3)
    expected = binomtest(7, 10).proportion_ci(method="wilson")
    found = compute_interval(stats, mean)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.method == "wilson"


def test_a_perfect_score_on_few_samples_is_not_certain() -> None:
    low, high = wilson_interval(12, 12)
    assert low < 0.8
    assert high == 1.0


def test_a_mean_has_about_the_normal_interval() -> None:
    numbers = np.random.default_rng(1).normal(5.0, 2.0, 400)
    found = compute_interval(numbers, mean)
    half = 1.96 * 2.0 / 20
    assert found.low == pytest.approx(numbers.mean() - half, abs=0.05)
    assert found.high == pytest.approx(numbers.mean() + half, abs=0.05)


def test_resampling_kinds_is_resampling_samples() -> None:
    """Few distinct stats are drawn as counts, many one by one: the interval is the same."""
    dice = np.random.default_rng(2)
    few = np.column_stack([dice.integers(0, 3, 4000), np.full(4000, 10)]).astype(float)
    many = few + np.column_stack([dice.uniform(0, 1e-9, 4000), np.zeros(4000)])
    first, second = compute_interval(few, ratio), compute_interval(many, ratio)
    width = first.high - first.low
    assert first.low == pytest.approx(second.low, abs=0.1 * width)
    assert first.high == pytest.approx(second.high, abs=0.1 * width)


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    dice = np.random.default_rng(3)
    hits = 0
    for _ in range(200):
        lengths = dice.integers(1, 30, 150)
        wrong = dice.binomial(lengths, 0.2)
        found = compute_interval(np.column_stack([wrong, lengths]).astype(float), ratio)
        hits += found.low <= 0.2 <= found.high
    assert 180 <= hits <= 199


def test_clusters_widen_an_interval() -> None:
    dice = np.random.default_rng(4)
    speaker = np.repeat(np.arange(20), 30)
    stats = (dice.random(600) < dice.uniform(0.2, 0.9, 20)[speaker]).astype(float)
    alone, clustered = (compute_interval(stats, mean), compute_interval(stats, mean, clusters=speaker))
    assert clustered.high - clustered.low > 2 * (alone.high - alone.low)
    assert clustered.method == "cluster-bootstrap:1000"


def test_one_sample_tells_nothing_about_spread() -> None:
    found = compute_interval(np.array([0.5]), mean)
    assert math.isnan(found.low)
    assert math.isnan(found.high)


def test_a_fold_that_cannot_weigh_is_resampled_too() -> None:
    def median(stats: Any) -> Any:
        return sorted(stats)[len(stats) // 2]

    found = compute_interval([float(each) for each in range(101)], median)
    assert 35 < found.low < 50 < found.high < 65


def test_label_pairs_are_resampled_as_pairs() -> None:
    pairs = [("a", "a")] * 40 + [("b", "a")] * 10 + [("b", "b")] * 30 + [("a", "b")] * 20
    found = compute_interval(pairs, uar.aggregate)
    assert uar.aggregate(pairs) == pytest.approx(0.7)
    assert found.low < 0.7 < found.high


def test_the_same_stats_give_the_same_interval() -> None:
    stats = np.random.default_rng(5).random(50)
    assert compute_interval(stats, mean) == compute_interval(stats, mean)
