"""Figures of a detector, and their section of a report."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from auricle.core.signature import MetricSignature, Signature
from auricle.runs.metrics import Number
from auricle.tasks.speakers.figures import ShareAxis, draw_calibration, draw_det, draw_scores, has_figures
from auricle.tasks.speakers.metrics import eer


def make_number(count: int = 400) -> Number:
    rng = np.random.default_rng(0)
    targets = rng.random(count) < 0.4
    stats = np.column_stack([rng.normal(np.where(targets, 1, -1)), targets, np.full((count, 2), -1)])
    details: Any = {**eer.details(stats), **eer.plot_data(stats)}
    signature = Signature(MetricSignature.parse(eer.signature))
    numbers: Any = {"value": 0.16, "low": 0.12, "high": 0.2}
    return Number(metric="eer", title="EER", plot="detection", details=details, signature=signature, **numbers)


def test_an_axis_of_shares_is_that_of_normal_quantiles() -> None:
    axis = ShareAxis(0.01, 0.99)
    assert axis.position(0.5) == pytest.approx(0.5)
    assert axis.position(0.01) == 0.0
    assert axis.position(0.0) == 0.0  # beyond the end
    assert axis.position(0.2) == pytest.approx(1 - axis.position(0.8))
    assert axis.ticks == [0.02, 0.1, 0.4, 0.8, 0.95]  # further ones would touch


def test_the_curve_has_its_marks() -> None:
    drawing = str(draw_det(make_number()))
    assert drawing.count('<polyline class="curve"') == 1
    assert "95 % interval of the EER" in drawing
    assert drawing.count("minDCF") == 2


def test_without_an_interval_the_curve_has_none() -> None:
    drawing = str(draw_det(replace(make_number(), low=None, high=None)))
    assert "95 % interval" not in drawing
    assert "EER" not in str(draw_det(replace(make_number(), value=None, low=None, high=None)))


def test_both_classes_have_a_histogram() -> None:
    drawing = str(draw_scores(make_number().details))
    assert drawing.count("<polygon") == 2
    assert "Same speaker" in drawing
    assert "Different speakers" in drawing


def test_calibration_is_drawn_if_scores_overlap() -> None:
    details = make_number().details
    assert "polyline" in str(draw_calibration(details))
    assert draw_calibration({"calibration": {"points": [[0.0, 1.0]]}}) is None


def test_only_numbers_with_a_curve_have_figures() -> None:
    assert has_figures(make_number())
    assert not has_figures(replace(make_number(), details={}))
    assert not has_figures(replace(make_number(), plot=""))
