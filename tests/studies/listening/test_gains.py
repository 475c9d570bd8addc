"""Gains against each control and against the best one."""

import pytest

from auricle.metrics.intervals import adjust_holm, compare_paired
from auricle.studies.listening.gains import compute_gain_against_best, compute_gains
from auricle.tasks.asr.error_rates import wer
from auricle.tasks.labels.metrics import option_accuracy
from tests.support.listeners import make_answers

RIGHT, WRONG = 1.0, 0.0
CLEAN = [RIGHT] * 18 + [WRONG] * 2
HALF = [RIGHT, WRONG] * 10
FEW = [RIGHT] * 4 + [WRONG] * 16


def test_gain_is_the_paired_difference_with_holm_over_the_controls() -> None:
    answers = make_answers(option_accuracy, {"clean": CLEAN, "no-audio": FEW, "shuffle": HALF})
    few, half = compute_gains(answers, option_accuracy)
    expected = [compare_paired(control, CLEAN, option_accuracy.aggregate) for control in (FEW, HALF)]
    assert [number.group for number in (few, half)] == ["no-audio", "shuffle"]
    assert [number.value for number in (few, half)] == pytest.approx([0.7, 0.4])
    assert [(number.low, number.high) for number in (few, half)] == [(each.low, each.high) for each in expected]
    adjusted = adjust_holm([each.p for each in expected])
    assert [number.details["adjusted_p"] for number in (few, half)] == adjusted
    assert (few.details["with_sound"], few.details["without"]) == (0.9, 0.2)


def test_gain_of_an_error_rate_is_positive_if_there_are_fewer_errors_with_the_sound() -> None:
    answers = make_answers(wer, {"clean": [(0, 0, 0, 5)] * 6, "replace:other": [(5, 0, 0, 5)] * 5 + [(4, 0, 0, 5)]})
    (number,) = compute_gains(answers, wer)
    assert number.value == pytest.approx(29 / 30)
    assert number.higher_is_better
    assert (number.details["with_sound"], number.details["without"]) == (0.0, pytest.approx(29 / 30))


def test_only_samples_scored_under_both_conditions_are_compared() -> None:
    answers = make_answers(option_accuracy, {"clean": [1.0, 1.0, None], "no-audio": [0.0, None, 1.0]})
    (number,) = compute_gains(answers, option_accuracy)
    assert (number.value, number.scored) == (1.0, 1)


def test_best_control_has_the_smallest_gain_and_only_controls_without_the_sound_count() -> None:
    stats = {"clean": CLEAN, "no-audio": FEW, "replace:silence": HALF, "shuffle": CLEAN, "transcript": CLEAN}
    number = compute_gain_against_best(make_answers(option_accuracy, stats), option_accuracy)
    assert number is not None
    assert number.value == pytest.approx(0.4)
    assert number.details["control"] == "replace:silence"
    assert number.details["controls"] == ["no-audio", "replace:silence"]


def test_interval_against_the_best_has_the_lowest_lower_end_and_a_wider_upper_end() -> None:
    stats = {
        "clean": CLEAN,
        "no-audio": [RIGHT, WRONG] * 10,
        "replace:silence": [WRONG, RIGHT] * 10,
        "replace:noise": [RIGHT] * 10 + [WRONG] * 10,
    }
    answers = make_answers(option_accuracy, stats)
    singles = compute_gains(answers, option_accuracy)
    number = compute_gain_against_best(answers, option_accuracy)
    assert number is not None
    assert number.low == min(single.low or 0 for single in singles)
    assert (number.high or 0) > min(single.high or 0 for single in singles)
    assert (number.interval, number.details["p"]) == ("best-control", max(single.details["p"] for single in singles))


def test_interval_against_one_control_is_that_of_the_pair() -> None:
    answers = make_answers(option_accuracy, {"clean": CLEAN, "no-audio": HALF})
    (single,) = compute_gains(answers, option_accuracy)
    number = compute_gain_against_best(answers, option_accuracy)
    assert number is not None
    assert (number.low, number.high) == (single.low, single.high)


def test_clusters_are_the_units_of_gains() -> None:
    clusters = [f"speaker {index // 5}" for index in range(20)]
    answers = make_answers(option_accuracy, {"clean": CLEAN, "no-audio": FEW}, clusters=clusters)
    (number,) = compute_gains(answers, option_accuracy)
    assert (number.units, number.cluster, number.interval) == (4, "speaker", "cluster-paired-t")


def test_no_gain_has_a_p_value_of_one() -> None:
    answers = make_answers(option_accuracy, {"clean": HALF, "no-audio": HALF, "replace:other": FEW})
    number = compute_gain_against_best(answers, option_accuracy)
    assert number is not None
    assert (number.value, number.details["p"]) == (0.0, 1.0)
    assert (number.low or 0) < 0 < (number.high or 0)


def test_there_is_no_best_control_if_none_was_answered() -> None:
    answers = make_answers(option_accuracy, {"clean": CLEAN, "no-audio": [None] * 20, "shuffle": HALF})
    assert compute_gain_against_best(answers, option_accuracy) is None
