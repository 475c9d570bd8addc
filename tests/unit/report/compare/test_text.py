"""A comparison as text."""

import math

import pytest

from auricle.report.compare.text import format_difference, format_p_value


@pytest.mark.parametrize(
    ("difference", "unit", "expected"),
    [(0.05, "share", "+5.00 pp"), (-0.05, "share", "-5.00 pp"), (math.nan, "share", "–")],
)
def test_a_difference_of_shares_is_in_percentage_points(difference: float, unit: str, expected: str) -> None:
    assert format_difference(difference, unit) == expected


def test_a_small_p_value_is_an_upper_bound() -> None:
    assert format_p_value(1e-9).startswith("<")
    assert format_p_value(0.25) == "0.250"
