"""Numbers in digits and in words, by value."""

import random

import pytest

from auricle.text.chinese_numbers import read_cardinal
from auricle.text.spoken_numbers import Mention, read_mentions

ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def spell(value: int) -> str:
    """Spell out a number below a trillion in English."""
    for name, size in (("billion", 10**9), ("million", 10**6), ("thousand", 1000), ("hundred", 100)):
        if value >= size:
            high, low = divmod(value, size)
            joint = " and " if name == "hundred" else " "
            return f"{spell(high)} {name}" + (f"{joint}{spell(low)}" if low else "")
    if value < len(ONES):
        return ONES[value]
    tens, ones = divmod(value, 10)
    return TENS[tens - 2] + (f"-{ONES[ones]}" if ones else "")


def readings(text: str) -> list[list[tuple[str, ...]]]:
    return [list(part.readings) for part in read_mentions(text) if isinstance(part, Mention)]


def test_spelled_numbers_are_read_back() -> None:
    rng = random.Random(1)
    values = [*range(2, 200), *(rng.randrange(10 ** rng.randint(3, 12)) for _ in range(500))]
    for value in values:
        assert (str(value),) in readings(f"about {spell(value)} people")[0], spell(value)
        assert (str(value),) in readings(f"{value:,} people")[0]


def test_chinese_numerals_are_read_back() -> None:
    rng = random.Random(2)
    for value in [*range(2, 120), *(rng.randrange(10 ** rng.randint(3, 11)) for _ in range(300))]:
        assert readings(f"有{read_cardinal(value)}个")[0][0] == (str(value),), read_cardinal(value)


@pytest.mark.parametrize(
    ("spoken", "written"),
    [
        ("twenty twenty", "2020"),
        ("nineteen oh five", "1905"),
        ("one two three", "123"),
        ("double oh seven", "007"),
        ("ten thirty", "10:30"),
        ("seven", "7:00"),
        ("five dollars and fifty", "$5.50"),
        ("three point one four", "3.14"),
        ("two point five million", "2,500,000"),
        ("2.5 million", "2500000"),
        ("the twenty first", "the 21st"),
        ("the nineteen nineties", "the 1990s"),
        ("minus five", "-5"),
        ("minus -5", "-5"),
        ("二零二四", "2024"),
        ("三点五", "3.5"),
        ("八点三十", "8:30"),
        ("1.50", "1.5"),
    ],
)
def test_both_spellings_share_a_reading(spoken: str, written: str) -> None:
    (first,), (second,) = readings(spoken), readings(written)
    assert set(first) & set(second)


@pytest.mark.parametrize(
    ("first", "second"), [("thirteen", "thirty"), ("1.5", "15"), ("-5", "5"), ("two hundred", "two hundred one")]
)
def test_other_values_share_none(first: str, second: str) -> None:
    assert not set(readings(first)[0]) & set(readings(second)[0])


def test_a_word_that_cannot_continue_a_number_begins_the_next() -> None:
    for text, values in {
        "zero hundred": ("0", "100"),
        "two hundred 50": ("200", "50"),
        "one hundred hundred": ("100", "100"),
        "ten twenty one": ("10", "21"),
        "twenty zero": ("20", "0"),
        "first second": ("1", "2"),
    }.items():
        assert readings(text)[0][0] == values, text


def test_words_that_are_usually_no_number_are_uncertain_alone() -> None:
    for text in ("one", "first", "second", "oh", "一"):
        (mention,) = read_mentions(text)
        assert isinstance(mention, Mention)
        assert not mention.is_certain
    (mention,) = read_mentions("twenty one")
    assert isinstance(mention, Mention)
    assert mention.is_certain


def test_digits_within_words_are_no_numbers_and_units_may_follow_digits() -> None:
    assert readings("MP3 B2B") == []
    assert readings("5km") == [[("5",)]]
    assert [part.text for part in read_mentions("and point to double it's minus")] == [
        "and", "point", "to", "double", "it's", "minus",
    ]  # fmt: skip


def test_very_long_numbers_are_read() -> None:
    digits = "9" * 5000
    assert readings(digits) == [[(digits,)]]
