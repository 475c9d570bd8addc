"""Intervals and paired differences: known cases, coverage, and reproducibility."""

import math
from collections.abc import Sequence
from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest, norm

from auricle.metrics import intervals
from auricle.metrics.base import mean, ratio
from auricle.metrics.error_rates import exact_match
from auricle.metrics.intervals import (
    Difference,
    adjust_holm,
    choose_rounds,
    compare_paired,
    compute_interval,
    difference_from_draws,
    draw_by_cluster,
    draw_by_count,
    mcnemar_p_value,
    newcombe_interval,
    wilson_interval,
)
from auricle.metrics.labels import uar
from auricle.metrics.multi_answer import aggregate_answers

Array = NDArray[np.float64]


def hits(*flags: int) -> Array:
    return np.array(flags, dtype=float)


def rates(rng: np.random.Generator, lengths: NDArray[np.int64], share: float) -> Array:
    return np.column_stack([rng.binomial(lengths, share), lengths]).astype(float)


# --- intervals --------------------------------------------------------------------------


def test_a_share_has_wilson_s_interval() -> None:
    stats = np.array([1.0] * 7 + [0.0] * 3)
    expected = binomtest(7, 10).proportion_ci(method="wilson")
    result = compute_interval(stats, mean)
    assert (result.low, result.high) == pytest.approx((expected.low, expected.high))
    assert result.method == "wilson"


def test_a_perfect_score_on_few_samples_is_not_certain() -> None:
    low, high = wilson_interval(12, 12)
    assert low < 0.8
    assert high == 1.0


def test_shares_stay_between_zero_and_one() -> None:
    """Rounding errors would exceed the limits for some numbers of samples."""
    for count in range(1, 400):
        assert wilson_interval(count, count)[1] <= 1.0
        assert wilson_interval(0, count)[0] >= 0.0


def test_a_mean_has_about_the_normal_interval() -> None:
    numbers = np.random.default_rng(1).normal(5.0, 2.0, 400)
    result = compute_interval(numbers, mean)
    half = 1.96 * 2.0 / 20
    assert result.low == pytest.approx(numbers.mean() - half, abs=0.05)
    assert result.high == pytest.approx(numbers.mean() + half, abs=0.05)


def test_resampling_distinct_statistics_equals_resampling_samples() -> None:
    """Few distinct statistics are drawn as counts, many one by one."""
    rng = np.random.default_rng(2)
    few = np.column_stack([rng.integers(0, 3, 4000), np.full(4000, 10)]).astype(float)
    many = few + np.column_stack([rng.uniform(0, 1e-9, 4000), np.zeros(4000)])
    first, second = compute_interval(few, ratio), compute_interval(many, ratio)
    width = first.high - first.low
    assert first.low == pytest.approx(second.low, abs=0.1 * width)
    assert first.high == pytest.approx(second.high, abs=0.1 * width)


@pytest.mark.slow
def test_intervals_cover_the_true_value_in_95_percent() -> None:
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(200):
        lengths = rng.integers(1, 30, 150)
        errors = rng.binomial(lengths, 0.2)
        result = compute_interval(np.column_stack([errors, lengths]).astype(float), ratio)
        hits += result.low <= 0.2 <= result.high
    assert 180 <= hits <= 199


def test_clusters_widen_an_interval() -> None:
    rng = np.random.default_rng(4)
    speaker = np.repeat(np.arange(20), 30)
    stats = (rng.random(600) < rng.uniform(0.2, 0.9, 20)[speaker]).astype(float)
    independent, clustered = (compute_interval(stats, mean), compute_interval(stats, mean, clusters=speaker))
    assert clustered.high - clustered.low > 2 * (independent.high - independent.low)
    assert clustered.method == "cluster-bootstrap:1000"


def test_one_sample_has_no_interval() -> None:
    result = compute_interval(np.array([0.5]), mean)
    assert math.isnan(result.low)
    assert math.isnan(result.high)


