"""Segments in the shapes in which people and libraries write them."""

from __future__ import annotations

from typing import Any

import pytest

from auricle.core.errors import SampleError
from auricle.core.segments import join_texts, parse_segments
from auricle.core.types import Segment


@pytest.mark.parametrize(
    ("value", "segment"),
    [
        (Segment(1.0, 2.0, "hello"), Segment(1.0, 2.0, "hello")),
        ({"start": 1, "end": 2.5}, Segment(1.0, 2.5)),
        ({"start_time": "1.5", "end_time": "2", "words": "a b", "speaker": 3}, Segment(1.5, 2.0, "a b", "3")),
        ({"start": 0, "end": 1, "word": " hello", "probability": 0.75}, Segment(0.0, 1.0, "hello", score=0.75)),
        ({"timestamp": (0.5, 1.0), "text": " hello"}, Segment(0.5, 1.0, "hello")),
        ({"onset": 0.25, "offset": 1, "event_label": "dog", "score": 0}, Segment(0.25, 1.0, "dog", score=0.0)),
        ({"start": 2, "duration": 0.5, "spk": "b"}, Segment(2.0, 2.5, speaker="b")),
        ({"start": 0, "end": 1, "words": [{"word": "good"}, {"word": "day"}]}, Segment(0.0, 1.0, "good day")),
    ],
)
def test_a_segment_is_read_under_usual_names(value: Any, segment: Segment) -> None:
    assert parse_segments([value]) == (segment,)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("hello", "expected a list of segments, got 'hello'"),
        ({"start": 0}, "expected a list of segments, got {'start': 0}"),
        (3, "expected a list of segments, got 3"),
        ([{"start": 0, "end": 1}, 7], "segment 2 is 7; expected start, end and text"),
        ([{"end": 1}], "segment 1 has no start: {'end': 1}"),
        ([{"start": 1, "text": "x"}], "segment 1 has no end"),
        ([{"start": "soon", "end": 1}], "segment 1: start is 'soon', expected seconds"),
        ([{"start": 0, "end": float("nan")}], "segment 1: end is nan, expected seconds"),
    ],
)
def test_what_is_no_segment_is_named(values: Any, message: str) -> None:
    with pytest.raises(SampleError) as error:
        parse_segments(values)
    assert message in str(error.value)


def test_texts_are_joined_in_the_order_of_time() -> None:
    assert join_texts([Segment(2.0, 3.0, " b "), Segment(0.0, 1.0, "a"), Segment(1.0, 2.0)]) == "a b"
