"""The timeline of sound events: what is right, missed, added and confused."""

from dataclasses import replace

from auricle.core.types import Failure, Generation, Prediction, Record, Segment
from auricle.report.sample_view import build_sample_views
from auricle.report.segment_timeline import Bar
from auricle.tasks.asr.error_rates import wer
from auricle.tasks.sound_events.figures import build_event_timeline, describe_events, draw_event_timeline
from auricle.tasks.sound_events.metrics.detection import DetectionSettings
from auricle.tasks.sound_events.metrics.segment_based import segment_f1
from tests.support.sound_events import make_output, make_sample

RECORD = Record(
    sample=make_sample([(1.0, 3.0, "dog"), (5.0, 6.0, "rain")]),
    row=0,
    outputs=(make_output([(2.0, 3.5, "dog"), (5.0, 7.0, "dog")]),),
    audio_seconds=8.0,
)


def test_parts_of_events_are_classified_by_what_is_on_the_other_side() -> None:
    timeline = build_event_timeline(RECORD, segment_f1)
    assert timeline is not None
    dog, rain = timeline.lanes
    assert dog.reference_bars == (Bar(1.0, 2.0, "missed"), Bar(2.0, 3.0, "right"))
    assert dog.answer_bars == (
        Bar(2.0, 3.0, "right"), Bar(3.0, 3.5, "added"), Bar(5.0, 6.0, "confused"), Bar(6.0, 7.0, "added"),
    )  # fmt: skip
    assert rain.reference_bars == (Bar(5.0, 6.0, "missed"),)
    assert (rain.answer_bars, timeline.seconds) == ((), 8.0)
    assert timeline.caption == "For each class, true events are above detections."


def test_scored_segments_are_shown_from_the_threshold_of_the_metric_on() -> None:
    frames = tuple(Segment(float(at), at + 1.0, "dog", score=at / 10) for at in range(8))
    record = replace(RECORD, outputs=(Generation(text="", segments=frames),))
    low = build_event_timeline(record, DetectionSettings(threshold=0.1).apply(segment_f1))
    high = build_event_timeline(record, DetectionSettings(threshold=0.6).apply(segment_f1))
    assert low is not None
    assert high is not None
    assert low.lanes[0].answer_bars[0].start == 1.0
    assert high.lanes[0].answer_bars[0].start == 6.0
    assert high.caption.endswith("from a score of 0.6 on.")


def test_events_are_listed_as_texts() -> None:
    assert describe_events(RECORD, segment_f1) == (
        "dog 1.00–3.00 s, rain 5.00–6.00 s", "dog 2.00–3.50 s, dog 5.00–7.00 s",
    )  # fmt: skip
    many = replace(RECORD, outputs=(make_output([(at, at + 0.5, "dog") for at in range(20)]),))
    texts = describe_events(many, segment_f1)
    assert texts is not None
    assert texts[1].endswith("… 8 further")
    nothing = replace(RECORD, outputs=(make_output([]),))
    assert describe_events(nothing, segment_f1) == ("dog 1.00–3.00 s, rain 5.00–6.00 s", "no event")


def test_other_records_have_no_timeline() -> None:
    assert build_event_timeline(RECORD, wer) is None
    assert build_event_timeline(RECORD, None) is None
    assert build_event_timeline(replace(RECORD, outputs=()), segment_f1) is None
    unreadable = replace(RECORD, outputs=(Generation(text="a dog"),))
    assert build_event_timeline(unreadable, segment_f1) is None


def test_a_card_shows_the_figure_and_the_texts() -> None:
    (view,) = build_sample_views([RECORD], segment_f1, {"1": (2.0, 3.0, 2.0)}, audio=False)
    assert view.target == "dog 1.00–3.00 s, rain 5.00–6.00 s"
    assert "turn answer confused" in view.drawing
    failed = replace(RECORD, outputs=(), error=Failure("SampleError", "no sound"))
    (view,) = build_sample_views([failed], segment_f1, {}, audio=False)
    assert view.figures == ()


def test_a_card_of_tags_shows_the_true_labels_among_the_scores() -> None:
    scores = {"dog": 0.1, "rain": 0.9, "alarm": 0.8, "speech": 0.7, "wind": 0.6, "sea": 0.5, "train": 0.05}
    sample = replace(RECORD.sample, target=["dog", "rain"])
    record = replace(RECORD, sample=sample, outputs=(Prediction(values=scores, scale="continuous"),))
    (view,) = build_sample_views([record], None, {}, audio=False)
    assert [(bar.name, bar.is_target) for bar in view.value_bars] == [
        ("rain", True), ("alarm", False), ("speech", False), ("wind", False), ("sea", False), ("dog", True),
    ]  # fmt: skip


def test_the_figure_names_classes_and_lists_errors_in_the_order_of_time() -> None:
    timeline = build_event_timeline(RECORD, segment_f1)
    assert timeline is not None
    assert [(row.at, row.side, row.what) for row in timeline.rows][:2] == [
        (1.0, "Reference", "dog: missed until 2.00 s"), (3.0, "Answer", "dog: false alarm until 3.50 s"),
    ]  # fmt: skip
    figure = str(draw_event_timeline(timeline, "scene-1"))
    assert "Events of scene-1" in figure
    assert "dog in the answer, 5.00 to 6.00 s: wrong class" in figure
