"""Append-only JSONL files that survive a crash, and the lines of `outputs.jsonl`."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

import orjson

from auricle.audio import Audio
from auricle.core.errors import RunDirectoryLost
from auricle.core.serialization import decode_record, dumps, read_id_digest
from auricle.core.types import Generation, Output, Record

COMMIT_SECONDS = 0.1
"""Interval at which appended lines are written and fsynced."""
SPEECH_FOLDER = "speech/"
"""Folder of spoken outputs in a run directory."""


class Journal:
    """A file to which any thread may append lines; one thread writes and fsyncs them in groups."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("ab", buffering=0)
        self._pending: deque[bytes] = deque()  # appending and popping are thread-safe
        self._error: OSError | RunDirectoryLost | None = None
        self._closing = threading.Event()
        self._writer = threading.Thread(target=self._write_loop, name="auricle-journal", daemon=True)
        self._writer.start()

    def append(self, line: bytes) -> None:
        """Queue a line; raise as `check` does."""
        self.check()
        self._pending.append(line)

    def check(self) -> None:
        """Check that lines can be written.

        Raises:
            OSError: if an earlier line could not be written, such as on a full disk.
            RunDirectoryLost: if the file was deleted, moved or replaced.
        """
        if self._error:
            raise self._error

    def close(self) -> None:
        """Write all queued lines and close the file."""
        self._closing.set()
        self._writer.join()
        self._file.close()
        self.check()

    def _write_loop(self) -> None:
        is_last = False
        while not is_last:
            is_last = self._closing.wait(COMMIT_SECONDS)
            lines = [self._pending.popleft() for _ in range(len(self._pending))]
            try:
                self._commit(b"".join(lines))
                self._check_path()
            except (OSError, RunDirectoryLost) as error:  # raised by `check`
                self._error = error
                return

    def _commit(self, block: bytes) -> None:
        remaining = memoryview(block)
        while remaining:
            remaining = remaining[self._file.write(remaining) :]
        if block:
            os.fsync(self._file.fileno())

    def _check_path(self) -> None:
        """Check that the open file is still the one at the path; an unlinked file would lose what is written to it."""
        try:
            is_same = os.path.samestat(os.fstat(self._file.fileno()), self._path.stat())
        except FileNotFoundError:
            is_same = False
        if not is_same:
            raise RunDirectoryLost(
                f"{self._path} was deleted, moved or replaced while the run was writing to it. "
                "Restore the folder and run the same command again; lost samples are then sent again."
            )


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


@dataclass(slots=True)
class JournalLine:
    """A line of `outputs.jsonl`: the record of a sample, or its removal. It is damaged if it is neither."""

    folder: Path
    """The run directory."""
    offset: int
    content: bytes

    @property
    def id_digest(self) -> int | None:
        """The digest of the sample's id, read without parsing the rest of the line; None if it has no record."""
        return read_id_digest(self.content)

    @property
    def removed_digest(self) -> int | None:
        """The digest of the id of a sample that is no longer in the data; None if the line is no removal."""
        try:
            value = orjson.loads(self.content)["gone"]
        except (orjson.JSONDecodeError, KeyError, TypeError):
            return None
        return value if isinstance(value, int) else None

    @property
    def record(self) -> Record | None:
        """The record, with absolute paths of spoken outputs; None if there is none that can be read."""
        try:
            record = decode_record(orjson.loads(self.content))
        except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError, ValueError):
            return None
        if not has_spoken_output(record):
            return record
        return replace(record, outputs=tuple(self._resolve_audio_path(output) for output in record.outputs))

    def _resolve_audio_path(self, output: Output) -> Output:
        if not isinstance(output, Generation) or not output.audio:
            return output
        name = output.audio.uri
        return replace(output, audio=Audio(str(self.folder / name))) if name.startswith(SPEECH_FOLDER) else output


def has_spoken_output(record: Record) -> bool:
    for output in record.outputs:  # noqa: SIM110 - a generator is slower, and this runs for every record
        if isinstance(output, Generation) and output.audio is not None:
            return True
    return False


def encode_removal(id_digest: int) -> bytes:
    """Return the line that removes a sample from the journal."""
    return dumps({"gone": id_digest})


def iter_journal(path: Path) -> Iterator[JournalLine]:
    """Yield the complete lines of a journal; for a sample with several lines, the last one counts."""
    folder = path.parent
    for offset, content in read_lines(path):
        yield JournalLine(folder, offset, content)


def read_journal_line(file: IO[bytes], folder: Path, offset: int) -> JournalLine:
    """Read the line of an open journal that starts at an offset."""
    file.seek(offset)
    return JournalLine(folder, offset, file.readline())


def read_record(path: Path, offset: int) -> Record | None:
    """Read the record of the line that starts at an offset; None if there is none that can be read."""
    with path.open("rb") as file:
        return read_journal_line(file, path.parent, offset).record


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
