"""The timeline of a call."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from markupsafe import Markup

from auricle.core.calls import Event, EventKind
from auricle.core.types import Record, Sample
from auricle.report.run_html import render_worst_samples
from auricle.tasks.asr.error_rates import wer
from auricle.tasks.calls.figures import BIN_SECONDS, build_timeline, draw_timeline, format_seconds
from tests.support.call_recordings import make_agent_span, make_call_audio, make_recording
from tests.support.report_pages import view_samples


def test_brackets_show_how_long_answers_took_and_when_the_agent_stopped() -> None:
    brackets = build_timeline(make_recording()).brackets
    assert [(bracket.text, bracket.is_overlap) for bracket in brackets] == [
        ("0.90 s", False),
        ("1.00 s", False),
        ("−1.40 s", True),
        ("0.30 s", True),
    ]
    assert (brackets[2].start, brackets[2].end) == (13.5, 14.9)


def test_a_turn_without_an_answer_has_no_bracket_but_a_row() -> None:
    timeline = build_timeline(replace(make_recording(), agent=()))
    assert timeline.brackets == ()
    assert [row.at for row in timeline.rows if row.what == "does not answer"] == [2.7, 6.9, 14.9]


def test_overlaps_are_the_intervals_in_which_both_speak() -> None:
    overlaps = build_timeline(make_recording()).overlaps
    assert [tuple(round(at, 3) for at in overlap) for overlap in overlaps] == [(5.2, 5.5), (9.4, 9.8), (14.2, 14.9)]


def test_events_that_matter_are_marked_with_their_names() -> None:
    marks = build_timeline(make_recording()).marks
    assert [(mark.at, mark.text) for mark in marks] == [(5.5, "cut off"), (7.4, "opening_hours"), (15.5, "underrun")]


def test_rows_are_in_the_order_of_time() -> None:
    rows = build_timeline(make_recording()).rows
    assert [row.at for row in rows] == sorted(row.at for row in rows)
    assert rows[1].what == "speaks for 1.9 s, 0.90 s after the caller"


def test_waveforms_are_high_where_a_side_speaks() -> None:
    caller, agent = build_timeline(make_recording(), make_call_audio()).waveforms
    assert caller[round(1.0 / BIN_SECONDS)] > 0.4 > agent[round(1.0 / BIN_SECONDS)] == 0.0
    assert agent[round(4.0 / BIN_SECONDS)] > 0.4 > caller[round(4.0 / BIN_SECONDS)] == 0.0


def test_figure_escapes_texts_and_has_a_table() -> None:
    recording = make_recording()
    hostile = replace(recording, agent=(make_agent_span(3.6, 5.5, "<script>alert(1)</script>"),))
    figure = draw_timeline(build_timeline(hostile, make_call_audio()), "call <1>")
    assert "<script>" not in figure
    assert "call &lt;1&gt;" in figure
    assert figure.count('class="speech') == len(recording.caller) + 1
    assert figure.count('class="wave"') == 2
    assert "<summary>As a table</summary>" in figure


def test_the_text_of_a_mark_at_the_end_is_before_it_and_covers_no_other() -> None:
    kinds = {1.0: EventKind.ERROR, 15.5: EventKind.PLAYBACK_FLUSHED, 15.8: EventKind.DROPPED}
    events = tuple(Event(at=at, side="received", kind=kind) for at, kind in kinds.items())
    figure = draw_timeline(build_timeline(replace(make_recording(), seconds=16.0, events=events)), "call")
    marks = re.findall(r'<g class="mark">.*?</g>', figure, re.DOTALL)
    assert len(marks) == 3
    texts = re.findall(r'<text [^>]*class="([a-z ]+)">(.*?)</text>', "".join(marks))
    assert sorted(texts) == [("end quiet", "connection lost"), ("quiet", "error")]


def test_drawing_can_be_embedded_as_an_image() -> None:
    figure = draw_timeline(
        build_timeline(make_recording()), "call", lambda svg, text: Markup('<img alt="{}">').format(text)
    )
    assert '<img alt="Timeline of call">' in figure
    assert "<svg" not in figure


@pytest.mark.parametrize(("seconds", "text"), [(0.904, "0.90 s"), (-0.254, "−0.25 s")])
def test_seconds_are_formatted_with_a_minus_sign(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


def test_card_of_a_call_has_its_recording_in_stereo_its_timeline_and_its_transcript(tmp_path: Path) -> None:
    audio = make_call_audio()
    record = Record(sample=Sample(id="1", inputs={}), row=0, outputs=(make_recording(audio=audio),))
    (view,) = view_samples([record], wer)
    page = render_worst_samples([view], "Success", "en")
    assert page is not None
    assert page.count('class="timeline"') == 1
    assert page.count("<audio") == 1
    assert "When does the library open?" in page
    assert "opening_hours(place=&#39;pool&#39;)" in page
