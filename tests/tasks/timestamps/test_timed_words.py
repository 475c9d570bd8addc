"""Words with times, in the shapes in which rows contain them."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SampleError
from auricle.core.types import Segment
from auricle.tasks.timestamps.timed_words import iter_valid_words, load_timed_words, parse_timed_words, read_reference


def test_lists_and_mappings_are_read() -> None:
    expected = (Segment(0.1, 0.3, "good"), Segment(0.3, 0.6, "day"))
    assert parse_timed_words([["good", 0.1, 0.3], ("day", "0.3", 0.6)]) == expected
    assert parse_timed_words([{"word": "good", "start": 0.1, "end": 0.3}, expected[1]]) == expected


@pytest.mark.parametrize("value", ["good", [["good", 0.1]], [["good", "x", 0.3]], [None], 7])
def test_anything_else_is_refused(value: Any) -> None:
    with pytest.raises(SampleError):
        parse_timed_words(value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([["a", 0.5, 0.4]], r"word 1 \('a'\) ends at 0.4 s, before its start at 0.5 s"),
        ([["a", -0.1, 0.4]], r"word 1 \('a'\) starts at -0.1 s, before the recording"),
        ([["a", 0.5, 0.6], ["b", 0.4, 0.7]], r"word 2 \('b'\) starts at 0.4 s, before .* \(0.5 s\)"),
    ],
)
def test_a_reference_with_impossible_times_is_refused(words: Any, message: str) -> None:
    with pytest.raises(SampleError, match=message):
        read_reference({"words": words})


def test_readable_words_are_kept_where_others_may_be_skipped() -> None:
    words = [["good", 0.1, 0.3], ["", 0, 1], ["x", "soon", 1], "text", {"word": "day", "start": 0.3, "end": 0.6}]
    assert [word.text for word in iter_valid_words(words)] == ["good", "day"]
    assert list(iter_valid_words("three")) == list(iter_valid_words(None)) == []


def test_points_and_words_that_start_together_are_valid() -> None:
    assert len(read_reference({"words": [["a", 0.5, 0.5], ["b", 0.5, 0.7]]}) or ()) == 2


def test_a_row_without_words_has_no_reference() -> None:
    assert read_reference({}) is None
    assert read_reference({"segments": [{"start": 0, "end": 1}]}, "segments") == (Segment(0, 1),)


# --- files -----------------------------------------------------------------------------------------

WORDS = (Segment(0.1, 0.3, "good"), Segment(0.3, 0.6, "day"))
ROWS = [["good", 0.1, 0.3], ["day", 0.3, 0.6]]


@pytest.mark.parametrize(
    "document",
    [
        ROWS,
        {"text": "good day", "words": ROWS},
        {"segments": [{"start": 0, "words": ROWS[:1]}, {"words": ROWS[1:]}]},
        {"segments": [{"start": 0.1, "end": 0.3, "text": "good"}, {"start": 0.3, "end": 0.6, "text": "day"}]},
    ],
)
def test_json_is_read_in_the_shapes_of_recognisers(tmp_path: Path, document: Any) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(document))
    assert load_timed_words(path, ["a"]) == WORDS


def test_segments_are_read_if_some_of_them_have_no_words(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(
        json.dumps({"segments": [{"start": 0, "end": 1, "text": "x", "words": ROWS}, {"start": 1, "end": 2}]})
    )
    assert load_timed_words(path, ["a"]) == (Segment(0, 1, "x"), Segment(1, 2))


@pytest.mark.parametrize("text", ["", "{}", '{"segments": []}', "[" * 100_000])
def test_json_without_words_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(SampleError, match=r"a\.json"):
        load_timed_words(path, ["a"])


def test_a_ctm_file_may_have_several_recordings(tmp_path: Path) -> None:
    path = tmp_path / "all.ctm"
    path.write_text("a 1 0.1 0.2 good\na 1 0.3 0.3 day\nb 1 0 1 bye\n")
    assert [word.text for word in load_timed_words(path, ["a"])] == ["good", "day"]
    assert load_timed_words(path, ["x", "b"])[0].end == 1.0
    with pytest.raises(SampleError, match="no recording 'x' or 'y' among its 2"):
        load_timed_words(path, ["x", "y"])


def test_a_ctm_file_of_one_recording_needs_no_name(tmp_path: Path) -> None:
    path = tmp_path / "one.ctm"
    path.write_text("a 1 0.1 0.2 good\n")
    assert load_timed_words(path, ["x"])[0].text == "good"


@pytest.mark.parametrize(("name", "text"), [("a.ctm", "nonsense"), ("a.txt", "x"), ("b.ctm", None)])
def test_other_files_fail_only_their_sample(tmp_path: Path, name: str, text: str | None) -> None:
    if text:
        (tmp_path / name).write_text(text)
    with pytest.raises(SampleError, match=name.replace(".", r"\.")):
        load_timed_words(tmp_path / name, ["a"])


def test_a_textgrid_is_read_by_its_suffix(tmp_path: Path) -> None:
    path = tmp_path / "a.TextGrid"
    values = '"ooTextFile" "TextGrid" 0 1 <exists> 1 "IntervalTier" "words" 0 1 1 0.1 0.3 "good"'
    path.write_text(values)
    assert load_timed_words(path, []) == WORDS[:1]
