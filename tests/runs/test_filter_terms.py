"""Tests of the language of filters."""

import pytest

from auricle.core.errors import SpecError
from auricle.runs.filter_terms import Term, format_filter, group_alternatives, parse_terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("word", [Term("", ":", "word")]),
        ('"two words"', [Term("", ":", "two words")]),
        ("-a:b", [Term("a", ":", "b", is_negated=True)]),
        ("a>=5 b!=c", [Term("a", ">=", "5"), Term("b", "!=", "c")]),
        ('label="very \\"loud\\""', [Term("label", "=", 'very "loud"')]),
        ('"room size"=big', [Term("room size", "=", "big")]),
        ('predicted=""', [Term("predicted", "=", "")]),
        ("wer@none>5", [Term("wer@none", ">", "5")]),
        ("label=生气/angry", [Term("label", "=", "生气/angry")]),
    ],
)
def test_filters_are_split_into_terms(text: str, terms: list[Term]) -> None:
    assert parse_terms(text) == terms


@pytest.mark.parametrize("field", ["label", "room size", "a:b", "", '"', "-x"])
@pytest.mark.parametrize("value", ["sad", "two words", 'a "b"', "", "-x", "a:b", "\\", '\\"', "x>5", "\n"])
def test_written_terms_are_read_unchanged(field: str, value: str) -> None:
    terms = [Term(field, "=" if field else ":", value), Term("other", ">", "5", is_negated=True)]
    assert parse_terms(format_filter(*terms)) == terms


def test_plain_words_are_written_without_quotes() -> None:
    assert format_filter(Term("", ":", "kitchen"), Term("accent", "=", "north")) == "kitchen accent=north"


def test_equal_values_of_one_field_are_alternatives() -> None:
    groups = group_alternatives(parse_terms("a=1 b=2 a=3 -a=4 a:5"))
    assert [[term.value for term in group] for group in groups] == [["1", "3"], ["2"], ["4"], ["5"]]


@pytest.mark.parametrize(("value", "number"), [("20", 20.0), ("-3.5", -3.5), ("5%", 5.0), ("2min", 120.0)])
def test_numbers_may_have_units(value: str, number: float) -> None:
    assert Term("x", ">", value).parse_number() == number


def test_comparison_without_a_number_is_explained() -> None:
    with pytest.raises(SpecError, match=r"wer is compared with 'much'. Write, for example, wer>20."):
        Term("wer", ">", "much").parse_number()
