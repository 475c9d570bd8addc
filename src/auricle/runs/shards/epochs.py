"""The files of one epoch of a shard, which only the worker that has its lease writes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from hashlib import blake2b, sha256
from pathlib import Path
from typing import NamedTuple, Protocol

from auricle.core.files import open_regular_file
from auricle.core.storage import Storage
from auricle.runs.journal import CALLS_FOLDER, SPEECH_FOLDER
from auricle.runs.progress import PROGRESS_FILE
from auricle.runs.run_spec import OUTPUTS_FILE, SHARDS_FOLDER, SPEC_FILE, VERDICTS_FILE
from auricle.runs.shards.completions import StoredFile
from auricle.runs.shards.plan import shard_name
from auricle.runs.sound_measures import SIGNALS_FILE

APPENDED_FILES = (OUTPUTS_FILE, VERDICTS_FILE)
"""Files that are uploaded while they grow: what they contain would have to be paid for again."""
LINE_FILES = (*APPENDED_FILES, SIGNALS_FILE)
"""Files of lines, of which an epoch begins with those of all earlier epochs."""
REPLACED_FILES = (SPEC_FILE, PROGRESS_FILE)
"""Files of which an epoch begins with the latest version."""
MEDIA_FOLDERS = (SPEECH_FOLDER, CALLS_FOLDER)
READ_BYTES = 1 << 20


class Epoch(Protocol):
    """A run directory that begins with what earlier epochs of the shard have answered."""

    def prepare(self) -> Path:
        """Create the run directory with the answers of earlier epochs, and return it."""

    def flush(self) -> None:
        """Store what was written so far, so that the next epoch can begin with it."""

    def finish(self) -> tuple[StoredFile, ...]:
        """Store all files durably, and describe them."""

    def count_unused_lines(self) -> int:
        """Return how many lines of the journals of other epochs are not part of this one's."""

    def close(self, *, is_stored: bool) -> None:
        """Release what the epoch uses on this machine; `is_stored` if everything in it is stored."""


def epoch_path(shard: int, epoch: int) -> str:
    """Return the path of the files of an epoch.

    >>> epoch_path(17, 3)
    'shards/00017/3'
    """
    return f"{SHARDS_FOLDER}/{shard_name(shard)}/{epoch}"


class EpochFile(NamedTuple):
    """An object of a shard."""

    epoch: int
    name: str
    """Path in the run directory of the epoch, or the name of a piece of such a file."""
    path: str
    """Path in the location of the run."""


def list_epoch_files(storage: Storage, shard: int) -> Iterator[EpochFile]:
    """Yield the objects of all epochs of a shard."""
    prefix = f"{SHARDS_FOLDER}/{shard_name(shard)}"
    for info in storage.list(prefix):
        epoch, _, name = info.path.removeprefix(f"{prefix}/").partition("/")
        if epoch.isdecimal() and name:
            yield EpochFile(int(epoch), name, info.path)


def list_files(folder: Path) -> Iterator[str]:
    """Yield the names of the files of a run directory, without locks and what is being written."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        is_hidden = any(part.startswith(".") for part in name.split("/"))
        if path.is_file() and not is_hidden and not name.endswith(".tmp"):
            yield name


def digest_file(path: Path) -> tuple[int, str]:
    """Write a file through to the disk; return its size and digest."""
    digest, size = sha256(), 0
    with open_regular_file(path) as file:
        while block := file.read(READ_BYTES):
            digest.update(block)
            size += len(block)
        os.fsync(file.fileno())
    return size, digest.hexdigest()


def complete_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file that end in a line break; none if there is no such file."""
    try:
        with open_regular_file(path, READ_BYTES) as lines:
            yield from (line for line in lines if line.endswith(b"\n"))
    except FileNotFoundError:
        return


class LineSet:
    """Lines that were seen, by their digests."""

    def __init__(self, lines: Iterable[bytes] = ()) -> None:
        self._digests = set(map(_digest_line, lines))

    def add_new(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the lines that were not seen, and remember them."""
        for line in lines:
            digest = _digest_line(line)
            if digest not in self._digests:
                self._digests.add(digest)
                yield line


def _digest_line(line: bytes) -> bytes:
    return blake2b(line, digest_size=16).digest()