def test_an_aggregator_without_weights_is_resampled() -> None:
    def median(stats: Sequence[float]) -> float:
        return sorted(stats)[len(stats) // 2]

    result = compute_interval([float(number) for number in range(101)], median)
    assert 35 < result.low < 50 < result.high < 65


def test_label_pairs_are_resampled_as_pairs() -> None:
    pairs = [("a", "a")] * 40 + [("b", "a")] * 10 + [("b", "b")] * 30 + [("a", "b")] * 20
    result = compute_interval(pairs, uar.aggregate)
    assert uar.aggregate(pairs) == pytest.approx(0.7)
    assert result.low < 0.7 < result.high


def test_the_same_statistics_give_the_same_interval() -> None:
    stats = np.random.default_rng(5).random(50)
    assert compute_interval(stats, mean) == compute_interval(stats, mean)


@pytest.mark.parametrize("block", [1, 2, 3, 7])
@pytest.mark.parametrize("counts", [[5], [3, 2], [1, 1, 1, 1, 1], [90, 10]])
def test_draws_do_not_depend_on_the_size_of_the_blocks(
    monkeypatch: pytest.MonkeyPatch, counts: list[int], block: int
) -> None:
    """A block of draws is made by one call; the draws of two blocks follow each other."""
    expected = list(islice(draw_by_count(np.array(counts)) or (), 12))
    monkeypatch.setattr(intervals, "DRAW_BLOCK_SIZE", block * sum(counts))
    draws = list(islice(draw_by_count(np.array(counts)) or (), 12))
    assert np.array_equal(draws, expected)
    assert all(draw.sum() == sum(counts) for draw in draws)


def test_a_block_has_at_least_one_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intervals, "DRAW_BLOCK_SIZE", 1)
    draws = list(islice(draw_by_count(np.array([2, 3])) or (), 3))
    assert [draw.sum() for draw in draws] == [5, 5, 5]


def test_fewer_than_two_samples_or_clusters_cannot_be_drawn() -> None:
    assert draw_by_count(np.array([1])) is None
    assert draw_by_count(np.array([2])) is not None
    assert draw_by_cluster(np.array([0, 0, 0])) is None
    assert draw_by_cluster(np.array([0, 1])) is not None


def test_draws_of_clusters_weight_all_samples_of_a_cluster_alike() -> None:
    draw = next(draw_by_cluster(np.array([0, 1, 1, 2, 2, 2])) or iter(()))
    assert draw[1] == draw[2]
    assert draw[3] == draw[4] == draw[5]
    assert draw[0] + draw[1] + draw[3] == 3


