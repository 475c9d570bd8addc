"""Append-only JSONL files that survive a crash."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path

COMMIT_SECONDS = 0.1
"""Interval at which appended lines are written and fsynced."""


class Journal:
    """A file to which any thread may append lines; one thread writes and fsyncs them in groups."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab", buffering=0)
        self._pending: deque[bytes] = deque()  # appending and popping are thread-safe
        self._error: OSError | None = None
        self._closing = threading.Event()
        self._writer = threading.Thread(target=self._write_loop, name="auricle-journal", daemon=True)
        self._writer.start()

    def append(self, line: bytes) -> None:
        """Queue a line.

        Raises:
            OSError: if an earlier line could not be written, such as on a full disk.
        """
        if self._error:
            raise self._error
        self._pending.append(line)

    def close(self) -> None:
        """Write all queued lines and close the file."""
        self._closing.set()
        self._writer.join()
        self._file.close()
        if self._error:
            raise self._error

    def _write_loop(self) -> None:
        is_last = False
        while not is_last:
            is_last = self._closing.wait(COMMIT_SECONDS)
            lines = [self._pending.popleft() for _ in range(len(self._pending))]
            try:
                self._commit(b"".join(lines))
            except OSError as error:  # raised by the next `append` or `close`
                self._error = error
                return

    def _commit(self, block: bytes) -> None:
        remaining = memoryview(block)
        while remaining:
            remaining = remaining[self._file.write(remaining) :]
        if block:
            os.fsync(self._file.fileno())


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield each complete line of a journal with its offset; a missing file has no lines."""
    if not path.exists():
        return
    offset = 0
    with path.open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n"):
                yield offset, line
            offset += len(line)


def truncate_partial_line(path: Path, block: int = 65_536) -> None:
    """Remove what follows the last line break: a line whose writing was interrupted."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        end = position = file.seek(0, os.SEEK_END)
        while position:
            start = max(0, position - block)
            file.seek(start)
            line_break = file.read(position - start).rfind(b"\n")
            if line_break >= 0:
                position = start + line_break + 1
                break
            position = start
        if position < end:
            file.truncate(position)
