"""Opening files and atomic writes."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from auricle.core.files import (
    make_folder,
    open_regular_file,
    user_cache_folder,
    write_atomically,
    write_lines_atomically,
)


def test_content_replaces_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for content in (b"first", b"second"):
        write_atomically(path, content)
        assert path.read_bytes() == content
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_file_is_unchanged_if_a_line_cannot_be_produced(tmp_path: Path) -> None:
    def lines() -> Iterator[bytes]:
        yield b"new\n"
        raise ValueError("no more lines")

    path = tmp_path / "file"
    write_lines_atomically(path, [b"old\n"])
    with pytest.raises(ValueError, match="no more lines"):
        write_lines_atomically(path, lines())
    assert path.read_bytes() == b"old\n"


def test_cache_folder_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_cache_folder() == tmp_path / "auricle"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/someone")
    assert user_cache_folder() == Path("/home/someone/.cache/auricle")


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    os.mkfifo(tmp_path / "pipe")
    with open_regular_file(tmp_path / "file") as file:
        assert file.read() == b"x"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        for path in (tmp_path / "pipe", tmp_path / "socket", Path("/dev/null")):
            with pytest.raises(OSError, match="not a regular file"):
                open_regular_file(path)
    with pytest.raises(IsADirectoryError):
        open_regular_file(tmp_path)


def test_folder_of_a_created_or_renamed_file_is_fsynced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsynced: list[Path] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: fsynced.append(Path(f"/proc/self/fd/{descriptor}").readlink()))
    write_atomically(tmp_path / "file", [b"one\n", b"two\n"])
    assert (tmp_path / "file").read_bytes() == b"one\ntwo\n"
    assert fsynced == [tmp_path / "file.tmp", tmp_path]
    fsynced.clear()
    make_folder(tmp_path / "folder")
    make_folder(tmp_path / "folder")
    assert fsynced == [tmp_path]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_a_private_file_is_never_readable_by_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "links.json"
    (tmp_path / "links.json.tmp").touch(mode=0o644)  # of a crash
    modes = []

    def watch_modes(descriptor: int) -> None:
        modes.append(os.fstat(descriptor).st_mode & 0o777)

    monkeypatch.setattr(os, "fsync", watch_modes)
    write_atomically(path, b"secret", mode=0o600)
    assert modes[0] == path.stat().st_mode & 0o777 == 0o600
