"""True events and detections by class."""

import pytest

from auricle.core.errors import SampleError, Unreadable, Unsuited
from auricle.core.types import Generation, Prediction, Sample, Segment
from auricle.tasks.sound_events.metrics.event_based import event_f1
from auricle.tasks.sound_events.metrics.event_lists import (
    SINGLE_CLASS_FIELD,
    compare_classes,
    describe_settings,
    detect_at,
    get_detections,
    get_true_events,
    has_frames,
    merge_spans,
    to_target,
)
from auricle.tasks.sound_events.metrics.psds import psds1
from tests.support.sound_events import make_output, make_sample


def frame(start: float, end: float, score: float | None) -> Segment:
    return Segment(start, end, "dog", score=score)


def test_events_survive_as_the_target_of_a_sample() -> None:
    segments = [Segment(1.0, 2.0, "rain"), Segment(0.5, 1.0, "dog")]
    sample = Sample(id="1", inputs={}, target=to_target(segments))
    assert get_true_events(sample) == [segments[1], segments[0]]


def test_a_target_that_is_not_a_list_is_an_error() -> None:
    with pytest.raises(SampleError, match="expected a list of events"):
        get_true_events(Sample(id="1", inputs={}, target="dog"))


def test_frames_above_the_threshold_that_touch_are_one_detection() -> None:
    frames = [frame(0, 1, 0.9), frame(1, 2, 0.5), frame(2, 3, 0.4), frame(3, 4, 0.8)]
    detections = {threshold: detect_at(frames, threshold, are_frames=True) for threshold in (0.5, 0.95, 0.0)}
    assert detections == {0.5: [(0, 2), (3, 4)], 0.95: [], 0.0: [(0, 4)]}


def test_segments_without_a_score_are_always_detections_and_stay_apart() -> None:
    assert detect_at([frame(1, 2, None), frame(0, 1, None)], 0.5, are_frames=True) == [(0, 1), (1, 2)]


@pytest.mark.parametrize(
    ("segments", "expected"),
    [
        ([frame(0, 1, 0.9), frame(1, 3, 0.1), frame(3, 4, 0.8)], True),
        ([frame(0, 2, 0.9), frame(1, 3, 0.1), frame(2, 4, 0.8)], True),  # windows that overlap
        ([frame(0, 1, 0.9), frame(1, 2, 0.1), frame(2, 3.5, 0.8)], True),  # the rest is no full frame
        ([frame(1, 2, 0.9), frame(2, 3, 0.9)], False),
        ([frame(0, 1, 0.9), frame(1, 2, 0.9)], False),
        ([frame(0, 2, 0.9), frame(2, 4, 0.9), Segment(1, 2, "rain", score=0.7)], False),
        ([], False),
    ],
)
def test_scored_segments_are_frames_if_those_of_each_label_cover_the_recording(
    segments: list[Segment], expected: bool
) -> None:
    assert has_frames(Generation(text="", segments=tuple(segments)), 4.0) is expected


def test_events_that_touch_count_alike_with_and_without_scores() -> None:
    events = [(1.0, 2.0, "dog"), (2.0, 3.0, "dog")]
    sample = make_sample(events, ["dog"])
    for score in (None, 0.9):
        output = make_output(events, score=score)
        assert event_f1.score(sample, output, audio_seconds=4.0) == (2, 0, 0)
    assert psds1.aggregate([psds1.score(sample, output, audio_seconds=4.0)]) == 1.0


def test_a_span_inside_another_one_is_joined() -> None:
    assert merge_spans([(2, 3), (0, 5), (6, 7), (7 + 1e-9, 8)]) == [(0, 5), (6, 8)]


def test_labels_of_the_model_are_matched_and_others_left_out() -> None:
    output = make_output([(0, 1, "Dog"), (1, 2, "whale"), (3, 3, "rain")])
    assert [segment.text for segment in get_detections(make_sample([]), output)] == ["dog"]


def test_with_a_single_class_labels_do_not_matter() -> None:
    sample = Sample(id="1", inputs={"choices": ["speech"], SINGLE_CLASS_FIELD: "speech"}, target=[])
    output = Generation(text="", segments=(Segment(0, 1, "good morning"), Segment(2, 3, "", speaker="anna")))
    assert [segment.text for segment in get_detections(sample, output)] == ["speech", "speech"]


def test_a_reply_may_contain_a_list_of_events() -> None:
    reply = 'Here you are:\n```json\n[{"start": 0.5, "end": 1, "label": "dog"}]\n```'
    assert get_detections(make_sample([]), Generation(text=reply)) == [Segment(0.5, 1.0, "dog")]
    assert get_detections(make_sample([]), Generation(text="[]")) == []


@pytest.mark.parametrize("reply", ["A dog barks.", "[0.5 to 1]", '[{"label": "dog"}]'])
def test_a_reply_without_a_list_of_events_is_unreadable(reply: str) -> None:
    with pytest.raises(Unreadable):
        get_detections(make_sample([]), Generation(text=reply))


def test_a_detection_that_ends_before_it_starts_is_unreadable() -> None:
    with pytest.raises(Unreadable, match=r"segment 1: the end 1\.0 is before the start 3\.0"):
        get_detections(make_sample([]), Generation(text="", segments=(Segment(3.0, 1.0, "dog"),)))


def test_class_scores_are_no_events() -> None:
    with pytest.raises(Unsuited):
        get_detections(make_sample([]), Prediction(values={"dog": 1.0}, scale="probability"))


def test_classes_are_compared_side_by_side() -> None:
    sample, output = make_sample([(0, 1, "dog")]), make_output([(0, 2, "dog"), (5, 6, "rain")])
    classes = compare_classes(sample, output, 0.5)
    assert classes["dog"] == ([(0, 1)], [(0, 2)])
    assert classes["rain"] == ([], [(5, 6)])
    assert classes["alarm"] == ([], [])


def test_settings_are_described_for_signatures() -> None:
    assert describe_settings(offset_share=0.2, threshold=0.5) == "offset-share-0.2.threshold-0.5"
