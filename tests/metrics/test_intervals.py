"""Intervals and paired differences: known cases, coverage, and reproducibility."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, binomtest, ttest_1samp, ttest_rel

from auricle.metrics.base import MeanAggregator, mean, ratio
from auricle.metrics.combined import PairedPartStats, compare_combined
from auricle.metrics.intervals import Difference, adjust_holm, compare_paired, compute_interval, newcombe_interval
from auricle.metrics.multi_answer import aggregate_answers
from auricle.metrics.scales import mid_p_interval, wilson_interval
from auricle.metrics.unpaired import compare_unpaired
from auricle.tasks.asr.error_rates import exact_match
from auricle.tasks.labels.metrics import uar

Array = NDArray[np.float64]


rating = MeanAggregator(limits=(1.0, 5.0))


def hits(*flags: int) -> Array:
    return np.array(flags, dtype=float)


def rates(rng: np.random.Generator, lengths: NDArray[np.int64], share: float) -> Array:
    return np.column_stack([rng.binomial(lengths, share), lengths]).astype(float)


# --- intervals --------------------------------------------------------------------------


def test_a_share_has_the_mid_p_interval() -> None:
    result = compute_interval(np.array([1.0] * 7 + [0.0] * 3), mean)
    assert (result.low, result.high, result.method) == (*mid_p_interval(7, 10), "mid-p")
    exact = binomtest(7, 10).proportion_ci(method="exact")
    assert exact.low < result.low < 0.7 < result.high < exact.high


def test_a_perfect_score_on_few_samples_is_not_certain() -> None:
    low, high = mid_p_interval(12, 12)
    assert low == pytest.approx(0.05 ** (1 / 12))
    assert high == 1.0


@pytest.mark.parametrize("trials", [5, 10, 20])
def test_no_share_is_missed_by_more_than_a_tenth_of_its_intervals(trials: int) -> None:
    """Of ten trials, Wilson's interval misses some shares in 14 % of cases."""
    ends = np.array([mid_p_interval(hits, trials) for hits in range(trials + 1)])
    for share in np.linspace(0.005, 0.995, 199):
        is_inside = (ends[:, 0] <= share) & (share <= ends[:, 1])
        assert binom.pmf(np.arange(trials + 1), trials, share)[is_inside].sum() > 0.925


def test_shares_stay_between_zero_and_one() -> None:
    """Rounding errors would exceed the limits for some numbers of samples."""
    for count in range(1, 400):
        assert wilson_interval(1.0, count)[1] <= 1.0
        assert wilson_interval(0.0, count)[0] >= 0.0


def test_a_mean_has_about_the_normal_interval() -> None:
    numbers = np.random.default_rng(1).normal(5.0, 2.0, 400)
    result = compute_interval(numbers, mean)
    half = 1.96 * 2.0 / 20
    assert result.low == pytest.approx(numbers.mean() - half, abs=0.05)
    assert result.high == pytest.approx(numbers.mean() + half, abs=0.05)


def test_clusters_widen_an_interval() -> None:
    rng = np.random.default_rng(4)
    speaker = np.repeat(np.arange(20), 30)
    stats = (rng.random(600) < rng.uniform(0.2, 0.9, 20)[speaker]).astype(float)
    independent, clustered = (compute_interval(stats, mean), compute_interval(stats, mean, clusters=speaker))
    assert clustered.high - clustered.low > 2 * (independent.high - independent.low)
    assert clustered.method == "cluster-wilson"


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


def test_an_interval_of_infinite_values_is_undefined_and_gives_no_warning() -> None:
    result = compute_interval([math.inf, math.inf, 1.0, 2.0, 3.0], mean)
    assert not result.high < math.inf
    assert math.isnan(compare_paired([1.0, math.inf, 2.0], [1.0, math.inf, 3.0], mean).p)


def test_a_number_that_is_undefined_in_every_draw_has_no_interval() -> None:
    result = compute_interval(np.zeros((4, 2)), ratio)
    assert math.isnan(result.low)
    assert math.isnan(result.high)
    assert result.method == "skew-t"


def test_intervals_and_differences_are_the_same_in_every_version() -> None:
    """Numbers of stored runs are computed again; a different draw would change published intervals."""
    stats = np.random.default_rng(8).random((40, 2))
    interval = compute_interval(stats, ratio)
    clustered = compute_interval(stats, ratio, clusters=np.arange(40) % 7)
    few = compute_interval(np.round(stats[:, 0]) * 2, mean)
    assert (interval.low, interval.high) == pytest.approx((0.7829775859, 1.3930657717))
    assert (clustered.low, clustered.high) == pytest.approx((0.7337268873, 1.3797545114))
    assert (few.low, few.high) == pytest.approx((0.3910288584, 1.0364972134))


