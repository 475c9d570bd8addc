"""Files of who speaks what and when."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from auricle.core.errors import DataError, Unreadable
from auricle.core.types import Segment
from auricle.data.file_formats import Row, count_rows, read_rows
from auricle.tasks.meetings.segment_files import (
    FORMATTERS,
    PARSERS,
    Region,
    format_ctm,
    format_rttm,
    format_stm,
    format_uem,
    parse_answer,
    parse_uem,
    read_segments,
    read_uem,
    split_words,
)

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(name: str, content: str) -> Path:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return write_file


RTTM = """\
;; a comment
SPKR-INFO m1 1 <NA> <NA> <NA> unknown anna <NA> <NA>
SPEAKER m1 1 0.1 0.2 <NA> <NA> anna <NA> <NA>
SPEAKER m1 1 5 0.000 <NA> <NA> ben <NA> <NA>
SPEAKER m2 1 1e0 .5 <NA> <NA> ben <NA>

NOSCORE m1 1 7 1.5 <NA> <NA> <NA> <NA> <NA>
LEXEME m1 1 0.1 0.1 hello lex anna 0.9 <NA>
"""


def test_rttm_has_durations_comments_other_types_and_lines_of_nine_fields(write: Write) -> None:
    file = read_segments(write("meetings.rttm", RTTM))
    assert file.recordings == {
        "m1": (Segment(0.1, 0.3, "", "anna"),),  # 0.1 + 0.2 is 0.3, as written
        "m2": (Segment(1.0, 1.5, "", "ben"),),
    }
    assert file.ignored == {"m1": (Region(7.0, 8.5),)}
    assert file.notes() == [
        "1 turns without duration are left out.",
        "Lines of other types are not used: 1 LEXEME, 1 SPKR-INFO.",
    ]


def test_a_recording_of_dropped_turns_is_kept() -> None:
    assert PARSERS["rttm"]("SPEAKER m 1 1 0 <NA> <NA> a <NA> <NA>\n").recordings == {"m": ()}


STM = """\
;; a comment
m1 1 anna 0.5 2.1 <o,f0,female> good morning everyone
m1 1 ben 2.10 2.5
m1 1 ben 3 4 { uh / @ } so { @ / um } yes {}
m1 1 inter_segment_gap 4 6 <o,,> ignore_time_segment_in_scoring
m1 A anna 6 7 a < b
"""


def test_stm_has_labels_empty_words_alternatives_and_ignored_times(write: Write) -> None:
    file = read_segments(write("meetings.stm", STM))
    assert file.recordings == {
        "m1": (
            Segment(0.5, 2.1, "good morning everyone", "anna"),
            Segment(2.1, 2.5, "", "ben"),
            Segment(3.0, 4.0, "uh so yes", "ben"),
            Segment(6.0, 7.0, "a < b", "anna"),
        )
    }
    assert file.ignored == {"m1": (Region(4.0, 6.0),)}
    assert file.notes() == ["3 places allow alternative words; the first of each are used."]


def test_ctm_has_words_with_durations_and_confidences() -> None:
    file = PARSERS["ctm"]("m1 1 0.1 0.2 hello 0.75\nm1 1 0.3 0 you\nm1 1 1 1 NA NA\n")
    assert file.recordings == {
        "m1": (Segment(0.1, 0.3, "hello", score=0.75), Segment(0.3, 0.3, "you"), Segment(1.0, 2.0, "NA"))
    }


def test_several_channels_of_ctm_are_speakers() -> None:
    file = PARSERS["ctm"]("call A 0 1 hello\ncall B 1 1 hi 0.5\n")
    assert file.recordings["call"] == (Segment(0.0, 1.0, "hello", "A"), Segment(1.0, 2.0, "hi", "B", 0.5))


def test_seglst_may_have_numbers_or_texts_as_times() -> None:
    text = """[{"session_id": "m1", "speaker": "a", "start_time": "2.1", "end_time": 3, "words": "hi", "extra": 1},
               {"session_id": 7, "speaker": "b", "start_time": 2.10, "end_time": "4"}]"""
    recordings = PARSERS["seglst"](text).recordings
    assert recordings == {"m1": (Segment(2.1, 3.0, "hi", "a"),), "7": (Segment(2.1, 4.0, "", "b"),)}


def test_uem_has_several_regions_of_a_recording(write: Write) -> None:
    text = ";; comment\nm1 1 10 20.5\nm2 A 0 3\nm1 1 0 5\n"
    regions = {"m1": (Region(0.0, 5.0), Region(10.0, 20.5)), "m2": (Region(0.0, 3.0),)}
    assert read_uem(write("meetings.uem", text)) == regions
    assert parse_uem(format_uem(regions)) == regions


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.rttm", "\nSPEAKER m 1 x 2 <NA> <NA> a <NA> <NA>", "a.rttm:2: start is 'x', expected seconds."),
        ("a.rttm", "SPEAKER m 1 1 nan <NA> <NA> a <NA> <NA>", "a.rttm:1: duration is nan, expected a finite number."),
        ("a.rttm", "SPEAKER m 1 1 -2 <NA> <NA> a <NA> <NA>", "a.rttm:1: the duration -2 is negative."),
        ("a.rttm", "SPEAKER m 1 1 2 anna", "a.rttm:1: expected 10 fields separated by spaces, got 6"),
        ("a.rttm", "speaker m 1 1 2", "a.rttm:1: unknown type 'speaker'; turns have the type SPEAKER."),
        ("a.stm", "m 1 anna 2 1 hello", "a.stm:1: the end 1 is before the start 2; STM has no durations."),
        ("a.stm", "m 1 anna 2", "a.stm:1: expected file, channel, speaker, start, end and words"),
        ("a.ctm", "m 1 0 1", "a.ctm:1: expected file, channel, start, duration, word and confidence"),
        ("a.ctm", "m 1 * * <ALT_BEGIN>", "a.ctm:1: start is '*', expected seconds."),
        ("a.json", "[\n{},", "a.json:2: not valid JSON"),
        ("a.json", '{"a": 1}', "a.json:1: expected a JSON list of segments"),
        ("a.json", '[{"start": 0, "end": 1}, {"start": 0}]', "a.json:1: segment 2 has no end"),
        ("a.json", '[{"start": 2, "end": 1}]', "a.json:1: segment 1: the end 1.0 is before the start 2.0."),
        ("a.txt", "", "Unknown format of"),
    ],
)
def test_an_error_names_file_line_and_value(write: Write, name: str, content: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read_segments(write(name, content))
    assert message in str(caught.value)


@pytest.mark.parametrize(("line", "message"), [("m 1 2", "expected file"), ("m 1 5 2", "before the start")])
def test_a_wrong_line_of_uem_is_named(write: Write, line: str, message: str) -> None:
    with pytest.raises(DataError, match=rf"a\.uem:2: .*{message}"):
        read_uem(write("a.uem", f"m 1 0 5\n{line}\n"))


def test_text_in_another_encoding_is_located(tmp_path: Path) -> None:
    path = tmp_path / "a.stm"
    path.write_bytes(b"m 1 a 0 1 x\nm 1 a 0 1 caf\xe9\n")
    with pytest.raises(DataError, match=r"a\.stm:2: not UTF-8"):
        read_segments(path)


MEETING = {
    "m1": (Segment(0.1, 0.3, "good morning", "anna"), Segment(1234.567, 1235.0, "yes", "ben")),
    "m2": (Segment(0.0, 1e-6, "no", "anna"),),
}


@pytest.mark.parametrize("name", ["stm", "seglst"])
def test_what_is_written_is_read_again(name: str) -> None:
    assert PARSERS[name](FORMATTERS[name](MEETING)).recordings == MEETING


def test_rttm_keeps_times_and_speakers() -> None:
    text = format_rttm(MEETING)
    assert text.splitlines()[0] == "SPEAKER m1 1 0.1 0.2 <NA> <NA> anna <NA> <NA>"
    assert text.splitlines()[2] == "SPEAKER m2 1 0.0 0.000001 <NA> <NA> anna <NA> <NA>"
    turns = PARSERS["rttm"](text).recordings
    assert [(turn.start, turn.end, turn.speaker) for turn in turns["m1"]] == [
        (0.1, 0.3, "anna"),
        (1234.567, 1235, "ben"),
    ]


def test_names_with_spaces_and_missing_names_stay_one_field() -> None:
    text = format_rttm({"team call": [Segment(0.0, 1.0, "", "Anna B"), Segment(1.0, 2.0)]})
    assert [turn.speaker for turn in PARSERS["rttm"](text).recordings["team_call"]] == ["Anna_B", ""]
    assert format_stm({"m": [Segment(0.0, 1.0)]}) == "m 1 <NA> 0.0 1.0\n"


def test_ctm_has_a_line_for_each_word_in_the_order_of_time() -> None:
    text = format_ctm({"m": [Segment(1.0, 2.0, "c d", score=0.5), Segment(0.0, 0.3, "a b c"), Segment(5.0, 6.0)]})
    assert text.splitlines() == [
        "m 1 0.0 0.1 a",
        "m 1 0.1 0.1 b",
        "m 1 0.2 0.1 c",
        "m 1 1.0 0.5 c 0.5",
        "m 1 1.5 0.5 d 0.5",
    ]
    assert not list(split_words([Segment(0.0, 1.0)]))


@pytest.mark.parametrize(
    "text",
    [
        '[{"start": 0, "end": 1.5, "speaker": "A", "text": "hi"}]',
        'Here you are:\n```json\n{"segments": [{"start": 0, "end": 1.5, "speaker": "A", "words": "hi"}]}\n```\n',
        "x 1 A 0 1.5 hi",
        "\n x 1 A 0.0 1.5 hi\n",
    ],
)
def test_the_answer_of_a_model_is_recognised(text: str) -> None:
    (segments,) = parse_answer(text).recordings.values()
    assert segments == (Segment(0.0, 1.5, "hi", "A"),)


def test_an_answer_in_rttm_stm_or_ctm_is_recognised() -> None:
    assert parse_answer("SPEAKER x 1 0 1.5 <NA> <NA> A <NA> <NA>").recordings == {"x": (Segment(0.0, 1.5, "", "A"),)}
    assert parse_answer("x 1 0 1.5 hi").recordings == {"x": (Segment(0.0, 1.5, "hi"),)}
    assert parse_answer("x 1 3 0 1.5 hi").recordings == {"x": (Segment(0.0, 1.5, "hi", "3"),)}
    assert parse_answer("x 1 0 1.5 7 0.5").recordings == {"x": (Segment(0.0, 1.5, "7", score=0.5),)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("I hear two people.", "line 1: expected RTTM, STM, CTM or a JSON list, got 'I hear two people.'"),
        ("", "line 1: expected RTTM"),
        ("SPEAKER x 1 0 1 <NA> <NA> A <NA> <NA>\nSPEAKER x 1 0", "line 2: expected 10 fields"),
        ("Sure:\n```\nx 1 A 0 1 hi\nx 1 A 2 1 hi\n```", "line 4: the end 1 is before the start 2"),
    ],
)
def test_an_answer_that_is_not_readable_is_located(text: str, message: str) -> None:
    with pytest.raises(Unreadable) as caught:
        parse_answer(text)
    assert str(caught.value).startswith(message)


def test_a_file_of_segments_is_a_table_with_a_row_for_each_recording(write: Write) -> None:
    path = write("meetings.rttm", RTTM)
    first, second = read_rows(path)
    assert isinstance(first, Row)
    assert first.origin == "meetings.rttm:m1"
    assert first.values == {
        "id": "m1",
        "audio": "m1.wav",
        "segments": [{"start": 0.1, "end": 0.3, "speaker": "anna"}],
        "ignored": [[7.0, 8.5]],
        "zero_length": 1,
    }
    assert isinstance(second, Row)
    assert "ignored" not in second.values
    assert count_rows(path) == 2


def test_words_are_part_of_a_row(write: Write) -> None:
    (row,) = read_rows(write("meetings.stm", "m 1 anna 0 1 hello there\n"))
    assert isinstance(row, Row)
    assert row.values["segments"] == [{"start": 0.0, "end": 1.0, "speaker": "anna", "text": "hello there"}]
