"""Tests of two groups of different samples."""

import math

import numpy as np
import pytest
from scipy.stats import ttest_ind

from auricle.metrics.base import MeanAggregator, mean, ratio
from auricle.metrics.intervals import compare_paired
from auricle.metrics.unpaired import compare_unpaired
from auricle.tasks.labels.metrics import uar


def test_shares_are_compared_by_the_method_of_agresti_and_caffo() -> None:
    difference = compare_unpaired([1.0] * 48 + [0.0] * 32, [1.0] * 56 + [0.0] * 14, mean)
    shares = 49 / 82, 57 / 72
    error = math.sqrt(shares[0] * (1 - shares[0]) / 82 + shares[1] * (1 - shares[1]) / 72)
    delta = shares[1] - shares[0]
    assert (difference.low, difference.high) == pytest.approx((delta - 1.959964 * error, delta + 1.959964 * error))
    assert difference.p == pytest.approx(math.erfc(delta / error / math.sqrt(2)))
    assert difference.detectable == pytest.approx(2.801585218 * error)
    assert difference.difference == pytest.approx(0.2)
    assert (difference.n, difference.units, difference.method) == (150, 70, "agresti-caffo")


def test_equal_groups_have_an_interval_around_zero() -> None:
    difference = compare_unpaired([1.0] * 12, [1.0] * 12, mean)
    assert (difference.difference, difference.p) == (0.0, 1.0)
    assert difference.low < 0 < difference.high
    rates = compare_unpaired([(0, 10)] * 20, [(0, 10)] * 20, ratio)
    assert (rates.difference, rates.p) == (0.0, 1.0)
    assert rates.low < 0 < rates.high


def test_equal_ratings_of_one_group_or_both_are_not_certain() -> None:
    rating = MeanAggregator(limits=(1.0, 5.0))
    both = compare_unpaired([5.0] * 10, [5.0] * 12, rating)
    assert both.low < -1 < 1 < both.high
    assert (both.p, both.method) == (1.0, "no-variance")
    one = compare_unpaired([5.0] * 10, [4.0, 5.0] * 6, rating)
    assert one.low < -1
    assert one.method == "welch-t"


def test_means_agree_with_welch_s_test() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=90), rng.normal(0.4, 2.0, size=60)
    difference = compare_unpaired(a, b, mean)
    welch = ttest_ind(b, a, equal_var=False)
    assert difference.p == pytest.approx(welch.pvalue)
    ends = welch.confidence_interval()
    assert (difference.low, difference.high) == pytest.approx((ends.low, ends.high))


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


def test_clusters_are_the_independent_units() -> None:
    rng = np.random.default_rng(6)
    speakers = np.repeat(np.arange(12), 10)
    a, b = (np.repeat(rng.normal(size=12), 10) + rng.normal(0, 0.1, size=120) for _ in range(2))
    plain, clustered = compare_unpaired(a, b, mean), compare_unpaired(a, b, mean, (speakers, speakers))
    assert clustered.method == "cluster-welch-t"
    assert clustered.high - clustered.low > 2 * (plain.high - plain.low)


@pytest.mark.parametrize(("a", "b"), [([], [1.0]), ([1.0], []), ([math.nan], [1.0, 2.0])])
def test_groups_without_a_value_have_no_interval(a: list[float], b: list[float]) -> None:
    difference = compare_unpaired(a, b, mean)
    assert difference.method == "none"
    assert math.isnan(difference.p)


def test_a_single_value_that_is_not_a_share_has_no_interval() -> None:
    difference = compare_unpaired([0.5], [1.5, 2.5], mean)
    assert (difference.value_a, difference.value_b) == (0.5, 2.0)
    assert math.isnan(difference.low)
    assert (difference.method, difference.n) == ("welch-t", 3)
    assert all(map(math.isnan, (difference.high, difference.p, difference.detectable)))


def test_an_undefined_number_on_either_side_has_no_interval() -> None:
    defined, undefined = np.array([[1.0, 2.0], [1.0, 4.0], [0.0, 1.0]]), np.zeros((2, 2))
    for a, b in ((defined, undefined), (undefined, defined), (undefined, undefined)):
        difference = compare_unpaired(a, b, ratio)
        assert (difference.method, difference.n) == ("none", len(a) + len(b))
        assert all(map(math.isnan, (difference.difference, difference.low, difference.high, difference.p)))


def test_shares_with_clusters_on_one_side_are_compared_by_welch_s_t() -> None:
    clusters = np.array([0, 0, 1, 1, 2, 2])
    hits = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    for sides in ((clusters, None), (None, clusters)):
        difference = compare_unpaired(hits, [1.0, 1.0, 1.0, 1.0, 0.0, 1.0], mean, sides)
        assert (difference.method, difference.n) == ("cluster-welch-t", 12)
    single = compare_unpaired(hits, [1.0, 0.0], mean, (np.zeros(6, dtype=np.int64), None))
    assert (single.method, single.n) == ("cluster-welch-t", 8)
    assert math.isnan(single.p)


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
        pytest.approx((-0.7150112096, 0.5113027835, 0.7391224575, 0.8714973290)),
        pytest.approx((-0.6600407991, 0.4563323731, 0.7086653772, 0.7891369928)),
        pytest.approx((-1.0552558494, 0.6571553448, 0.6321177620, 1.2083996764)),
        pytest.approx((-0.8039462609, 0.4058457563, 0.4362144115, 0.8212782901)),
    ]
