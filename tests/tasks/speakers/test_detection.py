"""Errors of a detector at every threshold, on scores that can be checked by hand."""

import math

import numpy as np
import pytest

from auricle.tasks.speakers.detection import (
    DetectionCurve,
    OperatingPoint,
    SortedTrials,
    calibrate,
    compute_eer,
    compute_interpolated_eer,
    compute_min_cllr,
    compute_min_cost,
    find_hull,
    find_min_cost,
    trial_costs,
)

TARGETS = (3.0, 2.5, 2.0, 1.0, 0.5, -0.5)
OTHERS = (-3.0, -2.0, -1.5, -1.0, 0.0, 0.7, -0.2, -2.5)
SCORES = np.array([*TARGETS, *OTHERS])
LABELS = np.array([True] * 6 + [False] * 8)


def curve(scores: object = SCORES, labels: object = LABELS, weights: object = None) -> DetectionCurve:
    trials = SortedTrials.of(np.array(scores, dtype=np.float64), np.array(labels, dtype=np.bool_))
    return trials.curve(None if weights is None else np.array(weights, dtype=np.float64))


def test_toy_scores_have_the_published_error_rates() -> None:
    assert compute_eer(curve()) == pytest.approx(0.15, abs=1e-12)
    assert compute_interpolated_eer(curve()) == pytest.approx(1 / 6, abs=1e-12)


@pytest.mark.parametrize(("p_target", "cost"), [(0.01, 1 / 3), (0.05, 1 / 3), (0.5, 0.291666666666667)])
def test_toy_scores_have_the_published_costs(p_target: float, cost: float) -> None:
    assert compute_min_cost(curve(), OperatingPoint(p_target)) == pytest.approx(cost, abs=1e-12)


def test_toy_scores_have_the_published_likelihood_ratio_costs() -> None:
    costs = trial_costs(SCORES, LABELS)
    assert (costs[LABELS].mean() + costs[~LABELS].mean()) / 2 == pytest.approx(0.5276037803604803, abs=1e-12)
    assert compute_min_cllr(curve()) == pytest.approx(0.3459604770163843, abs=1e-12)


def test_calibrated_gaussians_have_their_theoretical_error_rate() -> None:
    rng = np.random.default_rng(0)
    scores = np.concatenate([rng.normal(1.5, math.sqrt(3), 20_000), rng.normal(-1.5, math.sqrt(3), 20_000)])
    labels = np.arange(40_000) < 20_000
    assert compute_eer(curve(scores, labels)) == pytest.approx(0.1916, abs=5e-5)
    for scale, expected in ((1, 0.6022), (2, 0.7152)):
        costs = trial_costs(scale * scores, labels)
        assert (costs[labels].mean() + costs[~labels].mean()) / 2 == pytest.approx(expected, abs=5e-5)
        assert compute_min_cllr(curve(scale * scores, labels)) == pytest.approx(0.5999, abs=5e-5)


def test_perfect_scores_have_no_errors_and_reversed_ones_only_errors() -> None:
    assert compute_eer(curve([2, 1, -1], [1, 1, 0])) == compute_interpolated_eer(curve([2, 1, -1], [1, 1, 0])) == 0
    assert compute_eer(curve([-2, 1], [1, 0])) == pytest.approx(0.5)  # accepting or rejecting all, at random
    assert compute_interpolated_eer(curve([-2, 1], [1, 0])) == 1.0
    assert compute_min_cllr(curve([2, 1, -1], [1, 1, 0])) == 0
    assert compute_min_cllr(curve([-2, 1], [1, 0])) == 1.0


def test_equal_scores_move_together() -> None:
    tied = curve([1, 1, 1, 1], [1, 1, 0, 0])
    assert (tied.p_miss.tolist(), tied.p_fa.tolist()) == ([0.0, 1.0], [1.0, 0.0])
    assert compute_eer(tied) == compute_interpolated_eer(tied) == 0.5
    assert compute_min_cllr(tied) == 1.0


def test_without_both_classes_nothing_is_defined() -> None:
    for labels in ([True, True], [False, False]):
        one_class = curve([1, 2], labels)
        numbers = [compute_eer(one_class), compute_interpolated_eer(one_class), compute_min_cllr(one_class)]
        assert all(map(math.isnan, [*numbers, compute_min_cost(one_class, OperatingPoint(0.5))]))
    assert math.isnan(compute_eer(curve([], [])))


def test_a_weight_counts_as_a_repetition() -> None:
    rng = np.random.default_rng(5)
    scores, labels = np.round(rng.normal(size=40), 1), rng.random(40) < 0.4
    weights = rng.integers(0, 4, 40)
    repeated = curve(np.repeat(scores, weights), np.repeat(labels, weights))
    weighted = curve(scores, labels, weights)
    for compute in (compute_eer, compute_interpolated_eer, compute_min_cllr):
        assert compute(weighted) == pytest.approx(compute(repeated), abs=1e-12)


def test_trials_may_be_left_out_by_truth_values() -> None:
    kept = np.array([True, False] * 7)
    trials = SortedTrials.of(SCORES, LABELS)
    assert compute_eer(trials.curve(kept)) == compute_eer(curve(SCORES[kept], LABELS[kept]))


def test_the_order_of_trials_does_not_matter() -> None:
    order = np.random.default_rng(1).permutation(14)
    assert compute_eer(curve(SCORES[order], LABELS[order])) == compute_eer(curve())


def test_costs_are_relative_to_the_better_of_accepting_and_rejecting_all() -> None:
    point = OperatingPoint(0.01, c_miss=10.0)
    assert point.cost(np.array([0.0, 1.0]), np.array([1.0, 0.0])) == pytest.approx([9.9, 1.0])
    assert point.bayes_threshold == pytest.approx(math.log(0.99 / 0.1))
    best = find_min_cost(curve(), OperatingPoint(0.01))
    assert (curve().p_miss[best], curve().p_fa[best]) == (1 / 3, 0.0)


def test_calibrated_ratios_ascend_and_keep_the_weights() -> None:
    fitted = calibrate(curve())
    assert (np.diff(fitted.llrs) > 0).all()
    assert (fitted.targets.sum(), fitted.others.sum()) == (6, 8)


def test_the_hull_has_only_corners() -> None:
    x, y = np.array([0.0, 1, 2, 2, 3, 4, 4]), np.array([0.0, 0, 0, 0, 3, 2, 4])
    assert find_hull(x, y).tolist() == [0, 2, 5, 6]