# --- paired differences -----------------------------------------------------------------


def test_the_difference_is_b_minus_a() -> None:
    result = compare_paired(np.array([1.0, 2.0, 3.0, 4.0]), np.array([2.0, 4.0, 4.0, 6.0]), mean)
    assert (result.value_a, result.value_b, result.difference) == (2.5, 4.0, 1.5)
    assert result.n == 4
    assert result.method == "paired-t"


def test_a_run_does_not_differ_from_itself() -> None:
    stats = np.random.default_rng(0).normal(size=50)
    result = compare_paired(stats, stats, mean)
    assert (result.difference, result.low, result.high, result.p) == (0.0, 0.0, 0.0, 1.0)  # without limits, no bound
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


def test_zeros_and_ones_are_compared_by_the_method_of_bonett_and_price() -> None:
    before = hits(*[1] * 60, *[0] * 40)
    after = hits(*[1] * 58, *[0] * 2, *[1] * 10, *[0] * 30)
    result = compare_paired(before, after, mean)
    assert result.method == "bonett-price"
    assert result.difference == pytest.approx(0.08)
    # Bonett and Price by hand: 11/102 - 3/102, and sqrt((14/102 - (8/102)²) / 102) around it.
    half = 1.959964 * math.sqrt((14 / 102 - (8 / 102) ** 2) / 102)
    assert (result.low, result.high) == pytest.approx((8 / 102 - half, 8 / 102 + half))
    assert result.p == pytest.approx(math.erfc(8 / 102 / half * 1.959964 / math.sqrt(2)))


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
    assert clustered.method == "cluster-paired-t"
    assert clustered.p > independent.p


def test_clustered_hits_are_resampled() -> None:
    result = compare_paired(hits(0, 0, 1, 1), hits(1, 1, 1, 0), mean, np.array([0, 0, 1, 1]))
    assert result.method == "cluster-paired-t"


def test_means_are_compared_by_student_s_t() -> None:
    rng = np.random.default_rng(12)
    a, b = rng.normal(size=15), rng.normal(0.5, 1.0, size=15)
    result, expected = compare_paired(a, b, mean), ttest_rel(b, a)
    assert result.p == pytest.approx(expected.pvalue)
    ends = expected.confidence_interval()
    assert (result.low, result.high) == pytest.approx((ends.low, ends.high))


def test_few_clusters_have_a_wide_interval_and_a_large_p_value() -> None:
    before, clusters = np.linspace(0, 1, 40), np.repeat(np.arange(4), 10)
    after = before + 0.3 + 0.1 * np.array([1.0, -1.0, 2.0, -2.0])[clusters]
    changes = (after - before).reshape(4, 10).mean(axis=1)
    assert compare_paired(before, after, mean, clusters).p == pytest.approx(ttest_1samp(changes, 0).pvalue)


@pytest.mark.parametrize(("units", "excludes_zero"), [(3, False), (5, False), (6, True), (20, True)])
def test_units_that_all_change_alike_are_compared_by_their_signs(units: int, excludes_zero: bool) -> None:
    before = np.linspace(0, 1, units)
    result = compare_paired(before, before + 0.5, mean)
    assert (result.p, result.method) == (2.0 ** (1 - units), "sign-flip")
    assert result.high == pytest.approx(0.5)
    assert (result.low > 0) == excludes_zero == (result.p < 0.05)


@pytest.mark.parametrize("ratings", [[5.0] * 10, [5.0] * 9 + [4.0], [1.0] * 10, [4.0] * 10])
def test_an_interval_of_ratings_keeps_to_the_scale_and_is_never_empty(ratings: list[float]) -> None:
    interval = compute_interval(ratings, rating)
    assert 1.0 <= interval.low < interval.high <= 5.0
    assert interval.low <= mean(ratings) <= interval.high


def test_a_rating_outside_the_stated_limits_refutes_them() -> None:
    ratings = [4.0, 5.0, 6.5]
    assert compute_interval(ratings, rating) == compute_interval(ratings, mean)


