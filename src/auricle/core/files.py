"""Files that are whole after a crash: written at once, or line by line."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterable
from pathlib import Path

COMMIT_SECONDS = 0.1


class Journal:
    """Appends lines from any thread; one thread writes and fsyncs them in groups."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab", buffering=0)
        self._pending: deque[bytes] = deque()  # safe to fill and to empty from two threads
        self._error: OSError | None = None
        self._closing = threading.Event()
        self._writer = threading.Thread(target=self._write_loop, name="auricle-journal", daemon=True)
        self._writer.start()

    def append(self, line: bytes) -> None:
        if self._error:
            raise self._error
        self._pending.append(line)

    def close(self) -> None:
        self._closing.set()
        self._writer.join()
        self._file.close()
        if self._error:
            raise self._error

    def _write_loop(self) -> None:
        last = False
        while not last:
            last = self._closing.wait(COMMIT_SECONDS)
            lines = [self._pending.popleft() for _ in range(len(self._pending))]
            try:
                self._commit(b"".join(lines))
            except OSError as error:  # a full disk: told to whoever appends next
                self._error = error
                return

    def _commit(self, block: bytes) -> None:
        view = memoryview(block)
        while view:
            view = view[self._file.write(view) :]
        if block:
            os.fsync(self._file.fileno())


def truncate_partial_line(path: Path, block: int = 65_536) -> None:
    """Drop what follows the last line end: a line that was being written when power went."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        end = position = file.seek(0, os.SEEK_END)
        while position:
            start = max(0, position - block)
            file.seek(start)
            found = file.read(position - start).rfind(b"\n")
            if found >= 0:
                position = start + found + 1
                break
            position = start
        if position < end:
            file.truncate(position)


def write_atomically(path: Path, content: bytes) -> None:
    """Write all of `content` durably, or leave the file as it was."""
    scratch = path.with_name(path.name + ".tmp")
    with scratch.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    scratch.replace(path)


def write_lines_atomically(path: Path, lines: Iterable[bytes]) -> None:
    """Write a derived file line by line, whole or not at all."""
    scratch = path.with_name(path.name + ".tmp")
    with scratch.open("wb") as file:
        file.writelines(lines)
    scratch.replace(path)
