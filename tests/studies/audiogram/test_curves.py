"""When a model has stopped working, and summaries of a curve."""

import numpy as np
import pytest

from auricle.runs.metrics import FamilyFacts
from auricle.studies.audiogram.curves import FamilyCurve, MetricScale

CLEAN = np.array([0.1])


def make_curve(scale: MetricScale, **facts: object) -> FamilyCurve:
    family = FamilyFacts("loss", ("a", "b"), (0.1, 0.2), "share", is_harder_if_higher=True, **facts)  # type: ignore[arg-type]
    return FamilyCurve(family, [1, 2], scale)


def test_error_rate_may_double_and_rise_by_one_point() -> None:
    assert MetricScale(higher_is_better=False, unit="share").compute_criteria(CLEAN) == pytest.approx(0.21)
    assert MetricScale(higher_is_better=False, unit="").compute_criteria(np.array([3.0])) == pytest.approx(6.0)


def test_accuracy_may_lose_half_of_its_distance_to_chance() -> None:
    scale = MetricScale(higher_is_better=True, unit="share", chance=0.25)
    criteria = scale.compute_criteria(np.array([0.85, 0.25, 0.1]))
    assert criteria[0] == pytest.approx(0.55)
    assert np.isnan(criteria[1:]).all()
    assert "chance (0.25)" in scale.describe_criterion()


def test_clean_number_is_a_point_of_the_curve_if_it_has_a_level() -> None:
    values = np.array([[0.1, 0.15, 0.27]])
    scale = MetricScale(higher_is_better=False, unit="share")
    with_clean, without = make_curve(scale, clean_level=0.0), make_curve(scale)
    assert with_clean.axis.levels == (0.0, 0.1, 0.2)
    assert with_clean.compute_threshold(values)[0] == pytest.approx(0.15)
    assert with_clean.compute_area(values)[0] == pytest.approx((0.125 + 0.21) / 2)
    assert (with_clean.has_threshold, without.has_threshold, without.has_axis) == (True, False, True)


def test_threshold_of_an_accuracy_is_where_it_falls_below_the_criterion() -> None:
    curve = make_curve(MetricScale(higher_is_better=True, unit="share", chance=0.5), clean_level=0.0)
    values = np.array([[0.9, 0.8, 0.6]])
    assert curve.compute_threshold(values)[0] == pytest.approx(0.15)
    assert curve.compute_degradation(values)[0] == pytest.approx(0.2)
    assert curve.compute_relative_degradation(values)[0] == pytest.approx(0.2 / 0.9)


def test_relative_degradation_is_undefined_without_errors() -> None:
    curve = make_curve(MetricScale(higher_is_better=False, unit="share"))
    assert np.isnan(curve.compute_relative_degradation(np.array([[0.0, 0.1, 0.2]]))[0])
