"""The most bytes that are read at once: of a row, and of a whole file, such as a recording.

What data states about its size may be wrong, and a server, a compressed file or a tar may have no end. Environment
variables, because data is also read in worker processes and by other Pythons.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple, Protocol, TypeVar, cast

from auricle.core.errors import DataError, SpecError

BLOCK_BYTES = 1 << 20
Line = TypeVar("Line", bytes, str)


class SizeLimit(NamedTuple):
    """A limit that an environment variable states in megabytes."""

    variable: str
    default: int

    @property
    def bytes(self) -> int:
        """The limit.

        Raises:
            SpecError: if the variable is not a number of megabytes.
        """
        text = os.environ.get(self.variable) or str(self.default)
        if not text.isdecimal() or not int(text):
            raise SpecError(f"{self.variable}={text!r} is not a whole number of megabytes.")
        return int(text) * 1_000_000

    def check(self, size: int, name: str) -> None:
        """Raise `DataError` if something is larger."""
        if size > (limit := self.bytes):
            raise DataError(
                f"{name} is larger than the limit of {limit // 1_000_000:,} MB. If that is right, set "
                f"{self.variable} to more megabytes."
            )


ROW_LIMIT = SizeLimit("AURICLE_MAX_ROW", 64)
"""The longest line of a file of rows, or text in a tar."""
FILE_LIMIT = SizeLimit("AURICLE_MAX_FILE", 2000)
"""The largest file that is read as a whole: a recording, an image, a video, a JSON array."""


class SupportsRead(Protocol):
    """What blocks can be read from."""

    def read(self, size: int, /) -> bytes: ...


def read_whole(file: SupportsRead, name: str, limit: SizeLimit = FILE_LIMIT) -> bytes:
    """Return all that a file contains, by blocks, so that one without an end costs no more memory than the limit."""
    with io.BytesIO() as content:  # which is freed at once if there is too much, although the error refers to it
        while block := file.read(BLOCK_BYTES):
            content.write(block)
            limit.check(content.tell(), name)
        return content.getvalue()


def iter_lines(read_line: Callable[[int], Line], name: str) -> Iterator[Line]:
    """Yield lines, of bytes or text; `DataError` for one that is longer than the limit."""
    most = ROW_LIMIT.bytes + 1
    while line := read_line(most):
        if len(line) == most:
            ROW_LIMIT.check(most, f"A line of {name}")
        yield line


class BoundedFile:
    """A binary file whose lines, and whose content as a whole, have a limit; all else is that of the file itself."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self._name = file, name

    def readline(self, size: int = -1) -> bytes:
        return next(iter(self), b"") if size < 0 else self._file.readline(size)

    def __iter__(self) -> Iterator[bytes]:
        return iter_lines(self._file.readline, self._name)

    def read(self, size: int = -1) -> bytes:
        return read_whole(self._file, self._name) if size is None or size < 0 else self._file.read(size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def bound_file(file: BinaryIO, name: str) -> BinaryIO:
    """Return a file that raises `DataError` where a line, or all of it, is larger than the limits."""
    return cast(BinaryIO, BoundedFile(file, name))
