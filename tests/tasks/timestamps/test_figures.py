"""Pictures and tables of the times of words."""

from typing import Any

import pytest

from auricle.core.types import Generation, Record, Sample, Segment
from auricle.tasks.timestamps.figures import (
    MAX_WORST_WORDS,
    WordTimes,
    build_word_times,
    draw_error_curve,
    draw_word_times,
    list_worst_words,
)

REFERENCE: Any = [["one", 0.1, 0.5], ["two", 0.6, 0.9], ["three", 1.0, 1.4]]
ANSWER = (Segment(0.12, 0.5, "One"), Segment(0.6, 0.8, "too"), Segment(1.25, 1.4, "three,"))


def make_record(words: Any = REFERENCE, segments: tuple[Segment, ...] | None = ANSWER) -> Record:
    sample = Sample(id="a", inputs={}, meta={} if words is None else {"words": words})
    return Record(sample=sample, row=0, outputs=(Generation(text="", segments=segments),), audio_seconds=2.0)


def build(**arguments: Any) -> WordTimes:
    times = build_word_times(make_record(**arguments), "")
    assert times is not None
    return times


def test_words_are_matched_after_normalising() -> None:
    times = build()
    assert [word.is_matched for word in times.reference] == [True, False, True]
    assert [word.word for word in times.hypothesis] == ["one", "too", "three"]


@pytest.mark.parametrize(("words", "segments"), [(None, ANSWER), (REFERENCE, None), ([["a", 0, 9]], ANSWER)])
def test_samples_without_readable_times_have_no_picture(words: Any, segments: Any) -> None:
    assert build_word_times(make_record(words, segments), "basic") is None


def test_a_failed_sample_has_no_picture() -> None:
    record = Record(sample=make_record().sample, row=0)
    assert build_word_times(record, "basic") is None


def test_the_worst_words_come_first_and_exact_ones_are_left_out() -> None:
    words = list_worst_words([("a", build())])
    assert [(word.word, word.start_error, word.end_error) for word in words] == [("three", 250, 0), ("one", 20, 0)]
    exact = build(segments=tuple(Segment(start, end, word) for word, start, end in REFERENCE))
    assert list_worst_words([("a", exact)]) == []
    assert len(list_worst_words([("a", build())] * 50)) == MAX_WORST_WORDS


def test_the_picture_has_a_box_for_every_word_and_a_line_for_every_matched_boundary() -> None:
    figure = str(draw_word_times(build(), "a"))
    drawing = figure[figure.index("<svg") : figure.index("</svg>") + len("</svg>")]
    assert drawing.count("<rect") == 6
    assert drawing.count('class="whisker"') == 4
    assert "three: 1.250 – 1.400 s" in drawing
    assert "too: 0.600 – 0.800 s, not matched" in drawing
    assert "playhead" in figure


def test_hostile_words_are_escaped() -> None:
    figure = str(draw_word_times(build(words=[["<b>", 0.1, 1.9]], segments=(Segment(0.1, 1.9, "<b>"),)), "<i>"))
    assert "<b>" not in figure
    assert "of <i>" not in figure


def test_times_before_the_recording_are_drawn_at_its_edge() -> None:
    assert 'x="-' not in str(draw_word_times(build(segments=(Segment(-5.0, 0.2, "one"),)), "a"))


def test_the_curve_has_a_point_for_every_limit() -> None:
    figure = str(draw_error_curve({"Starts": {"0": 0.0, "20": 0.5, "1000": 1.0}, "Ends": {"0": 0.25, "1000": 0.75}}))
    assert figure.count("<circle") == 5
    assert "Starts: 50.0 % within 20 ms" in figure
    assert "Ends: 75.0 % within 1000 ms" in figure
