"""Files that are stored as immutable pieces, because no object can be appended to."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, cast

from auricle.core.files import open_regular_file
from auricle.core.storage import Storage
from auricle.runs.shards.completions import StoredFile

PIECE_BYTES = 8 << 20
"""Size from which on what was appended is stored at once."""
_PIECE = re.compile(r"(?P<name>.+\.jsonl)\.(?P<index>\d{5,})")


def split_piece_name(name: str) -> tuple[str, int] | None:
    """Return the file and the index of a piece; None if the name is not that of a piece.

    >>> split_piece_name("outputs.jsonl.00002")
    ('outputs.jsonl', 2)
    """
    match = _PIECE.fullmatch(name)
    return (match["name"], int(match["index"])) if match else None


class PieceWriter:
    """Stores what is appended to a local file of lines as pieces, each of which ends with a line.

    Args:
        storage: Location of the run.
        path: Path of the file in it, to which numbers are appended.
        file: The local file, which need not exist yet.
        restored: Pieces with which the file begins.
    """

    def __init__(self, storage: Storage, path: str, file: Path, restored: Sequence[str] = ()) -> None:
        self._storage = storage
        self._path = path
        self._file = file
        self.pieces = list(restored)
        self._count = 0
        self._digest = sha256()
        self._stored = 0
        self._inode: int | None = None
        self._is_rewritten = False
        if restored:
            self._skip_restored()

    def _skip_restored(self) -> None:
        for block in _read_blocks(self._file, 0, self._file.stat().st_size):
            self._digest.update(block)
            self._stored += len(block)
        self._inode = self._file.stat().st_ino

    @property
    def pending(self) -> int:
        """Bytes that are not stored yet, an incomplete line included."""
        try:
            status = self._file.stat()
        except FileNotFoundError:
            return 0
        self._inode = self._inode or status.st_ino
        if status.st_ino != self._inode:  # damaged lines were removed, so that the pieces no longer fit
            self._is_rewritten = True
        return 0 if self._is_rewritten else status.st_size - self._stored

    @property
    def end(self) -> int:
        """Current size of the file, as far as it is stored in pieces."""
        return self._stored + self.pending

    def store(self, end: int) -> None:
        """Store complete lines up to a position that are not stored yet."""
        while self._stored < end and not self._is_rewritten:
            with open_regular_file(self._file) as file:
                file.seek(self._stored)
                lines = _complete_lines(file.read(min(PIECE_BYTES, end - self._stored)))
                if not lines:  # a line that is longer than a piece, or is being written
                    file.seek(self._stored)
                    lines = _complete_lines(file.read(end - self._stored))
            if not lines:
                return
            self._store_piece(lines)

    def _store_piece(self, content: bytes) -> None:
        piece = f"{self._path}.{self._count:05d}"
        self._storage.write(piece, content)
        self.pieces.append(piece)
        self._count += 1
        self._digest.update(content)
        self._stored += len(content)

    def finish(self, name: str) -> StoredFile:
        """Store the rest, and describe the file; one that does not consist of its pieces is stored again whole."""
        self.store(self.end)
        digest = sha256()
        size = 0
        for block in _read_blocks(self._file, 0, self._file.stat().st_size):
            digest.update(block)
            size += len(block)
        if (size, digest.digest()) == (self._stored, self._digest.digest()):
            pieces = tuple(self.pieces)
        else:
            self._storage.upload(self._path, self._file)
            pieces = (self._path,)
        return StoredFile(name=name, size=size, digest=digest.hexdigest(), pieces=pieces)


def _complete_lines(block: bytes) -> bytes:
    return block[: block.rfind(b"\n") + 1]


def _read_blocks(file: Path, start: int, end: int) -> Iterator[bytes]:
    with open_regular_file(file) as source:
        source.seek(start)
        while start < end and (block := source.read(min(1 << 20, end - start))):
            start += len(block)
            yield block


class PieceReader(io.RawIOBase):
    """A stored file, read piece by piece and cut to its size.

    Args:
        storage: Location of the run.
        file: The file.
    """

    def __init__(self, storage: Storage, file: StoredFile) -> None:
        self._storage = storage
        self._paths = iter(file.pieces)
        self._piece: BinaryIO | None = None
        self._remaining = file.size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        while self._remaining:
            if self._piece is None:
                path = next(self._paths, None)
                if path is None:
                    return 0
                self._piece = self._storage.open(path)
            if block := self._piece.read(min(len(view), self._remaining)):
                view[: len(block)] = block
                self._remaining -= len(block)
                return len(block)
            self._piece.close()
            self._piece = None
        return 0

    def close(self) -> None:
        if self._piece is not None:
            self._piece.close()
        super().close()


def open_stored_file(storage: Storage, file: StoredFile) -> BinaryIO:
    """Open a stored file for reading from its beginning to its end."""
    return cast(BinaryIO, io.BufferedReader(PieceReader(storage, file), 1 << 20))
