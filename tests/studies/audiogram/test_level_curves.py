"""Curves against a level: isotonic fits, crossings that are never extrapolated, and areas."""

import math

import numpy as np
import pytest

from auricle.studies.audiogram.level_curves import (
    LevelAxis,
    bound_crossing,
    compute_areas,
    compute_excess,
    find_crossings,
    fit_rising,
)

SNR = LevelAxis((20, 10, 5, 0, -5))
ERROR_RATES = np.array([[0.05, 0.08, 0.20, 0.55, 0.90]])
EQUAL = [1] * 5


def pool_adjacent_violators(values: list[float], weights: list[float]) -> list[float]:
    """Fit by the textbook algorithm: merge neighbours while the first is higher."""
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(values, weights, strict=True):
        blocks.append((value, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (value_b, weight_b, count_b), (value_a, weight_a, count_a) = blocks.pop(), blocks.pop()
            total = weight_a + weight_b
            blocks.append(((value_a * weight_a + value_b * weight_b) / total, total, count_a + count_b))
    return [value for value, _, count in blocks for _ in range(count)]


def test_fit_is_that_of_pooling_adjacent_violators() -> None:
    random = np.random.default_rng(1)
    curves, weights = random.random((200, 7)), random.integers(1, 50, 7).tolist()
    expected = [pool_adjacent_violators(curve.tolist(), weights) for curve in curves]
    np.testing.assert_allclose(fit_rising(curves, weights), expected)


def test_speech_reception_threshold_and_area_of_a_known_curve() -> None:
    assert find_crossings(SNR, ERROR_RATES, np.array([0.5]), EQUAL).levels[0] == pytest.approx(0.7142857)
    assert compute_areas(SNR, ERROR_RATES)[0] == pytest.approx(0.274)


@pytest.mark.parametrize(("criterion", "beyond", "nearest"), [(0.95, -np.inf, -5), (0.01, np.inf, 20)])
def test_threshold_beyond_the_levels_is_not_extrapolated(criterion: float, beyond: float, nearest: float) -> None:
    crossings = find_crossings(SNR, ERROR_RATES, np.array([criterion]), EQUAL)
    assert (crossings.levels[0], crossings.nearest[0]) == (beyond, nearest)


def test_threshold_of_levels_that_are_harder_if_higher() -> None:
    axis = LevelAxis((0.0, 0.5, 1.0))
    curves = np.array([[0.1, 0.1, 0.3], [0.1, 0.1, 0.1], [0.5, 0.6, 0.7]])
    crossings = find_crossings(axis, curves, np.array([0.2, 0.2, 0.2]), [1, 1, 1])
    assert crossings.levels.tolist() == [0.75, np.inf, -np.inf]
    assert crossings.nearest.tolist() == [0.75, 1.0, 0.0]


def test_logarithmic_axis_is_interpolated_by_ratios() -> None:
    axis = LevelAxis((16.0, 4.0, 1.0), is_logarithmic=True)
    curve = np.array([[0.0, 0.5, 1.0]])
    assert find_crossings(axis, curve, np.array([0.25]), [1, 1, 1]).levels[0] == pytest.approx(8.0)
    assert compute_areas(axis, curve)[0] == pytest.approx(0.5)


def test_crossing_is_undefined_without_a_criterion_or_a_value() -> None:
    curves = np.array([[0.1, 0.2, 0.3], [0.1, np.nan, 0.3]])
    crossings = find_crossings(LevelAxis((2, 1, 0)), curves, np.array([np.nan, 0.2]), [1, 1, 1])
    assert np.isnan(crossings.levels).all()


def test_error_rates_above_one_count_as_one_in_areas() -> None:
    curve = np.array([[0.5, 3.0]])
    assert compute_areas(LevelAxis((1, 0)), curve, is_error_rate=True)[0] == pytest.approx(0.75)
    assert compute_areas(LevelAxis((1, 0)), curve)[0] == pytest.approx(1.75)


def test_a_crossing_is_bounded_by_where_the_curve_may_reach_its_criterion() -> None:
    axis = LevelAxis((20.0, 10.0, 0.0))
    excess = compute_excess(np.array([[0.0, 0.2, 0.6]]), np.array([0.3]), [1.0] * 3)[0]
    assert bound_crossing(axis, excess - 0.1, excess + 0.1) == pytest.approx((5.0, 10.0))
    assert bound_crossing(axis, excess - 0.35, excess + 0.1) == pytest.approx((-math.inf, 10.0))
    assert bound_crossing(axis, excess - 1, excess + 1) == (-math.inf, math.inf)
    assert bound_crossing(axis, excess - 1.1, excess - 1) == (-math.inf, -math.inf)
    assert bound_crossing(axis, excess + 1, excess + 1.1) == (math.inf, math.inf)
