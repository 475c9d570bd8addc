"""Differences as text."""

import math
from dataclasses import replace

import pytest

from auricle.metrics.matrix_difference import RecallChange
from auricle.report.difference_format import format_difference, format_difference_interval, typeset


@pytest.mark.parametrize(
    ("difference", "unit", "expected"),
    [
        (0.05, "share", "+5.00 pp"),
        (-0.05, "share", "-5.00 pp"),
        (0.25, "", "+0.2500"),
        (12.3456, "points", "+12.35"),
        (math.nan, "share", "–"),
    ],
)
def test_a_difference_has_a_sign_and_shares_are_in_percentage_points(
    difference: float, unit: str, expected: str
) -> None:
    assert format_difference(difference, unit) == expected


def test_the_size_of_a_difference_has_no_sign() -> None:
    assert format_difference(-0.05, "share", signed=False) == "5.00 pp"


def test_minus_signs_and_units_are_typeset() -> None:
    assert typeset("-5.00 pp") == "−5.00\u202fpp"


def test_an_interval_names_its_unit_once_and_may_be_undefined() -> None:
    change = RecallChange("sad", 0, 0, 0.5, 0.6, 0.1, low=-0.1, high=0.1)
    assert format_difference_interval(change, "share") == "−10.00 … +10.00\u202fpp"
    assert format_difference_interval(replace(change, low=math.nan, high=math.nan), "share") == "–"


def test_open_end_of_an_interval_is_infinite() -> None:
    assert format_difference(float("inf"), "dB") == "+∞"
    assert format_difference(float("-inf"), "share") == "-∞"
