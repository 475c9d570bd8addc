"""Readings and their strengths."""

import pytest

from auricle.text import Reading, Strength, read_label, read_number, read_option, read_yes_no


def test_a_reading_without_a_value_has_no_strength() -> None:
    assert read_option("Both A and B.", ["piano", "guitar"]) == Reading(None, None, refused=False)


@pytest.mark.parametrize(
    ("reading", "strength"),
    [
        (read_option("The answer is B.", ["piano", "guitar"]), Strength.MARKER),
        (read_option("B", ["piano", "guitar"]), Strength.WHOLE_REPLY),
        (read_option("The melody is on a guitar.", ["piano", "guitar"]), Strength.OPTION_TEXT),
        (read_option("It might be B.", ["piano", "guitar"]), Strength.WEAK),
        (read_label("happy", ["sad", "happy"]), Strength.WHOLE_REPLY),
        (read_number("Score: 4"), Strength.MARKER),
        (read_yes_no("The answer is yes."), Strength.MARKER),
    ],
)
def test_a_reading_has_the_strength_of_its_statement(reading: Reading[object], strength: Strength) -> None:
    assert reading.strength is strength
