"""The figure of segments: lanes, colours, legend and table."""

from auricle.report.segment_timeline import Bar, Lane, SegmentTimeline, draw_segment_timeline

KINDS = {"right": "right", "missed": "missed", "added": "false alarm"}
TIMELINE = SegmentTimeline(
    10.0,
    (
        Lane("dog", (Bar(1.0, 2.0, "right"), Bar(2.0, 3.0, "missed")), (Bar(1.0, 2.0, "right"),)),
        Lane("<rain>", (), (Bar(0.5, 1.5, "added"),)),
    ),
    KINDS,
    "True events are above detections.",
)


def test_every_bar_is_drawn_with_its_kind_and_described() -> None:
    markup = str(draw_segment_timeline(TIMELINE, "scene-1"))
    assert markup.count('class="segment right"') == 2 + 1  # two bars and the legend
    assert markup.count('class="segment missed"') == 1 + 1
    assert "dog in the reference, 2.00 to 3.00 s: missed" in markup
    assert "&lt;rain&gt; in the answer, 0.50 to 1.50 s: false alarm" in markup
    assert "True events are above detections." in markup


def test_errors_are_a_table_in_the_order_of_time() -> None:
    assert [(title, bar.kind) for title, bar in TIMELINE.errors] == [("<rain>", "added"), ("dog", "missed")]
    assert "Errors as a table" in draw_segment_timeline(TIMELINE, "scene-1")
    right = SegmentTimeline(1.0, (), KINDS)
    assert "Errors as a table" not in draw_segment_timeline(right, "scene-1")


def test_the_player_finds_the_time_axis() -> None:
    markup = str(draw_segment_timeline(TIMELINE, "scene-1"))
    assert 'data-seconds="10.000"' in markup
    assert 'class="playhead"' in markup


def test_drawings_can_be_embedded_in_another_way() -> None:
    markup = draw_segment_timeline(TIMELINE, "scene-1", lambda svg, description: svg[:0] + description)
    assert "<svg" not in markup
    assert "Reference and answer of scene-1 over time" in markup
