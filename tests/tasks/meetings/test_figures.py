"""The figure of a meeting."""

from __future__ import annotations

from auricle.core.types import Record
from auricle.tasks.meetings.figures import draw_meeting_timeline
from auricle.tasks.meetings.turns_figure import build_meeting_timeline
from tests.tasks.meetings.metrics.meetings import make_answer, make_sample


def draw(reference: str, answer: str) -> str:
    record = Record(sample=make_sample(reference), row=0, outputs=(make_answer(answer),))
    timeline = build_meeting_timeline(record)
    assert timeline
    return str(draw_meeting_timeline(timeline, "standup"))


def test_the_figure_has_a_bar_for_each_part_and_a_table_of_errors() -> None:
    figure = draw("A 0 10\nB 8 20", "1 0 9\n2 9 21")
    assert figure.count('class="turn reference right"') == 2
    assert figure.count('class="turn reference missed"') == 2
    assert figure.count('class="turn answer added"') == 1
    assert "A in the reference, 9.00 to 10.00 s: missed" in figure
    assert "2: false alarm for 1.00 s" in figure
    assert 'data-seconds="21.000"' in figure
    assert "Speakers of standup" in figure


def test_names_are_escaped() -> None:
    figure = draw("<b>A</b> 0 1", "<i> 0 2")
    assert "<b>" not in figure
    assert "&lt;b&gt;A" in figure


def test_an_answer_without_errors_has_no_table() -> None:
    assert "<table>" not in draw("A 0 1", "1 0 1")
