"""Append-only JSONL files that survive a crash, and the lines of `outputs.jsonl`.

Each line has a checksum. Damaged lines are counted and named, and never read.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import IO, TypeAlias

import orjson

from auricle.core.calls import CallRecording
from auricle.core.checked_lines import add_checksum, find_damage
from auricle.core.closing import Closing
from auricle.core.errors import RunDirectoryLost, SampleError
from auricle.core.files import fsync_folder, open_regular_file, write_atomically
from auricle.core.redaction import SECRETS
from auricle.core.serialization import JsonObject, decode_record, digest, dump_canonical, encode_record, read_id_digest
from auricle.core.types import Failure, Generation, Output, Record, Sample
from auricle.media import Audio
from auricle.runs.health import DamagedLine
from auricle.runs.progress import read_limit
from auricle.runs.shards.large_runs import check_has_samples

COMMIT_SECONDS = 0.1
"""Interval at which appended lines are written and fsynced."""
READ_BYTES = 1 << 20
"""Bytes read at a time; with the default of Python, reading lines takes three times as long."""
BLOCK_BYTES = 1 << 17
"""Bytes of lines that are decoded at a time; the objects of more lines do not fit into the caches of a processor."""
SPEECH_FOLDER = "speech/"
"""Folder of spoken outputs in a run directory."""
CALLS_FOLDER = "calls/"
"""Folder of the recordings and event logs of calls in a run directory."""
UNREADABLE_ERRORS = (orjson.JSONDecodeError, AttributeError, KeyError, TypeError, ValueError)
"""What decoding a line raises whose fields are missing or have a wrong type."""


class Journal:
    """A file to which any thread may append lines; one thread writes and fsyncs them in groups."""

    def __init__(self, path: Path) -> None:
        self._path = path
        is_new = not path.exists()
        self._file = open_regular_file(path, 0, "ab")
        if is_new:
            fsync_folder(path.parent)
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
    with open_regular_file(path, READ_BYTES) as lines:
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
    def damage(self) -> str:
        """What is wrong with the line; empty if it is intact."""
        return find_damage(self.content)

    @property
    def record(self) -> Record | None:
        """The record, with absolute paths of its audio; None if the line is damaged or a removal."""
        return None if self.damage else _decode_line(self.content, self.folder)


def _decode_line(content: bytes, folder: Path) -> Record | None:
    """Return the record of an intact line, with absolute paths of its audio; None if it is a removal."""
    try:
        record = decode_record(orjson.loads(content))
    except UNREADABLE_ERRORS:
        return None
    if not has_stored_media(record):
        return record
    return replace(record, outputs=tuple(_resolve_audio_path(output, folder) for output in record.outputs))


def _resolve_audio_path(output: Output, folder: Path) -> Output:
    if isinstance(output, CallRecording):
        return replace(output, audio=_resolve_path(output.audio, folder))
    if not isinstance(output, Generation):
        return output
    call = output.call and replace(output.call, audio=_resolve_path(output.call.audio, folder))
    return replace(output, audio=_resolve_path(output.audio, folder), call=call)


def _resolve_path(audio: Audio | None, folder: Path) -> Audio | None:
    is_in_run = audio and audio.uri.startswith((SPEECH_FOLDER, CALLS_FOLDER))
    return Audio(str(folder / audio.uri)) if audio and is_in_run else audio


class JournalIndex(Closing):
    """Index of a journal: the offset of the latest record of each sample, and the damaged lines.

    Args:
        path: The journal.
        beyond_limit: Whether to include samples of rows that the run is not about; see `read_limit`.
    """

    def __init__(self, path: Path, *, beyond_limit: bool = False) -> None:
        self._path = path
        limit = None if beyond_limit else read_limit(path.parent)
        self._file: IO[bytes] | None = None
        self._offsets: dict[int, int] = {}
        self.damaged: list[DamagedLine] = []
        self.has_further_rows = False
        """Whether the journal has records of rows that the run is not about."""
        for number, (offset, content) in enumerate(read_lines(path), 1):
            if damage := find_damage(content):
                self.damaged.append(DamagedLine(number, damage))
            elif (id_digest := read_id_digest(content)) is not None:
                if limit is None or is_within(orjson.loads(content), limit):
                    self._offsets[id_digest] = offset
                else:
                    self._offsets.pop(id_digest, None)
                    self.has_further_rows = True
            elif (removed := read_removed_digest(content)) is not None:
                self._offsets.pop(removed, None)
            else:
                self.damaged.append(DamagedLine(number, "is neither a record nor a removal"))

    def __len__(self) -> int:
        return len(self._offsets)

    def get(self, sample_id: str) -> Record | None:
        """Read the latest record of a sample, if there is one."""
        return self.get_by_digest(digest(sample_id)) if self._offsets else None

    def get_by_digest(self, id_digest: int) -> Record | None:
        """Read the latest record of the sample whose id has this digest, if there is one."""
        offset = self._offsets.get(id_digest)
        if offset is None:
            return None
        if self._file is None:
            self._file = open_regular_file(self._path)
        self._file.seek(offset)
        return _decode_line(self._file.readline(), self._path.parent)

    def records(self) -> Iterator[Record]:
        """Yield the latest record of each sample, in the order in which they finished."""
        latest, folder = set(self._offsets.values()), self._path.parent
        for number, (offset, content) in enumerate(read_lines(self._path), 1):
            if offset in latest:
                if record := _decode_line(content, folder):
                    yield record
                else:
                    self.damaged.append(DamagedLine(number, "has fields of a wrong type"))

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of these records as they are stored."""
        latest = set(self._offsets.values())
        yield from (content for offset, content in read_lines(self._path) if offset in latest)

    def id_digests(self) -> set[int]:
        """Return the digests of all sample ids in the journal."""
        return set(self._offsets)

    def close(self) -> None:
        if self._file:
            self._file.close()


