"""Segment-based metrics, by hand."""

import math

import pytest

from auricle.core.errors import SampleError
from auricle.tasks.sound_events.metrics.detection import DetectionSettings
from auricle.tasks.sound_events.metrics.segment_based import (
    mark_segments,
    segment_error_rate,
    segment_f1,
    segment_false_alarm_rate,
    segment_miss_rate,
)
from tests.support.sound_events import make_output, make_sample


def test_a_class_is_active_in_every_segment_that_an_event_touches() -> None:
    assert mark_segments([(0.9, 1.1), (3.0, 4.0)], 1.0, 5).tolist() == [True, True, False, True, False]


def test_times_on_the_border_of_a_segment_are_not_moved_by_rounding() -> None:
    assert mark_segments([(0.3, 0.6)], 0.1, 8).nonzero()[0].tolist() == [3, 4, 5]


def test_a_wrong_class_is_one_substitution_and_the_rest_deletions_and_insertions() -> None:
    sample = make_sample([(0, 2, "dog"), (0, 1, "rain")])
    output = make_output([(0, 1, "alarm"), (3, 4, "dog")])
    assert segment_error_rate.score(sample, output) == (1, 2, 1, 3)
    assert segment_error_rate.aggregate([(1, 2, 1, 3)]) == pytest.approx(4 / 3)
    details = segment_error_rate.details([(1, 2, 1, 3)])
    assert details == {
        "substituted_segments": 1, "deleted_segments": 2, "inserted_segments": 1, "true_segments": 3,
    }  # fmt: skip


def test_insertions_in_a_recording_without_events_stay_in_the_pooled_rate() -> None:
    stats = [
        segment_error_rate.score(make_sample([]), make_output([(0, 1, "dog")])),
        segment_error_rate.score(make_sample([(0, 2, "dog")]), make_output([(0, 2, "dog")])),
    ]
    assert segment_error_rate.aggregate(stats) == 0.5
    assert math.isnan(segment_error_rate.aggregate(stats[:1]))


def test_hits_false_alarms_and_misses_are_counted_in_segments() -> None:
    assert segment_f1.score(make_sample([(0, 3, "dog")]), make_output([(2, 5, "dog")])) == (1.0, 2.0, 2.0)
    assert segment_f1.score(make_sample([]), make_output([])) == (0.0, 0.0, 0.0)


def test_a_finer_resolution_measures_seconds() -> None:
    miss, false_alarm = map(DetectionSettings(resolution=0.1).apply, (segment_miss_rate, segment_false_alarm_rate))
    sample, output = make_sample([(1.0, 2.0, "dog")], ["dog"]), make_output([(1.2, 2.5, "dog")])
    assert miss.score(sample, output) == pytest.approx((0.2, 1.0))
    assert false_alarm.score(sample, output, audio_seconds=4.0) == pytest.approx((0.5, 3.0))


def test_the_last_segment_counts_even_if_it_is_not_full() -> None:
    output = make_output([(0, 2.4, "dog")])
    stat = segment_false_alarm_rate.score(make_sample([], ["dog"]), output, audio_seconds=2.4)
    assert stat == (3.0, 3.0)


def test_false_alarms_need_the_duration() -> None:
    with pytest.raises(SampleError, match="duration"):
        segment_false_alarm_rate.score(make_sample([]), make_output([]), audio_seconds=None)


def test_a_resolution_that_is_far_too_fine_is_refused() -> None:
    metric = DetectionSettings(resolution=0.001).apply(segment_f1)
    with pytest.raises(SampleError, match="divides the recording"):
        metric.score(make_sample([(0, 1e5, "dog")]), make_output([]))


def test_settings_are_part_of_the_signature() -> None:
    assert segment_f1.signature == "segment_f1:1.micro.resolution-1.threshold-0.5"
