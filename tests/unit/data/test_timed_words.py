"""Words with times, in the shapes in which rows contain them."""

from typing import Any

import pytest

from auricle.core.errors import SampleError
from auricle.core.types import Segment
from auricle.data.timed_words import parse_timed_words, read_reference


def test_lists_and_mappings_are_read() -> None:
    expected = (Segment(0.1, 0.3, "good"), Segment(0.3, 0.6, "day"))
    assert parse_timed_words([["good", 0.1, 0.3], ("day", "0.3", 0.6)]) == expected
    assert parse_timed_words([{"word": "good", "start": 0.1, "end": 0.3}, expected[1]]) == expected


@pytest.mark.parametrize("value", ["good", [["good", 0.1]], [["good", "x", 0.3]], [None], 7])
def test_anything_else_is_refused(value: Any) -> None:
    with pytest.raises(SampleError):
        parse_timed_words(value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([["a", 0.5, 0.4]], r"word 1 \('a'\) is from 0.5 s to 0.4 s"),
        ([["a", -0.1, 0.4]], r"word 1 \('a'\) is from -0.1 s"),
        ([["a", 0.5, 0.6], ["b", 0.4, 0.7]], r"word 2 \('b'\) starts at 0.4 s, before .* \(0.5 s\)"),
    ],
)
def test_a_reference_with_impossible_times_is_refused(words: Any, message: str) -> None:
    with pytest.raises(SampleError, match=message):
        read_reference({"words": words})


def test_a_row_without_words_has_no_reference() -> None:
    assert read_reference({}) is None
    assert read_reference({"segments": [{"start": 0, "end": 1}]}, "segments") == (Segment(0, 1),)
