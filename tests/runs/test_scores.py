"""`scores.jsonl`."""

import math
from pathlib import Path

import orjson
import pytest

from auricle.core.errors import DataError
from auricle.core.types import Outcome
from auricle.runs.scores import ScoreLine, read_scores, restore_stat, write_scores

LINES = [
    ScoreLine("a", 0, {"wer": [1, 0, 0, 4]}, verdicts={"judge": ["good"]}),
    ScoreLine("b", 1, {}, unreadable={"wer": "no text"}, reading="unread"),
    ScoreLine("c", 2, failed="Rejected"),
    ScoreLine("d", 3, {"wer": [0, 0, 0, 4]}),
]


def test_scores_are_read_as_they_were_written(tmp_path: Path) -> None:
    write_scores(tmp_path, LINES)
    assert list(read_scores(tmp_path)) == LINES


def test_lines_contain_only_what_is_known(tmp_path: Path) -> None:
    write_scores(tmp_path, LINES)
    stored = [orjson.loads(line) for line in (tmp_path / "scores.jsonl").read_bytes().splitlines()]
    assert [list(line) for line in stored] == [
        ["id", "row", "stats", "verdicts"],
        ["id", "row", "stats", "unreadable", "reading"],
        ["id", "row", "failed"],
        ["id", "row", "stats"],
    ]


@pytest.mark.parametrize(
    "content", [b'{"id": "a", "row"', b'{"id": "a"}\n', b'{"nonsense": 1}\n', b"[]\n", b'{"stats":{},"a":1,"b":2}\n']
)
def test_damaged_scores_name_the_command_that_writes_them_again(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "scores.jsonl").write_bytes(content)
    with pytest.raises(DataError, match=r"missing or damaged\. Run `auricle score"):
        list(read_scores(tmp_path))


def test_missing_scores_are_reported(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="missing or damaged"):
        list(read_scores(tmp_path))


def test_scores_without_readings_are_read(tmp_path: Path) -> None:
    (tmp_path / "scores.jsonl").write_bytes(b'{"id":"a","row":0,"stats":{},"unreadable":{"wer":"no text"}}\n')
    (line,) = read_scores(tmp_path)
    assert (line.reading, line.resolve_outcome(Outcome.ANSWERED)) == ("", Outcome.UNREADABLE)


def test_the_reading_of_a_sample_is_the_last_that_a_metric_has() -> None:
    line = ScoreLine("a", 0)
    steps = [("whole_reply", "whole_reply"), ("statement", "statement"), ("marker", "statement"), ("unread", "unread")]
    for reading, expected in steps:
        line.add_reading(reading)
        assert line.reading == expected


@pytest.mark.parametrize(
    ("line", "outcome", "expected"),
    [
        (ScoreLine("a", 0, reading="statement"), Outcome.ANSWERED, Outcome.ANSWERED),
        (ScoreLine("a", 0, unreadable={"acc": "no"}, reading="unread"), Outcome.ANSWERED, Outcome.UNREADABLE),
        (ScoreLine("a", 0, unreadable={"acc": "no"}, reading="refused"), Outcome.ANSWERED, Outcome.REFUSED),
        (ScoreLine("a", 0, unreadable={"acc": "no"}, reading="unread"), Outcome.EMPTY, Outcome.EMPTY),
        (ScoreLine("a", 0, failed="Transient"), Outcome.FAILED, Outcome.FAILED),
    ],
)
def test_the_outcome_depends_on_the_reading(line: ScoreLine, outcome: Outcome, expected: Outcome) -> None:
    assert line.resolve_outcome(outcome) is expected


def test_statistics_survive_json() -> None:
    assert restore_stat([1, 2.5]) == (1, 2.5)
    assert restore_stat([None, "sad"]) == (None, "sad")
    assert restore_stat([0, [["a", None]]]) == (0, (("a", None),))
    assert math.isnan(restore_stat(None))
    assert math.isnan(restore_stat([1.0, None])[1])