@pytest.mark.parametrize(
    ("size", "cost", "rounds"), [(1, 1, 1000), (20_000, 1, 1000), (20_001, 1, 999), (200_000, 1, 100), (10_000, 4, 500)]
)
def test_a_slow_aggregator_gets_fewer_rounds_on_much_data(size: int, cost: int, rounds: int) -> None:
    def median(stats: Sequence[float]) -> float:
        return sorted(stats)[len(stats) // 2]

    assert choose_rounds(median, size * cost) == rounds
    median.cost = cost  # type: ignore[attr-defined]
    assert choose_rounds(median, size) == rounds
    assert choose_rounds(mean, size) == 1000


def test_more_than_eight_samples_per_distinct_statistic_are_drawn_as_counts() -> None:
    """Changing the limit would change published intervals."""
    rng = np.random.default_rng(0)
    (counts,) = islice(draw_by_count(np.array([8, 9])) or (), 1)
    assert counts.tolist() == rng.multinomial(17, [8 / 17, 9 / 17]).tolist()
    rng = np.random.default_rng(0)
    (counts,) = islice(draw_by_count(np.array([8, 8])) or (), 1)
    assert counts.tolist() == np.bincount(rng.integers(0, 16, 16) // 8).tolist()


def test_an_interval_of_infinite_values_is_undefined_and_gives_no_warning() -> None:
    result = compute_interval([math.inf, math.inf, 1.0, 2.0, 3.0], mean)
    assert not result.high < math.inf
    assert math.isnan(compare_paired([1.0, math.inf, 2.0], [1.0, math.inf, 3.0], mean).p)


def test_a_number_that_is_undefined_in_every_draw_has_no_interval() -> None:
    result = compute_interval(np.zeros((4, 2)), ratio)
    assert math.isnan(result.low)
    assert math.isnan(result.high)
    assert result.method == "bootstrap:1000"


def test_intervals_and_differences_are_the_same_in_every_version() -> None:
    """Numbers of stored runs are computed again; a different draw would change published intervals."""
    stats = np.random.default_rng(8).random((40, 2))
    interval = compute_interval(stats, ratio)
    clustered = compute_interval(stats, ratio, clusters=np.arange(40) % 7)
    few = compute_interval(np.round(stats[:, 0]) * 2, mean)
    assert (interval.low, interval.high) == pytest.approx((0.8226638025, 1.4438745622))
    assert (clustered.low, clustered.high) == pytest.approx((0.8961690099, 1.3232580261))
    assert (few.low, few.high) == pytest.approx((0.4000000000, 1.0000000000))


# --- paired differences -----------------------------------------------------------------


def test_the_difference_is_b_minus_a() -> None:
    result = compare_paired(np.array([1.0, 2.0, 3.0, 4.0]), np.array([2.0, 4.0, 4.0, 6.0]), mean)
    assert (result.value_a, result.value_b, result.difference) == (2.5, 4.0, 1.5)
    assert result.n == 4
    assert result.method == "paired-bootstrap:1000"


def test_a_run_does_not_differ_from_itself() -> None:
    stats = np.random.default_rng(0).normal(size=50)
    result = compare_paired(stats, stats, mean)
    assert (result.difference, result.low, result.high, result.p) == (0.0, 0.0, 0.0, 1.0)
    assert math.isnan(result.detectable)


def test_equal_hits_still_have_an_interval() -> None:
    result = compare_paired(hits(*[1] * 20), hits(*[1] * 20), mean)
    assert (result.difference, result.p) == (0.0, 1.0)
    assert result.low < -0.1 < 0.1 < result.high
    assert 0.1 < result.detectable < 0.3


def test_pairing_detects_what_separate_intervals_would_miss() -> None:
    """Samples that are hard for both runs cancel out."""
    rng = np.random.default_rng(1)
    hardness = rng.normal(0, 10, 200)
    result = compare_paired(hardness, hardness + rng.normal(0.5, 1, 200), mean)
    assert result.p < 0.01
    assert result.high - result.low < 0.5


@pytest.mark.parametrize(("gained", "lost"), [(0, 0), (5, 0), (3, 7), (12, 12), (900, 1000)])
def test_mcnemar_s_exact_test_equals_the_binomial_test(gained: int, lost: int) -> None:
    expected = binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    assert mcnemar_p_value(gained, lost) == pytest.approx(expected, rel=1e-6)


def test_zeros_and_ones_use_mcnemar_s_test() -> None:
    before = hits(*[1] * 60, *[0] * 40)
    after = hits(*[1] * 58, *[0] * 2, *[1] * 10, *[0] * 30)
    result = compare_paired(before, after, mean)
    assert result.method == "mcnemar-exact"
    assert result.p == pytest.approx(binomtest(2, 12).pvalue)
    assert result.difference == pytest.approx(0.08)
    # Bonett and Price by hand: 11/102 - 3/102, and sqrt((14/102 - (8/102)²) / 102) around it.
    half = 1.959964 * math.sqrt((14 / 102 - (8 / 102) ** 2) / 102)
    assert (result.low, result.high) == pytest.approx((8 / 102 - half, 8 / 102 + half))


def test_the_interval_of_a_difference_of_shares_ends_at_one() -> None:
    assert compare_paired(hits(0, 0), hits(1, 1), mean).high == 1.0
    assert compare_paired(hits(1, 1), hits(0, 0), mean).low == -1.0


def test_the_detectable_difference_is_2_8_standard_errors() -> None:
    rng = np.random.default_rng(2)
    before, change = rng.normal(size=400), rng.normal(0, 2, 400)
    result = compare_paired(before, before + change, mean)
    assert result.detectable == pytest.approx(2.8016 * 2 / 20, rel=0.1)


def test_clusters_widen_the_interval_of_a_difference() -> None:
    rng = np.random.default_rng(3)
    speaker = np.repeat(np.arange(20), 30)
    before = rng.normal(size=600)
    after = before + rng.normal(0, 1, 20)[speaker] + rng.normal(0, 0.1, 600)
    independent, clustered = (compare_paired(before, after, mean), compare_paired(before, after, mean, speaker))
    assert clustered.high - clustered.low > 3 * (independent.high - independent.low)
    assert clustered.method == "paired-cluster-bootstrap:1000"
    assert clustered.p > independent.p


def test_clustered_hits_are_resampled() -> None:
    result = compare_paired(hits(0, 0, 1, 1), hits(1, 1, 1, 0), mean, np.array([0, 0, 1, 1]))
    assert result.method.startswith("paired-cluster-bootstrap")


def test_the_p_value_is_not_below_that_of_a_sign_test() -> None:
    result = compare_paired(np.array([0.1, 0.2, 0.3]), np.array([1.1, 1.3, 1.2]), mean)
    assert result.p == pytest.approx(0.25)


def test_few_clusters_cannot_give_a_small_p_value() -> None:
    before, clusters = np.linspace(0, 1, 40), np.repeat(np.arange(4), 10)
    result = compare_paired(before, before + 1 + 0.1 * before, mean, clusters)
    assert result.p == pytest.approx(0.125)


def test_a_large_difference_survives_the_correction_for_many_tests() -> None:
    rng = np.random.default_rng(4)
    before = rng.normal(size=300)
    result = compare_paired(before, before + rng.normal(1, 1, 300), mean)
    assert adjust_holm([result.p] * 100)[0] < 1e-6


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_pairs_have_no_interval(count: int) -> None:
    result = compare_paired(np.ones(count), np.zeros(count), mean)
    assert result.n == count
    assert all(map(math.isnan, (result.low, result.high, result.p, result.detectable)))


@pytest.mark.parametrize("order", [1, -1])
def test_a_number_that_is_undefined_on_one_side_has_no_difference(order: int) -> None:
    defined, undefined = np.array([[1.0, 2.0], [1.0, 4.0]]), np.zeros((2, 2))
    a, b = [defined, undefined][::order]
    result = compare_paired(a, b, ratio)
    assert math.isnan(result.difference)
    assert (result.method, result.n) == ("none", 2)
    assert all(map(math.isnan, (result.low, result.high, result.p, result.detectable)))


def test_a_single_cluster_has_a_difference_but_no_interval() -> None:
    result = compare_paired(hits(0, 0, 1), hits(1, 1, 1), mean, np.array([0, 0, 0]))
    assert result.difference == pytest.approx(2 / 3)
    assert (result.method, result.n) == ("paired-cluster-bootstrap", 3)
    assert all(map(math.isnan, (result.low, result.high, result.p, result.detectable)))


def test_a_p_value_beyond_all_draws_is_that_of_the_normal_distribution() -> None:
    before = np.random.default_rng(9).normal(size=200)
    result = compare_paired(before, before + np.random.default_rng(10).normal(0.5, 1, 200), mean)
    z = result.difference / (result.detectable / 2.801585)
    assert 3.5 < z < 7
    assert math.log(result.p) == pytest.approx(math.log(2 * norm.sf(z)), rel=0.03)


def test_an_undefined_number_has_no_difference() -> None:
    result = compare_paired(np.zeros((4, 2)), np.zeros((4, 2)), ratio)
    assert all(map(math.isnan, (result.difference, result.p)))


def test_undefined_rounds_are_ignored() -> None:
    before = np.array([[0.0, 0.0]] * 3 + [[1.0, 4.0], [2.0, 4.0]])
    after = np.array([[0.0, 0.0]] * 3 + [[2.0, 4.0], [3.0, 4.0]])
    result = compare_paired(before, after, ratio)
    assert result.difference == pytest.approx(0.25)
    assert not math.isnan(result.low)


def test_a_difference_that_is_defined_in_only_one_draw_has_no_interval() -> None:
    single = difference_from_draws((1.0, 2.0), np.array([math.nan, 1.0, math.nan]), 3, "paired-bootstrap:3", 0.1)
    assert (single.difference, single.n, single.method) == (1.0, 3, "paired-bootstrap")
    assert all(map(math.isnan, (single.low, single.high, single.p, single.detectable)))
    double = difference_from_draws((1.0, 2.0), np.array([math.nan, 1.0, 1.5]), 3, "paired-bootstrap:3", 0.1)
    assert (double.low, double.high) == pytest.approx((1.0125, 1.4875))
    assert double.method == "paired-bootstrap:3"


def test_an_aggregator_without_weights_is_compared() -> None:
    rng = np.random.default_rng(5)
    before = rng.normal(size=60)
    result = compare_paired(list(before), list(before + 1), lambda stats: float(np.median(stats)))
    assert (result.difference, result.low, result.high) == pytest.approx((1.0, 1.0, 1.0))
    assert result.p < 0.01


def test_lists_are_compared_like_arrays() -> None:
    rng = np.random.default_rng(7)
    a, b = rng.normal(size=30), rng.normal(0.5, 1.0, size=30)
    of_lists = compare_paired(list(a), list(b), mean)
    assert of_lists == compare_paired(a, list(b), mean) == compare_paired(list(a), b, mean)
    of_arrays = compare_paired(a, b, mean)
    assert (of_lists.difference, of_lists.n) == (of_arrays.difference, 30)
    assert (of_lists.low, of_lists.high) == pytest.approx((of_arrays.low, of_arrays.high), abs=0.1)


def test_votes_are_compared_as_shares() -> None:
    aggregate = aggregate_answers(exact_match, "vote").aggregate
    result = compare_paired([(0, (1.0,)), (0, (0.0,))] * 10, [(1, (1.0,)), (0, (1.0,))] * 10, aggregate)
    assert result.method == "mcnemar-exact"
    assert result.difference == 0.5


def test_the_same_pairs_give_the_same_difference() -> None:
    rng = np.random.default_rng(6)
    lengths = rng.integers(1, 30, 100)
    a, b = rates(rng, lengths, 0.2), rates(rng, lengths, 0.25)
    assert isinstance(compare_paired(a, b, ratio), Difference)
    assert compare_paired(a, b, ratio) == compare_paired(a, b, ratio)


def test_swapping_the_runs_changes_the_sign() -> None:
    rng = np.random.default_rng(7)
    lengths = rng.integers(1, 30, 100)
    a, b = rates(rng, lengths, 0.2), rates(rng, lengths, 0.3)
    forward, backward = compare_paired(a, b, ratio), compare_paired(b, a, ratio)
    assert forward.difference == pytest.approx(-backward.difference)
    assert forward.low == pytest.approx(-backward.high, abs=0.01)


def test_holm_s_correction_keeps_the_order() -> None:
    assert adjust_holm([0.01, 0.04, 0.03, math.nan]) == pytest.approx([0.03, 0.06, 0.06, math.nan], nan_ok=True)
    assert adjust_holm([0.6, 0.7]) == [1.0, 1.0]
    assert adjust_holm([]) == []


def test_newcombe_s_interval_of_two_shares() -> None:
    """Expected values are those of Newcombe (1998) for 56 of 70 and 48 of 80."""
    low, high = newcombe_interval(48, 80, 56, 70)
    assert (low, high) == pytest.approx((0.0524, 0.3339), abs=5e-5)
