"""Numbers of speaker verification against scikit-learn, brute force, and recorded values of the package `lir`."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import det_curve

from auricle.metrics.intervals import compute_interval
from auricle.tasks.speakers.detection import (
    OperatingPoint,
    SortedTrials,
    compute_eer,
    compute_interpolated_eer,
    compute_min_cllr,
    compute_min_cost,
    trial_costs,
)
from auricle.tasks.speakers.metrics import eer

LIR = {
    1: (0.9236220737362744, 0.7700400846093093),
    2: (0.9243550144498771, 0.7582944325682037),
    3: (0.9686735146852741, 0.8459397673397756),
}
"""Cllr and minimal Cllr of `draw_rounded(seed)`, by `cllr` and `cllr_min` of lir 1.3.1."""


def draw_rounded(seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, 200)
    return np.round(rng.normal(np.where(labels, 1, -1), 2), 1 if seed < 3 else 0), labels == 1


def draw(seed: int) -> tuple[Any, Any]:
    """Draw scores of one to sixty trials, with and without ties, of separate and of equal classes."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 60))
    labels = rng.random(count) < rng.choice([0.1, 0.5, 0.9])
    labels[:2] = True, False
    scores = rng.normal(np.where(labels, rng.choice([-0.5, 0.0, 1.0, 5.0]), 0.0))
    return np.round(scores, int(rng.integers(0, 4))), labels


def list_points(scores: Any, labels: Any) -> list[tuple[float, float]]:
    """List (false alarms, misses) at every threshold, by counting."""
    thresholds = [-math.inf, *sorted({*scores.tolist()}), math.inf]
    return [(float((scores[~labels] >= at).mean()), float((scores[labels] < at).mean())) for at in thresholds]


@pytest.mark.parametrize("seed", LIR)
def test_likelihood_ratio_costs_equal_those_of_lir(seed: int) -> None:
    scores, labels = draw_rounded(seed)
    costs = trial_costs(scores, labels)
    assert (costs[labels].mean() + costs[~labels].mean()) / 2 == pytest.approx(LIR[seed][0], abs=1e-12)
    assert compute_min_cllr(SortedTrials.of(scores, labels).curve()) == pytest.approx(LIR[seed][1], abs=1e-12)


@pytest.mark.parametrize("seed", range(60))
def test_costs_equal_a_search_over_all_thresholds(seed: int) -> None:
    scores, labels = draw(seed)
    curve = SortedTrials.of(scores, labels).curve()
    for point in (OperatingPoint(0.01), OperatingPoint(0.5), OperatingPoint(0.05, c_miss=10, c_fa=2)):
        miss, fa = point.c_miss * point.p_target, point.c_fa * (1 - point.p_target)
        expected = min((miss * y + fa * x) / min(miss, fa) for x, y in list_points(scores, labels))
        assert compute_min_cost(curve, point) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(60))
def test_the_error_rate_on_the_hull_equals_a_search_over_all_pairs_of_thresholds(seed: int) -> None:
    """The hull crosses the diagonal where the lowest line between any two points of the curve does."""
    scores, labels = draw(seed)
    points = list_points(scores, labels)
    below, above = (
        [point for point in points if point[1] <= point[0]],
        [point for point in points if point[1] > point[0]],
    )
    expected = min(x + (x - y) / ((x - y) + (v - u)) * (u - x) for (x, y), (u, v) in itertools.product(below, above))
    assert compute_eer(SortedTrials.of(scores, labels).curve()) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_the_interpolated_error_rate_equals_that_of_det_curve(seed: int) -> None:
    scores, labels = draw(seed)
    false_alarms, misses, _ = det_curve(labels, scores, drop_intermediate=False)
    false_alarms, misses = np.append(false_alarms, 0.0), np.append(misses, 1.0)
    false_alarms, misses = np.insert(false_alarms, 0, 1.0), np.insert(misses, 0, 0.0)
    difference = misses - false_alarms
    after = int((difference >= 0).argmax())
    share = -difference[after - 1] / (difference[after] - difference[after - 1])
    expected = misses[after - 1] + share * (misses[after] - misses[after - 1])
    assert compute_interpolated_eer(SortedTrials.of(scores, labels).curve()) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_minimal_cllr_equals_isotonic_regression(seed: int) -> None:
    scores, labels = draw(seed)
    posteriors = IsotonicRegression(y_min=0, y_max=1).fit(scores, labels).predict(scores)
    prior = labels.mean()
    with np.errstate(divide="ignore"):
        ratios = np.log(posteriors) - np.log1p(-posteriors) - math.log(prior / (1 - prior))
    costs = np.logaddexp(0.0, np.where(labels, -ratios, ratios)) / math.log(2)
    expected = (costs[labels].mean() + costs[~labels].mean()) / 2
    assert compute_min_cllr(SortedTrials.of(scores, labels).curve()) == pytest.approx(expected, abs=1e-9)


def test_the_error_rate_of_many_scores_is_on_the_hull_of_scipy() -> None:
    rng = np.random.default_rng(4)
    labels = rng.random(3_000) < 0.2
    scores = rng.normal(np.where(labels, 1.0, -1.0))
    points = np.array(list_points(scores, labels))
    corners = points[ConvexHull(points).vertices]
    lower = corners[corners.sum(axis=1) <= 1 + 1e-12]
    ordered = lower[np.argsort(lower[:, 0])]
    after = int((ordered[:, 0] >= ordered[:, 1]).argmax())
    (x, y), (u, v) = ordered[after - 1], ordered[after]
    share = (y - x) / ((y - x) + (u - v))
    assert compute_eer(SortedTrials.of(scores, labels).curve()) == pytest.approx(x + share * (u - x), abs=1e-9)


def test_intervals_by_speaker_contain_the_true_error_rate() -> None:
    """`bench/verification.py coverage` repeats it more often, for other numbers of speakers and other metrics."""
    truth = eer.aggregate(draw_speakers(np.random.default_rng(1), 2_000))
    intervals = [compute_interval(draw_speakers(np.random.default_rng([3, at]), 12), eer.aggregate) for at in range(80)]
    coverage = np.mean([interval.low <= truth <= interval.high for interval in intervals])
    assert 0.88 <= coverage <= 1.0
    widths = [interval.high - interval.low for interval in intervals]
    assert np.mean(widths) < 0.3


def draw_speakers(rng: np.random.Generator, speakers: int) -> Any:
    """Draw cosines of embeddings: thirty targets and others of each speaker, who is easy or hard to recognise."""
    spread = np.exp(rng.normal(0, 0.25, (speakers, 1, 1)))
    vectors = rng.normal(size=(speakers, 1, 16)) + spread * rng.normal(size=(speakers, 10, 16))
    vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
    a, same = np.repeat(np.arange(speakers), 60), np.tile(np.arange(60) < 30, speakers)
    b = np.where(same, a, (a + 1 + rng.integers(0, speakers - 1, len(a))) % speakers)
    first = rng.integers(0, 10, len(a))
    scores = (vectors[a, first] * vectors[b, (first + 1 + rng.integers(0, 9, len(a))) % 10]).sum(axis=1)
    return np.column_stack([scores, same, a, b]).astype(np.float64)
