"""The figure of segments: lanes, colours, legend and table."""

from auricle.report.segment_timeline import Bar, TimelineStyle, draw_segment_timeline
from auricle.tasks.sound_events.figures import STYLE, EventLane, EventTimeline

LANES = (
    EventLane("dog", (Bar(1.0, 2.0, "right"), Bar(2.0, 3.0, "missed")), (Bar(1.0, 2.0, "right"),)),
    EventLane("<rain>", (), (Bar(0.5, 1.5, "added"),)),
)
TIMELINE = EventTimeline(10.0, LANES, "")
TEXTS = "Events of scene-1", "True events are above detections."


def test_every_bar_is_drawn_with_its_kind_and_described() -> None:
    markup = str(draw_segment_timeline(TIMELINE, STYLE, TEXTS))
    assert markup.count('class="turn reference right"') == 1
    assert markup.count('class="turn reference missed"') == 1
    assert markup.count('class="turn answer added"') == 1
    assert "dog in the reference, 2.00 to 3.00 s: missed" in markup
    assert "&lt;rain&gt; in the answer, 0.50 to 1.50 s: false alarm" in markup
    assert "True events are above detections." in markup


def test_errors_are_a_table_if_there_are_any() -> None:
    assert "Errors as a table" in draw_segment_timeline(TIMELINE, STYLE, TEXTS)
    assert "Errors as a table" not in draw_segment_timeline(EventTimeline(1.0, (), ""), STYLE, TEXTS)


def test_the_player_finds_the_time_axis() -> None:
    markup = str(draw_segment_timeline(TIMELINE, STYLE, TEXTS))
    assert 'data-seconds="10.000"' in markup
    assert 'class="playhead"' in markup


def test_ticks_are_formatted_by_the_style() -> None:
    style = TimelineStyle({}, STYLE.descriptions, 40.0, format_tick=lambda tick: f"at {tick:g}")
    assert ">at 4<" in draw_segment_timeline(TIMELINE, style, TEXTS)
    assert ">4 s<" in draw_segment_timeline(TIMELINE, STYLE, TEXTS)


def test_drawings_can_be_embedded_in_another_way() -> None:
    markup = draw_segment_timeline(TIMELINE, STYLE, TEXTS, lambda svg, description: svg[:0] + description)
    assert "<svg" not in markup
    assert "Events of scene-1" in markup
