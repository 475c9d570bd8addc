"""Ratings in replies."""

import pytest

from auricle.text import Strength, read_number

SCALE = (1.0, 5.0)


@pytest.mark.parametrize(
    ("reply", "value", "strength"),
    [
        ("4", 4, Strength.WHOLE_REPLY),
        ("4.5", 4.5, Strength.WHOLE_REPLY),
        ("2½", 2.5, Strength.WHOLE_REPLY),
        ("★★★★☆", 4, Strength.WHOLE_REPLY),
        ("4 out of 5", 4, Strength.WHOLE_REPLY),
        ("four stars", 4, Strength.WHOLE_REPLY),
        ("4. The voice is clear.", 4, Strength.WHOLE_REPLY),
        ("Score: 4/5", 4, Strength.MARKER),
        ("On a scale from 1 to 5, I would give it a 4.", 4, Strength.MARKER),
        ("Ich vergebe die Note 4,5.", 4.5, Strength.MARKER),
        ("我给4分（满分5分）。", 4, Strength.MARKER),
        ("The voice deserves 4 points.", 4, Strength.STATEMENT),
        ('{"reasoning": "2 clicks", "score": 4}', 4, Strength.STRUCTURE),
        ("\\boxed{4}", 4, Strength.STRUCTURE),
        ("<think>3?</think>4", 4, Strength.WHOLE_REPLY),
    ],
)
def test_a_rating_is_read(reply: str, value: float, strength: Strength) -> None:
    reading = read_number(reply, SCALE)
    assert (reading.value, reading.strength) == (value, strength)


@pytest.mark.parametrize(
    "reply",
    [
        *("", "6", "0", "3-4", "3 to 4", "3 or 4", "4,5", "4/10", "8 out of 10", "three or four"),
        "Score: 3. No, wait, score: 4",
        "Score: 3\nScore: 4",
        "At least 4 points.",
        "There are 4 speakers.",
        "Not 4 points.",
        "Is it 4 points?",
    ],
)
def test_ranges_bounds_other_scales_and_other_numbers_are_not_read(reply: str) -> None:
    assert read_number(reply, SCALE).value is None


def test_any_number_is_read_without_limits() -> None:
    assert read_number("Answer: 1,250").value == 1250
    assert read_number("-3").value == -3


def test_a_refusal_to_rate_is_none() -> None:
    assert read_number("I'm sorry, but I cannot rate it without the audio.", SCALE).refused
