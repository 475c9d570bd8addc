"""What epochs in folders and in buckets have in common."""

from __future__ import annotations

from pathlib import Path

from auricle.runs.shards.completions import digest_content
from auricle.runs.shards.epochs import LineSet, complete_lines, digest_file, epoch_path, list_files


def test_locks_and_what_is_being_written_are_no_files_of_a_run(tmp_path: Path) -> None:
    for name in ("outputs.jsonl", ".lock", "progress.json.tmp", "speech/a.wav", "speech/.b.wav", ".hidden/c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    assert [*list_files(tmp_path)] == ["outputs.jsonl", "speech/a.wav"]


def test_an_incomplete_line_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\ntwo\nthr")
    assert [*complete_lines(tmp_path / "a")] == [b"one\n", b"two\n"]
    assert [*complete_lines(tmp_path / "b")] == []


def test_lines_that_were_seen_are_not_yielded_again() -> None:
    lines = LineSet([b"a\n"])
    assert [*lines.add_new([b"a\n", b"b\n", b"b\n"])] == [b"b\n"]
    assert [*lines.add_new([b"b\n", b"c\n"])] == [b"c\n"]


def test_the_digest_of_a_file_is_that_of_its_content(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"content")
    assert digest_file(tmp_path / "a") == (7, digest_content(b"content"))


def test_an_epoch_has_its_own_path() -> None:
    assert epoch_path(3, 12) == "shards/00003/12"
