"""What metrics of times read, and what they refuse."""

import pytest

from auricle.core.errors import SampleError, Unsuited
from auricle.core.types import Generation, Prediction, Sample, Segment
from auricle.tasks.timestamps.metrics.reading import (
    has_boundaries,
    has_words,
    read_boundaries,
    read_words,
    require_segments,
)

SAMPLE = Sample(id="1", inputs={}, meta={"words": [["good", 0.1, 0.3], ["day", 0.3, 0.6]]})
WORDS = (Segment(0.1, 0.3, "good"), Segment(0.3, 0.6, "day"))


def test_a_model_without_times_is_unsuited() -> None:
    with pytest.raises(Unsuited, match="-M words=true"):
        require_segments(Generation(text="good day"))
    with pytest.raises(Unsuited, match="not Prediction"):
        require_segments(Prediction(values={}, scale="logit"))
    assert require_segments(Generation(text="", segments=())) == ()


def test_a_model_with_segments_of_several_words_is_unsuited_for_metrics_of_words() -> None:
    with pytest.raises(Unsuited, match="segments of several words"):
        read_words(SAMPLE, Generation(text="", segments=(Segment(0, 1, "good day"),)), str, None)


def test_words_of_both_sides_are_matched() -> None:
    words = read_words(SAMPLE, Generation(text="", segments=WORDS), str, 0.6)
    assert words.list_errors("start") == words.list_errors("end") == [0, 0]


def test_a_reference_that_ends_after_its_recording_is_refused() -> None:
    read_words(SAMPLE, Generation(text="", segments=WORDS), str, 0.551)
    with pytest.raises(SampleError, match=r"ends at 0\.600 s, but its recording at 0\.550 s"):
        read_words(SAMPLE, Generation(text="", segments=WORDS), str, 0.549999)


def test_segments_are_the_reference_of_boundaries_if_there_are_no_words() -> None:
    sample = Sample(id="1", inputs={}, meta={"segments": [{"start": 0, "end": 1}]})
    assert has_boundaries(sample)
    assert not has_words(sample)
    assert read_boundaries(sample, None) == (Segment(0, 1),)
    assert read_boundaries(SAMPLE, None) == WORDS


def test_a_row_without_times_is_refused() -> None:
    sample = Sample(id="1", inputs={})
    with pytest.raises(SampleError, match="neither words nor segments"):
        read_boundaries(sample, None)
    with pytest.raises(SampleError, match="no words with times"):
        read_words(sample, Generation(text="", segments=()), str, None)
