"""Tests of two groups of different samples."""

import math

import numpy as np
import pytest
from scipy.stats import fisher_exact, ttest_ind

from auricle.metrics.base import mean, ratio
from auricle.metrics.intervals import compare_paired, newcombe_interval
from auricle.metrics.labels import uar
from auricle.metrics.unpaired import compare_unpaired, fisher_p_value


@pytest.mark.parametrize(
    "table",
    [(8, 10, 1, 6), (48, 80, 56, 70), (0, 5, 5, 5), (3, 3, 4, 4), (1, 10, 2, 12), (0, 3, 0, 4), (700, 1000, 320, 500)],
)
def test_p_values_of_shares_are_those_of_fisher_s_exact_test(table: tuple[int, int, int, int]) -> None:
    hits_a, n_a, hits_b, n_b = table
    expected = fisher_exact([[hits_a, n_a - hits_a], [hits_b, n_b - hits_b]]).pvalue
    assert fisher_p_value(*table) == pytest.approx(expected, rel=1e-9)


def test_the_p_value_of_equal_shares_is_not_above_one() -> None:
    """Rounding errors of the probabilities would give a little more for some sizes."""
    p_values = [fisher_p_value(n // 2, n, n // 2, n) for n in range(2, 60, 2)]
    assert max(p_values) == 1.0
    assert min(p_values) == pytest.approx(1.0)


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
    assert (difference.method, difference.n) == ("unpaired-bootstrap", 3)
    assert all(map(math.isnan, (difference.high, difference.p, difference.detectable)))


def test_an_undefined_number_on_either_side_has_no_interval() -> None:
    defined, undefined = np.array([[1.0, 2.0], [1.0, 4.0], [0.0, 1.0]]), np.zeros((2, 2))
    for a, b in ((defined, undefined), (undefined, defined), (undefined, undefined)):
        difference = compare_unpaired(a, b, ratio)
        assert (difference.method, difference.n) == ("none", len(a) + len(b))
        assert all(map(math.isnan, (difference.difference, difference.low, difference.high, difference.p)))


def test_the_detectable_difference_of_shares_is_2_8_standard_errors() -> None:
    difference = compare_unpaired([1.0] * 48 + [0.0] * 32, [1.0] * 56 + [0.0] * 14, mean)
    error = math.sqrt(0.6 * 0.4 / 80 + 0.8 * 0.2 / 70)
    assert difference.detectable == pytest.approx(2.801585218 * error)
    assert difference.p == fisher_p_value(48, 80, 56, 70)
    assert (difference.value_a, difference.value_b) == (0.6, 0.8)
    assert math.isnan(compare_unpaired([1.0] * 5, [1.0] * 4, mean).detectable)


def test_shares_with_clusters_on_one_side_are_resampled() -> None:
    clusters = np.array([0, 0, 1, 1, 2, 2])
    hits = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    for sides in ((clusters, None), (None, clusters)):
        difference = compare_unpaired(hits, [1.0, 1.0, 1.0, 1.0, 0.0, 1.0], mean, sides)
        assert (difference.method, difference.n) == ("unpaired-cluster-bootstrap:1000", 12)
    single = compare_unpaired(hits, [1.0, 0.0], mean, (np.zeros(6, dtype=np.int64), None))
    assert (single.method, single.n) == ("unpaired-cluster-bootstrap", 8)
    assert math.isnan(single.p)


def test_few_clusters_cannot_give_a_small_p_value() -> None:
    clusters = np.repeat(np.arange(3), 10)
    a, b = np.linspace(0, 1, 30), np.linspace(9, 10, 30)
    assert compare_unpaired(a, b, mean, (clusters, clusters)).p == pytest.approx(2 / math.comb(6, 3))


def test_a_slow_aggregator_gets_fewer_rounds_for_both_sides_together() -> None:
    def middle(stats: list[float]) -> float:
        return sorted(stats)[len(stats) // 2]

    middle.cost = 500  # type: ignore[attr-defined]
    a, b = [float(number) for number in range(100)], [number + 0.5 for number in range(100)]
    assert compare_paired(a, b, middle).method == "paired-bootstrap:200"
    assert compare_unpaired(a, b, middle).method == "unpaired-bootstrap:200"
    assert compare_unpaired(a, b * 3, middle).method == "unpaired-bootstrap:100"


def test_differences_are_the_same_in_every_version() -> None:
    """Numbers of stored runs are computed again; a different draw would change published intervals."""
    rng = np.random.default_rng(11)
    a, b = rng.random((30, 2)), rng.random((20, 2))
    unpaired = compare_unpaired(a, b, ratio)
    clustered = compare_unpaired(a, b, ratio, (np.arange(30) % 5, None))
    paired = compare_paired(a[:20], b, ratio)
    paired_clusters = compare_paired(a[:20], b, ratio, np.arange(20) % 6)
    numbers = [
        (item.low, item.high, item.p, item.detectable) for item in (unpaired, clustered, paired, paired_clusters)
    ]
    assert numbers == [
        pytest.approx((-0.6483988996, 0.5256505985, 0.7152847153, 0.8246796157)),
        pytest.approx((-0.5319545916, 0.4599614280, 0.6413586414, 0.7126399885)),
        pytest.approx((-1.0305176510, 0.5702160369, 0.6333666334, 1.1745241949)),
        pytest.approx((-0.6180296916, 0.2303713503, 0.3636363636, 0.6061206107)),
    ]
