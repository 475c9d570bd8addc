"""Expectations about agents, as people write them and as they are stored."""

import orjson
import pytest

from auricle.core.errors import SpecError
from auricle.tasks.calls.expectations import Expectation, parse_expectations


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("contains", "nine", Expectation("contains", ("nine",))),
        ("contains", ["nine", 9], Expectation("contains", ("nine", "9"))),
        ("not_contains", "Monday", Expectation("not_contains", ("Monday",))),
        ("matches", "9 ?(am|a.m.)", Expectation("matches", ("9 ?(am|a.m.)",))),
        ("judge", "The agent is polite.", Expectation("judge", ("The agent is polite.",))),
        ("tool", "book", Expectation("tool", tool="book")),
        ("tool", "book()", Expectation("tool", tool="book")),
        (
            "tool",
            'book(day="Friday", people=4, window=true, note=null, extras=["high chair"])',
            Expectation(
                "tool",
                tool="book",
                arguments={"day": "Friday", "people": 4, "window": True, "note": None, "extras": ["high chair"]},
            ),
        ),
        ("no_tool", "cancel", Expectation("no_tool", tool="cancel")),
    ],
)
def test_expectations_are_read_and_stored(kind: str, value: object, expected: Expectation) -> None:
    assert Expectation.parse(kind, value) == expected
    assert parse_expectations(orjson.loads(orjson.dumps([expected.to_json()]))) == (expected,)


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        ("includes", "nine", "Unknown expectation 'includes'. Expected one of: contains, not_contains"),
        ("contains", "", "Invalid contains '': expected a text"),
        ("contains", [], r"Invalid contains \[\]: expected a text"),
        ("matches", "(", r"Invalid regular expression '\('"),
        ("tool", "book(Friday)", 'expected a call such as book_table\\(day="Friday"\\)'),
        ("tool", "book(day=open('x'))", "Invalid tool call"),
        ("tool", "book(", "Invalid tool call"),
        ("tool", 3, "Invalid tool call 3"),
    ],
)
def test_what_is_wrong_with_an_expectation_is_stated(kind: str, value: object, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        Expectation.parse(kind, value)


def test_a_sample_without_a_target_has_no_expectations() -> None:
    assert parse_expectations(None) == ()
    with pytest.raises(SpecError, match="expected a list"):
        parse_expectations("nine")


def test_expectations_are_shown_as_they_are_written() -> None:
    assert str(Expectation("contains", ("nine", "9"))) == "contains nine | 9"
    assert str(Expectation("tool", tool="book", arguments={"people": 4})) == "tool book(people=4)"