def test_ratings_of_zero_and_one_are_no_hits_if_higher_ones_are_possible() -> None:
    likert = MeanAggregator(limits=(0.0, 3.0))
    assert compute_interval(hits(1, 0, 0, 0), likert).high > 1.0
    assert compare_paired(hits(1, 0, 0, 0), hits(0, 0, 0, 1), likert).method == "paired-t"


@pytest.mark.parametrize("change", [0.0, 1.0, -3.0])
def test_a_change_that_all_ratings_share_is_not_certain(change: float) -> None:
    before = np.array([4.0] * 10)
    result = compare_paired(before, before + change, rating)
    assert result.method == "no-variance"
    assert -4.0 <= result.low < change < result.high <= 4.0
    assert (result.p < 0.05) == (result.low > 0 or result.high < 0)


@pytest.mark.parametrize("units", [3, 5])
def test_few_units_that_all_change_are_no_more_significant_than_their_signs(units: int) -> None:
    result = compare_paired([1.0] * units, [5.0] * units, rating)
    assert result.p == pytest.approx(2.0 ** (1 - units))
    assert result.low < 0


def test_equal_clusters_of_different_samples_are_less_certain_than_samples_but_more_than_clusters() -> None:
    clusters, answers = np.repeat(np.arange(8), 10), hits(1, 1, 0, 0, 0, 0, 0, 0, 0, 0)
    labels = [("a" if hit else "b", "a") for hit in answers] + [("b" if hit else "a", "b") for hit in answers]
    both = np.repeat(np.arange(8), 20)
    share = compute_interval(np.tile(answers, 8), mean, clusters=clusters)
    recall = compute_interval(labels * 8, uar.aggregate, clusters=both)
    assert 0.05 < share.low < 0.15
    assert 0.25 < share.high < 0.4
    assert recall.low > share.low  # of twice as many samples
    assert recall.high < share.high


def test_equal_transcripts_have_an_interval_around_zero() -> None:
    stats = np.array([[1.0, 10.0]] * 20)
    result = compare_paired(stats, stats, ratio)
    assert (result.difference, result.p) == (0.0, 1.0)
    assert result.high == -result.low == pytest.approx(-math.log(0.025) * 2 / 200)


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
    assert (result.method, result.n) == ("cluster-paired-t", 3)
    assert all(map(math.isnan, (result.low, result.high, result.p, result.detectable)))


def test_an_undefined_number_has_no_difference() -> None:
    result = compare_paired(np.zeros((4, 2)), np.zeros((4, 2)), ratio)
    assert all(map(math.isnan, (result.difference, result.p)))


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
    assert result.method == "bonett-price"
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


# --- interval and p value ---------------------------------------------------------------


def upper_median(stats: Any) -> float:
    """Stands for aggregates that are resampled; numpy's own median takes twice as long."""
    return float(np.sort(stats)[len(stats) // 2])


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("aggregate", [mean, ratio, uar.aggregate, upper_median])
@pytest.mark.thorough
def test_p_is_below_5_percent_exactly_if_the_interval_excludes_zero(aggregate: Any, clustered: bool) -> None:
    rng = np.random.default_rng(20)
    significant = 0
    for repetition in range(60):
        n = int(rng.integers(3, 30))
        shift, kinds = rng.choice([0.0, 0.3, 1.0]), {mean: 2, ratio: 2}.get(aggregate, 1)
        a, b = (draw_stats(rng, aggregate, n, amount, repetition % kinds) for amount in (0.0, shift))
        clusters = rng.permutation(np.arange(n) % 5) if clustered and n > 5 else None
        results = (
            compare_paired(a, b, aggregate, clusters),
            compare_unpaired(a, b, aggregate, (clusters, clusters)),
            compare_combined([PairedPartStats(a, b, aggregate, 1.0, clusters)]),
        )
        for result in results:
            if not math.isnan(result.p):
                assert (result.p < 0.05) == (not result.low <= 0 <= result.high)
                significant += result.p < 0.05
    assert significant


def draw_stats(rng: np.random.Generator, aggregate: Any, n: int, shift: float, kind: int) -> Any:
    if aggregate is ratio:
        lengths = rng.integers(1, 20, n)
        return np.column_stack([rng.binomial(lengths, 0.1 + 0.4 * shift), lengths]).astype(float)
    if aggregate is uar.aggregate:
        labels = rng.integers(0, 2, n)
        return [("ab"[label ^ int(rng.random() < 0.1 + 0.7 * shift)], "ab"[label]) for label in labels]
    return (rng.random(n) < 0.1 + 0.7 * shift).astype(float) if kind else rng.normal(shift, 0.5, n)
