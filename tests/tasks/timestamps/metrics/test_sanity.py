"""Times that cannot be right."""

from typing import Any

import pytest

from auricle.core.errors import SampleError
from auricle.core.types import Generation, Sample, Segment
from auricle.metrics.base import Metric
from auricle.metrics.intervals import compute_interval
from auricle.tasks.timestamps.metrics import sanity


def score(metric: Metric, *segments: Segment, seconds: float | None = 2.0) -> Any:
    return metric.score(Sample(id="1", inputs={}), Generation(text="", segments=segments), audio_seconds=seconds)


FAULTY = (
    Segment(0.2, 0.4),
    Segment(0.5, 0.45),  # ends before it starts
    Segment(0.3, 0.6),  # starts before the one before it
    Segment(1.5, 2.021),  # ends after the recording
)


def test_each_fault_is_counted_for_itself() -> None:
    stat = score(sanity.invalid_times, *FAULTY)
    assert sanity.invalid_times.aggregate([stat]) == 3 / 4
    assert sanity.negative_durations.aggregate([stat]) == 1 / 4
    assert sanity.unordered_starts.aggregate([stat]) == 1 / 4
    assert sanity.outside_audio.aggregate([stat]) == 1 / 4
    assert sanity.invalid_times.details([stat])["start_before_previous"] == 1


def test_a_word_with_several_faults_counts_once() -> None:
    stat = score(sanity.invalid_times, Segment(0.5, 0.6), Segment(-0.1, -0.2))
    assert sanity.invalid_times.aggregate([stat]) == 1 / 2


def test_the_last_frame_may_exceed_the_recording() -> None:
    assert sanity.outside_audio.aggregate([score(sanity.outside_audio, Segment(1.5, 2.02))]) == 0.0


@pytest.mark.parametrize("time", [1e300, -1e300, 3.0])
def test_absurd_times_are_outside_the_audio(time: float) -> None:
    assert sanity.outside_audio.aggregate([score(sanity.outside_audio, Segment(time, time))]) == 1.0


def test_words_that_overlap_are_no_fault() -> None:
    assert score(sanity.invalid_times, Segment(0.2, 0.6), Segment(0.2, 0.9))[0] == 0


def test_an_unknown_duration_is_not_a_zero() -> None:
    with pytest.raises(SampleError, match="duration"):
        score(sanity.invalid_times, Segment(0, 1), seconds=None)


def test_points_and_starts_at_zero_are_no_fault() -> None:
    assert score(sanity.invalid_times, Segment(0.0, 0.0), Segment(0.0, 0.5)) == (0, 2, 0, 0, 0)


def test_a_start_before_the_recording_is_outside() -> None:
    assert score(sanity.outside_audio, Segment(-0.01, 0.5)) == (1, 1, 0, 0, 1)


def test_the_signature_has_the_tolerance_at_the_end_of_the_audio() -> None:
    assert sanity.invalid_times.signature == "invalid_times:1.end-after-audio-by-20ms"
    assert sanity.outside_audio.signature == "outside_audio:1.end-after-audio-by-20ms"
    assert sanity.unordered_starts.signature == "unordered_starts:1"


def test_faults_are_shares_of_recordings_whose_duration_is_known() -> None:
    for metric in (sanity.invalid_times, sanity.negative_durations, sanity.unordered_starts, sanity.outside_audio):
        assert metric.facts == ("audio_seconds",)
        assert compute_interval([(0, 3, 0, 0, 0)] * 5, metric.aggregate).method == "wilson"
