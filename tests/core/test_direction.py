"""Which of two numbers is better."""

import math

import pytest

from auricle.core.direction import Direction


@pytest.mark.parametrize(
    ("direction", "value", "other", "expected"),
    [
        (Direction.HIGHER, 2.0, 1.0, True),
        (Direction.LOWER, 2.0, 1.0, False),
        (Direction.ZERO, 0.1, 0.2, True),
        (Direction.ZERO, -0.3, -0.2, False),
        (Direction.ZERO, 0.0, -0.1, True),
        (Direction.ZERO, 0.1, -0.2, None),
        (Direction.NONE, 2.0, 1.0, None),
        (Direction.HIGHER, 1.0, 1.0, None),
        (Direction.LOWER, math.nan, 1.0, None),
    ],
)
def test_a_value_is_better_or_not(direction: Direction, value: float, other: float, expected: bool | None) -> None:
    assert direction.is_better(value, other) is expected


@pytest.mark.parametrize(
    ("direction", "best"),
    [(Direction.HIGHER, 3.0), (Direction.LOWER, -2.0), (Direction.ZERO, 1.0), (Direction.NONE, None)],
)
def test_the_best_of_several_values_is_chosen(direction: Direction, best: float | None) -> None:
    assert direction.choose_best([1.0, -2.0, 3.0]) == best
    assert direction.choose_best([]) is None


def test_values_on_both_sides_of_zero_are_only_higher_or_lower() -> None:
    assert Direction.ZERO.compare(0.1, -0.1) == "higher"
    assert Direction.ZERO.compare(-0.1, 0.1) == "lower"
    assert Direction.ZERO.compare(0.3, 0.1) == "worse (further from zero)"


def test_a_direction_follows_from_the_fields_of_a_metric() -> None:
    assert Direction.of(True) is Direction.HIGHER
    assert Direction.of(False) is Direction.LOWER
    assert Direction.of(False, "zero") is Direction.ZERO
    assert Direction.of(True, "none") is Direction.NONE


def test_every_direction_has_a_phrase_and_at_most_a_short_mark() -> None:
    assert [direction.arrow for direction in Direction] == ["↑", "↓", "→0", ""]
    assert len({direction.phrase for direction in Direction}) == len(Direction)
