"""The turns of a meeting with their errors, for its figure."""

from __future__ import annotations

import pytest

from auricle.core.types import Generation, Record, Sample
from auricle.report.segment_timeline import Bar
from auricle.tasks.meetings.segment_files import Region
from auricle.tasks.meetings.turns_figure import (
    WINDOW_SECONDS,
    MeetingTimeline,
    build_meeting_timeline,
    find_window,
    format_clock,
)
from tests.tasks.meetings.metrics.meetings import make_answer, make_sample


def make_record(reference: str, answer: str, regions: list[Region] | None = None) -> Record:
    return Record(sample=make_sample(reference, regions), row=0, outputs=(make_answer(answer),))


def build(reference: str, answer: str, regions: list[Region] | None = None) -> MeetingTimeline:
    timeline = build_meeting_timeline(make_record(reference, answer, regions))
    assert timeline
    return timeline


def test_every_part_of_a_turn_is_right_or_an_error() -> None:
    timeline = build("A 0 10\nB 8 20", "1 0 9\n2 9 21")
    first, second = timeline.lanes
    assert (first.reference, first.answer) == ("A", "1")
    assert first.reference_bars == (Bar(0, 9, "right"), Bar(9, 10, "missed"))
    assert first.answer_bars == (Bar(0, 9, "right"),)
    assert second.reference_bars == (Bar(8, 9, "missed"), Bar(9, 20, "right"))
    assert second.answer_bars == (Bar(9, 20, "right"), Bar(20, 21, "added"))
    assert timeline.errors == (2.0, 1.0, 0.0, 22.0)
    assert timeline.error_rate == pytest.approx(3 / 22)
    assert timeline.summaries == ("2 turns of 2 speakers", "2 turns of 2 speakers")


def test_a_confused_speaker_is_marked_on_both_sides() -> None:
    timeline = build("A 0 6\nB 6 8", "1 0 5\n2 5 6\n3 6 8")
    lanes = {lane.title: lane for lane in timeline.lanes}
    assert lanes["A"].reference_bars == (Bar(0, 5, "right"), Bar(5, 6, "confused"))
    assert lanes["+ 2"].answer_bars == (Bar(5, 6, "confused"),)
    assert lanes["+ 2"].description == "2: a speaker of the answer only"
    assert [tuple(row) for row in timeline.rows] == [
        (5.0, "Answer", "2: attributed to another speaker for 1.00 s"),
        (5.0, "Reference", "A: attributed to another speaker for 1.00 s"),
    ]


def test_bars_of_errors_add_up_to_the_errors() -> None:
    timeline = build("A 0 6\nB 2 8\nC 7 12", "1 0 3\n2 1 7\n3 5 6\n4 8 14")
    totals = dict.fromkeys(("missed", "added", "confused"), 0.0)
    for lane in timeline.lanes:
        for bar in (*lane.reference_bars, *lane.answer_bars):
            if bar.kind in totals:
                totals[bar.kind] += bar.end - bar.start
    missed, added, confused, _ = timeline.errors
    assert totals == pytest.approx({"missed": missed, "added": added, "confused": 2 * confused})


def test_what_is_not_scored_is_marked() -> None:
    (lane,) = build("A 0 10", "1 0 10", [Region(0, 4)]).lanes
    assert lane.reference_bars == (Bar(0, 4, "right"), Bar(4, 10, "unscored"))


def test_a_speaker_without_a_counterpart_is_described() -> None:
    timeline = build("A 0 10\nB 10 11", "1 0 10")
    assert [lane.description for lane in timeline.lanes] == ["A, in the answer 1", "B: not in the answer"]


def test_the_minute_with_most_errors_is_shown() -> None:
    turns = [f"A {start} {start + 9}" for start in range(0, 600, 10)]
    record = make_record("\n".join(turns), "\n".join(f"1{turn[1:]}" for turn in turns if not turn.startswith("A 3")))
    window = find_window(record)
    assert window
    start, end = window
    assert end - start == WINDOW_SECONDS
    assert 285 <= start <= 345  # the turns that begin at 30, 300 … 390 are missing
    timeline = build_meeting_timeline(record)
    assert timeline
    assert timeline.excerpt.startswith("Drawn and played: ")
    assert timeline.excerpt.endswith(" of 9:59, where most errors are.")
    assert all(start <= bar.start < bar.end <= end for lane in timeline.lanes for bar in lane.reference_bars)


def test_a_short_recording_is_shown_as_a_whole() -> None:
    assert find_window(make_record("A 1 10", "1 0 9")) == (0.0, 10.0)
    assert not build("A 1 10", "1 0 9").excerpt


def test_other_samples_have_no_timeline() -> None:
    plain = Record(sample=Sample(id="1", inputs={}, target="hello"), row=0, outputs=(Generation(text="hello"),))
    text = Record(sample=make_sample("A 0 1 hello"), row=0, outputs=(Generation(text="hello"),))
    failed = Record(sample=make_sample("A 0 1 hello"), row=0)
    for record in (plain, text, failed):
        assert build_meeting_timeline(record) is None
        assert find_window(record) is None


def test_times_are_written_as_on_a_clock() -> None:
    assert [format_clock(seconds) for seconds in (0, 59.9, 3600)] == ["0:00", "0:59", "1:00:00"]
