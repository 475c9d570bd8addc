"""Paired differences: right in known cases, certain of nothing where nothing is known."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from auricle.metrics.base import mean, ratio
from auricle.metrics.multi_answer import aggregate_answers
from auricle.metrics.statistics import Difference, adjust_holm, compare_paired, mcnemar_p_value, newcombe_interval
from auricle.metrics.text import exact_match


def hits(*flags: Any) -> Any:
    return np.array(flags, dtype=float)


def rates(dice: Any, lengths: Any, share: Any) -> Any:
    return np.column_stack([dice.binomial(lengths, share), lengths]).astype(float)


def test_the_difference_is_b_less_a() -> None:
    found = compare_paired(np.array([1.0, 2.0, 3.0, 4.0]), np.array([2.0, 4.0, 4.0, 6.0]), mean)
    assert (found.value_a, found.value_b, found.difference) == (2.5, 4.0, 1.5)
    assert found.n == 4
    assert found.method == "paired-bootstrap:1000"


def test_a_run_does_not_differ_from_itself() -> None:
    stats = np.random.default_rng(0).normal(size=50)
    found = compare_paired(stats, stats, mean)
    assert (found.difference, found.low, found.high, found.p) == (0.0, 0.0, 0.0, 1.0)
    assert math.isnan(found.detectable)


def test_hits_that_are_all_the_same_still_leave_doubt() -> None:
    found = compare_paired(hits(*[1] * 20), hits(*[1] * 20), mean)
    assert (found.difference, found.p) == (0.0, 1.0)
    assert found.low < -0.1 < 0.1 < found.high
    assert 0.1 < found.detectable < 0.3


def test_pairing_sees_what_two_intervals_would_not() -> None:
    """Hard samples are hard for both: the difference is known better than either number."""
    dice = np.random.default_rng(1)
    hardness = dice.normal(0, 10, 200)
    found = compare_paired(hardness, hardness + dice.normal(0.5, 1, 200), mean)
    assert found.p < 0.01
    assert found.high - found.low < 0.5


@pytest.mark.parametrize(("gained", "lost"), [(0, 0), (5, 0), (3, 7), (12, 12), (900, 1000)])
def test_mcnemars_exact_test_is_the_binomial_one(gained: int, lost: int) -> None:
    expected = binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    assert mcnemar_p_value(gained, lost) == pytest.approx(expected, rel=1e-6)


def test_zeros_and_ones_are_tested_by_mcnemar() -> None:
    before = hits(*[1] * 60, *[0] * 40)
    after = hits(*[1] * 58, *[0] * 2, *[1] * 10, *[0] * 30)
    found = compare_paired(before, after, mean)
    assert found.method == "mcnemar-exact"
    assert found.p == pytest.approx(binomtest(2, 12).pvalue)
    assert found.difference == pytest.approx(0.08)
    # Bonett and Price by hand: 11/102 less 3/102, and sqrt((14/102 - (8/102)²) / 102) around it.
    half = 1.959964 * math.sqrt((14 / 102 - (8 / 102) ** 2) / 102)
    assert (found.low, found.high) == pytest.approx((8 / 102 - half, 8 / 102 + half))


def test_what_can_be_detected_is_2_8_standard_errors() -> None:
    dice = np.random.default_rng(2)
    before, change = dice.normal(size=400), dice.normal(0, 2, 400)
    found = compare_paired(before, before + change, mean)
    assert found.detectable == pytest.approx(2.8016 * 2 / 20, rel=0.1)


def test_clusters_widen_the_interval_of_a_difference() -> None:
    dice = np.random.default_rng(3)
    speaker = np.repeat(np.arange(20), 30)
    before = dice.normal(size=600)
    after = before + dice.normal(0, 1, 20)[speaker] + dice.normal(0, 0.1, 600)
    alone, grouped = (compare_paired(before, after, mean), compare_paired(before, after, mean, speaker))
    assert grouped.high - grouped.low > 3 * (alone.high - alone.low)
    assert grouped.method == "paired-cluster-bootstrap:1000"
    assert grouped.p > alone.p


def test_clustered_hits_are_drawn_and_not_tested_by_mcnemar() -> None:
    found = compare_paired(hits(0, 0, 1, 1), hits(1, 1, 1, 0), mean, np.array([0, 0, 1, 1]))
    assert found.method.startswith("paired-cluster-bootstrap")


def test_few_pairs_cannot_be_surer_than_as_many_coins() -> None:
    found = compare_paired(np.array([0.1, 0.2, 0.3]), np.array([1.1, 1.3, 1.2]), mean)
    assert found.p == pytest.approx(0.25)


def test_a_large_difference_survives_many_tests() -> None:
    dice = np.random.default_rng(4)
    before = dice.normal(size=300)
    found = compare_paired(before, before + dice.normal(1, 1, 300), mean)
    assert adjust_holm([found.p] * 100)[0] < 1e-6


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_pairs_tell_nothing(count: int) -> None:
    found = compare_paired(np.ones(count), np.zeros(count), mean)
    assert found.n == count
    assert all(map(math.isnan, (found.low, found.high, found.p, found.detectable)))


def test_an_undefined_number_has_no_difference() -> None:
    found = compare_paired(np.zeros((4, 2)), np.zeros((4, 2)), ratio)
    assert all(map(math.isnan, (found.difference, found.p)))


def test_rounds_without_a_number_are_left_out() -> None:
    before = np.array([[0.0, 0.0]] * 3 + [[1.0, 4.0], [2.0, 4.0]])
    after = np.array([[0.0, 0.0]] * 3 + [[2.0, 4.0], [3.0, 4.0]])
    found = compare_paired(before, after, ratio)
    assert found.difference == pytest.approx(0.25)
    assert not math.isnan(found.low)


def test_a_fold_that_cannot_weigh_is_compared_too() -> None:
    dice = np.random.default_rng(5)
    before = dice.normal(size=60)
    found = compare_paired(list(before), list(before + 1), lambda stats: float(np.median_value(stats)))
    assert found.difference == pytest.approx(1.0)
    assert found.p < 0.01


def test_votes_of_single_answers_are_shares() -> None:
    fold = aggregate_answers(exact_match, "vote").aggregate
    found = compare_paired([(0, (1.0,)), (0, (0.0,))] * 10, [(1, (1.0,)), (0, (1.0,))] * 10, fold)
    assert found.method == "mcnemar-exact"
    assert found.difference == 0.5


def test_the_same_pairs_give_the_same_answer() -> None:
    dice = np.random.default_rng(6)
    lengths = dice.integers(1, 30, 100)
    a, b = rates(dice, lengths, 0.2), rates(dice, lengths, 0.25)
    assert isinstance(compare_paired(a, b, ratio), Difference)
    assert compare_paired(a, b, ratio) == compare_paired(a, b, ratio)


def test_swapping_the_runs_turns_the_sign() -> None:
    dice = np.random.default_rng(7)
    lengths = dice.integers(1, 30, 100)
    a, b = rates(dice, lengths, 0.2), rates(dice, lengths, 0.3)
    there, back = compare_paired(a, b, ratio), compare_paired(b, a, ratio)
    assert there.difference == pytest.approx(-back.difference)
    assert there.low == pytest.approx(-back.high, abs=0.01)


def test_holm_multiplies_the_smallest_most_and_keeps_the_order() -> None:
    assert adjust_holm([0.01, 0.04, 0.03, math.nan]) == pytest.approx([0.03, 0.06, 0.06, math.nan], nan_ok=True)
    assert adjust_holm([0.6, 0.7]) == [1.0, 1.0]
    assert adjust_holm([]) == []


def test_newcombes_interval_of_two_shares() -> None:
    """56 of 70 and 48 of 80, as in Newcombe's paper of 1998: 0.0524 to 0.3339."""
    low, high = newcombe_interval(48, 80, 56, 70)
    assert (low, high) == pytest.approx((0.0524, 0.3339), abs=5e-5)
