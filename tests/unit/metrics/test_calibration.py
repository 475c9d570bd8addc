"""Expected calibration error."""

import math

import pytest

from auricle.metrics.calibration import ExpectedCalibrationError


def test_the_error_is_over_fifteen_bins() -> None:
    stats = [(0.95, 1.0)] * 8 + [(0.95, 0.0)] * 2 + [(0.3, 0.0)] * 10
    error = ExpectedCalibrationError()
    assert error(stats) == pytest.approx(0.5 * 0.15 + 0.5 * 0.3)
    assert [(entry["n"], entry["accuracy"]) for entry in error.details(stats)["bins"]] == [(10, 0.0), (10, 0.8)]


def test_a_bin_includes_its_upper_end() -> None:
    (only,) = ExpectedCalibrationError().details([(0.2, 1.0)])["bins"]
    assert only["to"] == pytest.approx(0.2)


def test_no_statistics_have_no_error() -> None:
    assert math.isnan(ExpectedCalibrationError()([]))
