"""Tests of two groups of different samples."""

import math

import numpy as np
import pytest
from scipy.stats import fisher_exact, ttest_ind

from auricle.metrics.base import mean
from auricle.metrics.intervals import compare_paired, newcombe_interval
from auricle.metrics.labels import uar
from auricle.metrics.unpaired import compare_unpaired, fisher_p_value


@pytest.mark.parametrize("table", [(8, 10, 1, 6), (48, 80, 56, 70), (0, 5, 5, 5), (3, 3, 4, 4), (700, 1000, 320, 500)])
def test_p_values_of_shares_are_those_of_fisher_s_exact_test(table: tuple[int, int, int, int]) -> None:
    hits_a, n_a, hits_b, n_b = table
    expected = fisher_exact([[hits_a, n_a - hits_a], [hits_b, n_b - hits_b]]).pvalue
    assert fisher_p_value(*table) == pytest.approx(expected, rel=1e-9)


def test_shares_get_newcombe_s_interval_and_the_sizes_of_both_groups() -> None:
    difference = compare_unpaired([1.0] * 48 + [0.0] * 32, [1.0] * 56 + [0.0] * 14, mean)
    assert (difference.low, difference.high) == newcombe_interval(48, 80, 56, 70)
    assert difference.difference == pytest.approx(0.2)
    assert (difference.n, difference.method) == (150, "fisher-exact")


def test_means_agree_with_welch_s_test() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=90), rng.normal(0.4, 2.0, size=60)
    difference = compare_unpaired(a, b, mean)
    welch = ttest_ind(b, a, equal_var=False)
    assert difference.p == pytest.approx(welch.pvalue, abs=0.03)
    ends = welch.confidence_interval()
    assert (difference.low, difference.high) == pytest.approx((ends.low, ends.high), abs=0.08)


def test_intervals_cover_the_true_difference_of_independent_groups() -> None:
    rng = np.random.default_rng(8)
    covered = sum(
        difference.low <= 0.5 <= difference.high
        for _ in range(100)
        for difference in [compare_unpaired(rng.normal(size=60), rng.normal(0.5, 1.0, size=40), mean)]
    )
    assert 89 <= covered <= 99


def test_pairs_are_more_precise_than_independent_groups_if_samples_differ_in_difficulty() -> None:
    rng = np.random.default_rng(5)
    difficulty = rng.normal(0, 5, size=80)
    a, b = difficulty + rng.normal(size=80), difficulty + 1 + rng.normal(size=80)
    paired, unpaired = compare_paired(a, b, mean), compare_unpaired(a, b, mean)
    assert paired.difference == pytest.approx(unpaired.difference)
    assert 3 * (paired.high - paired.low) < unpaired.high - unpaired.low


def test_any_aggregate_can_be_compared() -> None:
    human = [("sad", "sad"), ("sad", "angry")] * 30
    generated = [("sad", "sad"), ("angry", "angry")] * 20
    difference = compare_unpaired(human, generated, uar.aggregate)
    assert (difference.value_a, difference.value_b) == (0.5, 1.0)
    assert 0 < difference.low <= difference.high
    assert difference.p < 0.01


def test_whole_clusters_are_resampled() -> None:
    rng = np.random.default_rng(6)
    speakers = np.repeat(np.arange(12), 10)
    a, b = (np.repeat(rng.normal(size=12), 10) + rng.normal(0, 0.1, size=120) for _ in range(2))
    plain, clustered = compare_unpaired(a, b, mean), compare_unpaired(a, b, mean, (speakers, speakers))
    assert clustered.method == "unpaired-cluster-bootstrap:1000"
    assert clustered.high - clustered.low > 2 * (plain.high - plain.low)


def test_p_is_never_less_than_that_of_all_permutations() -> None:
    difference = compare_unpaired([0.0, 0.1], [9.0, 9.1, 9.2], mean)
    assert difference.p == pytest.approx(2 / math.comb(5, 2))


@pytest.mark.parametrize(("a", "b"), [([], [1.0]), ([1.0], []), ([math.nan], [1.0, 2.0])])
def test_groups_without_a_value_have_no_interval(a: list[float], b: list[float]) -> None:
    difference = compare_unpaired(a, b, mean)
    assert difference.method == "none"
    assert math.isnan(difference.p)


def test_a_single_value_that_is_not_a_share_has_no_interval() -> None:
    difference = compare_unpaired([0.5], [1.5, 2.5], mean)
    assert (difference.value_a, difference.value_b) == (0.5, 2.0)
    assert math.isnan(difference.low)
