"""Locks of files, on this system and as on Windows."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import pytest

from auricle.core import file_lock

Lock = Callable[..., bool]
HOLD_LOCK = """
import sys
from auricle.core.file_lock import wait_for_lock

with open(sys.argv[1], "a") as file:
    wait_for_lock(file)
    print("locked", flush=True)
    sys.stdin.read()
"""


class FakeLocks:
    """Locks of bytes as Windows has them: by open file, each for itself, released when the file is closed."""

    LK_NBLCK, LK_UNLCK = 2, 0

    def __init__(self) -> None:
        self._holders: dict[tuple[int, int], int] = {}

    def locking(self, descriptor: int, mode: int, size: int) -> None:
        assert size == 1
        place = (os.fstat(descriptor).st_ino, os.lseek(descriptor, 0, os.SEEK_CUR))
        if mode == self.LK_UNLCK:
            del self._holders[place]
        elif self._is_open(self._holders.get(place), descriptor):
            raise PermissionError(13, "Permission denied")
        else:
            self._holders[place] = descriptor

    def _is_open(self, holder: int | None, descriptor: int) -> bool:
        try:
            return holder not in (None, descriptor) and bool(
                os.fstat(holder or 0)
            )  # numbers of closed files are used again
        except OSError:
            return False


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Load the module as on Windows."""
    monkeypatch.setitem(sys.modules, "msvcrt", FakeLocks())
    monkeypatch.setattr(sys, "platform", "win32")
    module = SimpleNamespace(**runpy.run_path(file_lock.__file__))
    monkeypatch.undo()
    return module


@pytest.fixture(params=["this system", "windows"])
def locks(request: pytest.FixtureRequest, windows: Any) -> Any:
    return windows if request.param == "windows" else file_lock


def open_file(path: Path) -> IO[str]:
    return path.open("a+", encoding="utf-8")


def test_a_locked_file_can_be_read_and_written_and_is_free_when_closed(locks: Any, tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with open_file(path) as holder:
        assert locks.try_lock(holder)
        holder.truncate(0)
        holder.write("process 7")
        holder.flush()
        with open_file(path) as other:
            assert not locks.try_lock(other)
            assert not locks.try_lock(other, shared=True)
            other.seek(0)
            assert other.read() == "process 7"
    assert path.stat().st_size == len("process 7")
    with open_file(path) as other:
        assert locks.try_lock(other)


def test_looking_does_not_lock(locks: Any, tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with open_file(path) as first, open_file(path) as second:
        assert locks.try_lock(first, shared=True)
        assert locks.try_lock(second, shared=True)


def test_waiting_ends_when_the_holder_closes_the_file(windows: Any, tmp_path: Path) -> None:
    path = tmp_path / "lock"
    holder = open_file(path)
    assert windows.try_lock(holder)
    pauses = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        holder.close()

    windows.wait_for_lock.__globals__["time"] = SimpleNamespace(sleep=pause)
    with open_file(path) as other:
        windows.wait_for_lock(other)
    assert pauses == [windows.RETRY_SECONDS]


def test_another_process_is_kept_out(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    command = [sys.executable, "-c", HOLD_LOCK, str(path)]
    with open_file(path) as file, subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"locked\n"
        assert not file_lock.try_lock(file)
        process.communicate()
        assert file_lock.try_lock(file)
