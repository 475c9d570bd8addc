"""Readings and their strengths."""

from auricle.text import Reading, read_option


def test_a_reading_without_a_value_has_no_strength() -> None:
    assert read_option("Both A and B.", ["piano", "guitar"]) == Reading(None, None, refused=False)
