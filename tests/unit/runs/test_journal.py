"""Appending to journals and reading them after a crash."""

import os
from pathlib import Path

import pytest

from auricle.runs.journal import Journal, read_lines, truncate_partial_line


def test_lines_are_written_in_order(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(path)
    lines = [f"line {number}\n".encode() for number in range(1000)]
    for line in lines:
        journal.append(line)
    journal.close()
    assert path.read_bytes() == b"".join(lines)


def test_lines_are_appended_to_an_existing_file(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    for line in (b"first\n", b"second\n"):
        journal = Journal(path)
        journal.append(line)
        journal.close()
    assert list(read_lines(path)) == [(0, b"first\n"), (6, b"second\n")]


def test_write_error_is_raised_on_close(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_full(_: int) -> None:
        raise OSError(28, "No space left on device")

    journal = Journal(tmp_path / "journal")
    monkeypatch.setattr(os, "fsync", raise_full)
    journal.append(b"line\n")
    with pytest.raises(OSError, match="No space left"):
        journal.close()


def test_partial_last_line_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_bytes(b"one\ntwo\nthr")
    assert [line for _, line in read_lines(path)] == [b"one\n", b"two\n"]
    assert list(read_lines(tmp_path / "missing")) == []


@pytest.mark.parametrize(
    ("content", "expected"),
    [(b"", b""), (b"partial", b""), (b"a\nb", b"a\n"), (b"a\n", b"a\n"), (b"a\n" + b"x" * 99, b"a\n")],
)
def test_truncation_keeps_complete_lines(tmp_path: Path, content: bytes, expected: bytes) -> None:
    path = tmp_path / "lines"
    path.write_bytes(content)
    truncate_partial_line(path, block=7)
    assert path.read_bytes() == expected
