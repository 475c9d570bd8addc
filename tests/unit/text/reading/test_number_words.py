"""Number words of replies."""

import pytest

from auricle.text.reading.number_words import NumberWords, expand_fractions
from auricle.text.reading.rules import rules_for_languages


@pytest.mark.parametrize(
    ("language", "reply", "digits"),
    [
        ("en", "four out of five", "4 out of 5"),
        ("en", "three and a half stars", "3.5 stars"),
        ("en", "three point five", "3.5"),
        ("en", "minus two", "-2"),
        ("en", "eighty-five", "85"),
        ("en", "this one is fine", "this one is fine"),
        ("en", "one star", "1 star"),
        ("en", "4,5", "4 - 5"),
        ("en", "4,5/5", "4.5/5"),
        ("de", "4,5", "4.5"),
        ("de", "dreieinhalb", "3.5"),
        ("ru", "три с половиной", "3.5"),
        ("zh", "三分半", "3.5分"),
        ("zh", "八十五分", "85分"),
        ("zh", "十分自然", "十分自然"),
        ("ko", "칠 점", "7 점"),
    ],
)
def test_numbers_are_written_as_digits(language: str, reply: str, digits: str) -> None:
    assert NumberWords(rules_for_languages((language,))).write_digits(reply) == digits


def test_fractions_are_expanded() -> None:
    assert [expand_fractions(text) for text in ("2½", "2 ½", "½", "¾")] == ["2.5", "2.5", "0.5", "0.75"]


def test_a_million_digits_are_no_fraction() -> None:
    """Looking for a fraction after each of them would take hours."""
    assert expand_fractions("1" * 1_000_000) == "1" * 1_000_000
