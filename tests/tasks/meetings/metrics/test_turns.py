"""References and answers as segments."""

from __future__ import annotations

import pytest

from auricle.core.errors import AnswerMismatch, Unreadable
from auricle.core.types import Generation, Sample, Segment
from auricle.tasks.meetings.metrics.turns import (
    REFERENCE_FIELD,
    Reference,
    read_answer,
    read_plain_text,
    read_reference,
    read_speakers,
    store_reference,
)
from auricle.tasks.meetings.segment_files import Region


def test_a_reference_is_stored_and_read_again() -> None:
    segments = (Segment(0.1, 0.3, "hi", "anna"), Segment(1.0, 2.0, speaker="ben"))
    reference = Reference(segments, (Region(0.0, 5.0),), (Region(1.0, 1.5),), 2)
    stored = store_reference(reference)
    assert stored["segments"] == [
        {"start": 0.1, "end": 0.3, "speaker": "anna", "text": "hi"},
        {"start": 1.0, "end": 2.0, "speaker": "ben"},
    ]
    assert read_reference(Sample(id="m", inputs={}, meta={REFERENCE_FIELD: stored})) == reference


def test_a_sample_with_a_text_only_has_no_segments() -> None:
    reference = read_reference(Sample(id="m", inputs={}, target="hello"))
    assert reference == Reference(None)
    assert not reference.has_speakers
    assert not reference.has_words


@pytest.mark.parametrize(
    ("segments", "has_speakers", "has_words"),
    [
        ((), True, True),  # a recording without speech: its words are none
        ((Segment(0.0, 1.0, "", "a"),), True, False),
        ((Segment(0.0, 1.0, "x"),), False, True),
        ((Segment(0.0, 1.0, "x", "a"), Segment(1.0, 2.0, "y")), False, True),
    ],
)
def test_it_is_known_what_a_reference_has(segments: tuple[Segment, ...], has_speakers: bool, has_words: bool) -> None:
    reference = Reference(segments)
    assert (reference.has_speakers, reference.has_words) == (has_speakers, has_words)


def test_a_segment_is_scored_if_its_middle_is() -> None:
    reference = Reference((), (Region(0.0, 10.0), Region(20.0, 30.0)), (Region(4.0, 6.0),))
    times = [(0.0, 2.0), (4.5, 5.0), (9.0, 13.0), (5.0, 8.0), (22.0, 24.0), (5.0, 7.0)]
    assert [reference.is_scored(Segment(*time)) for time in times] == [True, False, False, True, True, True]


def test_reported_segments_are_used_before_the_text() -> None:
    segments = (Segment(0.0, 1.0, "hi", "a"),)
    assert read_answer(Generation(text="anything", segments=segments)) == segments
    assert read_answer(Generation(text="m 1 a 0 1 hi")) == segments
    assert read_answer(Generation(text=" ")) == ()


def test_an_answer_whose_segment_ends_before_it_starts_is_unreadable() -> None:
    with pytest.raises(Unreadable, match=r"segment 1: the end 1\.0 is before the start 3\.0"):
        read_answer(Generation(text="", segments=(Segment(3.0, 1.0, "x", "a"),)))


def test_an_answer_of_several_recordings_is_unreadable() -> None:
    with pytest.raises(Unreadable, match=r"segments of 2 recordings \(m, n\)"):
        read_answer(Generation(text="m 1 a 0 1 hi\nn 1 a 0 1 hi"))


def test_a_plain_text_is_an_answer_of_another_kind() -> None:
    with pytest.raises(AnswerMismatch, match="expected RTTM, STM, CTM or a JSON list, got 'good morning'"):
        read_answer(Generation(text="good morning"))
    with pytest.raises(AnswerMismatch, match="without a speaker"):
        read_speakers(Generation(text="", segments=(Segment(0.0, 1.0, "hi"), Segment(1.0, 2.0, "hi", "anna"))))


@pytest.mark.parametrize(
    ("output", "text"),
    [
        (Generation(text="good morning"), "good morning"),
        (Generation(text="m 1 b 2 3 day\nm 1 a 0 1 good"), "good day"),
        (Generation(text="Good day.", segments=(Segment(2.0, 3.0, "day"), Segment(0.0, 1.0, "good"))), "good day"),
        (Generation(text="Good day.", segments=(Segment(2.0, 3.0, "", "a"),)), "Good day."),
        (Generation(text="SPEAKER m 1 0 1 <NA> <NA> a <NA> <NA>"), ""),
    ],
)
def test_the_plain_text_has_the_words_in_the_order_of_time(output: Generation, text: str) -> None:
    assert read_plain_text(output) == text


def test_an_incomplete_list_is_no_plain_text() -> None:
    with pytest.raises(Unreadable, match="line 1: not valid JSON"):
        read_plain_text(Generation(text='[{"start": 0, "end": 1, "text": "hi"'))
