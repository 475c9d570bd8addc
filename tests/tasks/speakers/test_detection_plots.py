"""The data of detection plots."""

import numpy as np
import pytest

from auricle.tasks.speakers.detection import SortedTrials, compute_min_cllr
from auricle.tasks.speakers.detection_plots import MAX_POINTS, describe_trials, find_eer_threshold


def make_trials(count: int = 5_000) -> SortedTrials:
    rng = np.random.default_rng(2)
    targets = rng.random(count) < 0.3
    return SortedTrials.of(rng.normal(np.where(targets, 1.0, -1.0)), targets)


def test_the_curve_has_few_points_and_descends() -> None:
    points = np.array(describe_trials(make_trials())["det"])
    assert 20 < len(points) <= MAX_POINTS + 1
    assert (np.diff(points[:, 0]) <= 0).all()
    assert (np.diff(points[:, 1]) >= 0).all()
    assert ((points > 0) & (points < 1)).all()


def test_marks_have_the_cost_of_their_point() -> None:
    marks = describe_trials(make_trials())["marks"]
    assert [mark["p_target"] for mark in marks] == [0.01, 0.05]
    for mark in marks:
        expected = mark["p_miss"] + (1 - mark["p_target"]) / mark["p_target"] * mark["p_fa"]
        assert mark["cost"] == pytest.approx(expected)


def test_histograms_count_every_trial() -> None:
    histogram = describe_trials(make_trials())["histogram"]
    assert sum(histogram["targets"]) + sum(histogram["nontargets"]) == 5_000


def test_the_threshold_balances_both_errors() -> None:
    trials = make_trials()
    threshold = find_eer_threshold(trials, trials.curve())
    accepted = trials.scores >= threshold
    misses, false_alarms = (~accepted)[trials.is_target].mean(), accepted[~trials.is_target].mean()
    assert misses == pytest.approx(false_alarms, abs=0.005)


def test_calibration_compares_scores_with_the_best_ratios() -> None:
    trials = make_trials()
    calibration = describe_trials(trials)["calibration"]
    assert calibration["min_cllr"] == compute_min_cllr(trials.curve())
    assert calibration["cllr"] > calibration["min_cllr"]
    scores, ratios = zip(*calibration["points"], strict=True)
    assert list(scores) == sorted(scores)
    assert list(ratios) == sorted(ratios)


def test_one_class_has_no_plot() -> None:
    assert describe_trials(SortedTrials.of(np.ones(3), np.ones(3, dtype=np.bool_))) == {}
