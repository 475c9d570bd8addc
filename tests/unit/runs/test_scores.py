"""`scores.jsonl`."""

from pathlib import Path

import orjson
import pytest

from auricle.core.errors import DataError
from auricle.runs.scores import ScoreLine, read_scores, write_scores

LINES = [
    ScoreLine("a", 0, {"wer": [1, 0, 0, 4]}, verdicts={"judge": ["good"]}),
    ScoreLine("b", 1, {}, unreadable={"wer": "no text"}),
    ScoreLine("c", 2, failed="Rejected"),
]


def test_scores_are_read_as_they_were_written(tmp_path: Path) -> None:
    write_scores(tmp_path, LINES)
    assert list(read_scores(tmp_path)) == LINES


def test_lines_contain_only_what_is_known(tmp_path: Path) -> None:
    write_scores(tmp_path, LINES)
    stored = [orjson.loads(line) for line in (tmp_path / "scores.jsonl").read_bytes().splitlines()]
    assert [list(line) for line in stored] == [
        ["id", "row", "stats", "verdicts"],
        ["id", "row", "stats", "unreadable"],
        ["id", "row", "failed"],
    ]


@pytest.mark.parametrize("content", [b'{"id": "a", "row"', b'{"id": "a"}\n', b'{"nonsense": 1}\n', b"[]\n"])
def test_damaged_scores_name_the_command_that_writes_them_again(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "scores.jsonl").write_bytes(content)
    with pytest.raises(DataError, match=r"missing or damaged\. Run `auricle score"):
        list(read_scores(tmp_path))


def test_missing_scores_are_reported(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="missing or damaged"):
        list(read_scores(tmp_path))