def is_within(document: JsonObject, limit: int | None) -> bool:
    """Return whether the record of a line is of the first rows of the data."""
    return limit is None or not isinstance(row := document.get("row"), int) or row < limit


AddRecords: TypeAlias = Callable[[Sequence[int], Sequence[JsonObject]], None]


@dataclass
class LatestRecords:
    """Which of the records that one pass over a journal read count: the last one of each sample."""

    positions: dict[str, int] = field(default_factory=dict)
    """The position of that record among all that were read, by sample id, in the order in which they finished."""
    count: int = 0
    """Number of records that were read."""
    damaged_lines: int = 0
    limit: int | None = None
    """Number of rows that the run is about; records of later rows do not count."""
    _ids: dict[int, str] | None = None
    """Sample ids by their digests, which are computed only if samples were removed."""

    def read_block(self, offsets: Sequence[int], lines: Sequence[bytes], add: AddRecords) -> None:
        """Add the records of some lines at once, or line by line if one of them is damaged or a removal."""
        if any(map(find_damage, lines)) or not self._add_records(offsets, lines, add):
            for offset, line in zip(offsets, lines, strict=True):
                if find_damage(line) or not (self._add_records([offset], [line], add) or self._remove(line)):
                    self.damaged_lines += 1

    def _add_records(self, offsets: Sequence[int], lines: Sequence[bytes], add: AddRecords) -> bool:
        """Add the records of intact lines; return False, and add none, if a line is no record that can be read."""
        try:
            documents = list(map(orjson.loads, lines))
            ids = [document["id"] for document in documents]
            if not all(isinstance(sample_id, str) for sample_id in ids):
                return False
            counts = [is_within(document, self.limit) for document in documents]
            add(offsets, documents)
        except UNREADABLE_ERRORS:
            return False
        for position, (sample_id, is_counted) in enumerate(zip(ids, counts, strict=True), self.count):
            self.positions.pop(sample_id, None)  # a sample that was sent again finished after others
            if is_counted:
                self.positions[sample_id] = position
        self.count += len(ids)
        if self._ids is not None:
            self._ids.update((digest(sample_id), sample_id) for sample_id in ids)
        return True

    def _remove(self, line: bytes) -> bool:
        """Leave out the sample of a line that is no record, and return whether the line removes it."""
        removed = read_removed_digest(line)
        id_digest = read_id_digest(line) if removed is None else removed
        if self._ids is None:
            self._ids = {digest(sample_id): sample_id for sample_id in self.positions}
        if id_digest is not None:
            self.positions.pop(self._ids.get(id_digest, ""), None)
        return removed is not None


