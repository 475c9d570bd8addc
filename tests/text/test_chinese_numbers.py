"""Chinese readings of numbers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auricle.text.chinese_numbers import fold_numerals, read_cardinal, read_contextual_numbers, read_number


@pytest.mark.parametrize(
    ("value", "reading"),
    [
        (0, "零"),
        (10, "十"),
        (12, "十二"),
        (20, "二十"),
        (101, "一百零一"),
        (110, "一百一十"),
        (1_001, "一千零一"),
        (1_010, "一千零一十"),
        (10_000, "一万"),
        (10_010, "一万零一十"),
        (10_950, "一万零九百五十"),
        (10_001_000, "一千万一千"),
        (100_000, "十万"),
        (100_200, "十万零二百"),
        (1_000_000_001, "十亿零一"),
        (1_0000_0000_0000, "一万亿"),
    ],
)
def test_whole_numbers_are_read_as_quantities(value: int, reading: str) -> None:
    assert read_cardinal(value) == reading


def parse_quantity(reading: str) -> int:
    """Parse a Chinese quantity independently of the tested code."""
    places = {"十": 10, "百": 100, "千": 1000}
    total, section, digit = 0, 0, 0
    for character in reading:
        if character in "零一二三四五六七八九":
            digit = "零一二三四五六七八九".index(character)
        elif character in places:
            section, digit = section + (digit or 1) * places[character], 0
        else:
            power = {"万": 10**4, "亿": 10**8}[character]
            total, section, digit = (total + section + digit) * power, 0, 0
    return total + section + digit


@settings(deadline=None)
@given(st.integers(0, 10**8 - 1))
def test_a_quantity_parses_back_to_the_same_number(value: int) -> None:
    assert parse_quantity(read_cardinal(value)) == value


@settings(deadline=None)
@given(st.integers(0, 999_999), st.integers(0, 999))
def test_decimals_are_read_digit_by_digit(whole: int, fraction: int) -> None:
    reading = read_number(f"{whole}.{fraction}")
    assert reading.partition("点")[0] == read_cardinal(whole)
    assert len(reading.partition("点")[2]) == len(str(fraction))


@pytest.mark.parametrize(
    ("number", "reading"),
    [
        ("0", "零"),
        ("0.5", "零点五"),
        ("123456", "十二万三千四百五十六"),
        ("1234567", "一二三四五六七"),
        ("2" + "0" * 15, "二千万亿"),
        ("2" + "0" * 16, "二" + "零" * 16),
    ],
)
def test_long_numbers_are_read_digit_by_digit_unless_they_are_round(number: str, reading: str) -> None:
    assert read_number(number) == reading


def test_years_are_read_digit_by_digit_and_spellings_are_unified() -> None:
    assert read_contextual_numbers("2024年") == "二零二四年"
    assert fold_numerals("二〇二○年，两个") == "二零二零年，二个"