def read_latest(path: Path, add: AddRecords, max_samples: int | None = None) -> LatestRecords:
    """Read a few fields of every record in one pass, which takes a third of the time of `JournalIndex.records`.

    Args:
        path: The journal.
        add: Stores what is needed of some records: it receives their offsets and JSON objects, which it may change.
            Some may turn out not to be the last of their sample. If a field is missing or has a wrong type, it
            raises one of `UNREADABLE_ERRORS` and stores nothing.
        max_samples: Number of samples after which to stop; a few more may be read. Default: read all.
    """
    check_has_samples(path.parent)
    latest = LatestRecords(limit=read_limit(path.parent))
    for offsets, lines in _read_blocks(path):
        latest.read_block(offsets, lines, add)
        if max_samples is not None and len(latest.positions) >= max_samples:
            break
    return latest


def _read_blocks(path: Path) -> Iterator[tuple[list[int], list[bytes]]]:
    """Yield complete lines with their offsets, about `BLOCK_BYTES` at a time; a missing file has no lines."""
    if not path.exists():
        return
    offset = 0
    with open_regular_file(path, READ_BYTES) as file:
        while lines := file.readlines(BLOCK_BYTES):
            *offsets, offset = accumulate(map(len, lines), initial=offset)
            if not lines[-1].endswith(b"\n"):  # being written
                del offsets[-1], lines[-1]
            yield offsets, lines


def has_stored_media(record: Record) -> bool:
    """Return whether an output has audio that is stored as a file, or is the recording of a call."""
    for output in record.outputs:  # a generator is slower, and this runs for every record
        if isinstance(output, Generation):
            if output.audio is not None or output.call is not None:
                return True
        elif isinstance(output, CallRecording):
            return True
    return False


def encode_record_line(record: Record) -> bytes:
    """Return the line of a record, without secrets.

    Raises:
        SampleError: if a value cannot be expressed in JSON.
    """
    try:
        return add_checksum(SECRETS.redact_line(encode_record(record)))
    except (TypeError, ValueError, RecursionError) as error:
        raise SampleError(f"the result cannot be stored: {error}") from error


def encode_storable(record: Record) -> tuple[bytes, Record]:
    """Return the line of a record, and the record as it is stored.

    A record with a value that cannot be stored fails: it keeps its sample, or else the sample's id.
    """
    try:
        return encode_record_line(record), record
    except SampleError as error:
        failure = record.error or Failure(type(error).__name__, str(error))
    failed = replace(record, outputs=(), error=failure)
    try:
        return encode_record_line(failed), failed
    except SampleError:
        failed = replace(failed, sample=Sample(id=record.sample.id, inputs={}, origin=record.sample.origin))
        return encode_record_line(failed), failed


def encode_removal(id_digest: int) -> bytes:
    """Return the line that removes a sample from the journal."""
    return add_checksum(dump_canonical({"gone": id_digest}))


def read_removed_digest(line: bytes) -> int | None:
    """Return the digest of the id of the sample that an intact line removes; None if it removes none."""
    value = orjson.loads(line).get("gone") if b'"gone"' in line else None
    return value if isinstance(value, int) else None


def iter_journal(path: Path) -> Iterator[JournalLine]:
    """Yield the complete lines of a journal; for a sample with several lines, the last one counts."""
    folder = path.parent
    for offset, content in read_lines(path):
        yield JournalLine(folder, offset, content)


def read_record(path: Path, offset: int) -> Record | None:
    """Read the record of the line that starts at an offset; None if there is none that can be read."""
    with open_regular_file(path) as file:
        file.seek(offset)
        return JournalLine(path.parent, offset, file.readline()).record


def move_damaged_lines(path: Path, damaged: Collection[DamagedLine]) -> Path:
    """Move damaged lines to a file next to the journal, and return its path; all other lines are kept."""
    numbers = {line.line for line in damaged}
    aside = path.with_name(f"{path.stem}.damaged{path.suffix}")
    with open_regular_file(aside, mode="ab") as file:
        file.writelines(content for number, (_, content) in enumerate(read_lines(path), 1) if number in numbers)
        file.flush()
        os.fsync(file.fileno())
    intact = (content for number, (_, content) in enumerate(read_lines(path), 1) if number not in numbers)
    write_atomically(path, intact)
    return aside


def truncate_partial_line(path: Path, block: int = 65_536) -> None:
    """Remove what follows the last line break: a line whose writing was interrupted."""
    if not path.exists():
        return
    with open_regular_file(path, mode="rb+") as file:
        end = position = path.stat().st_size
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
