"""Files of data, in the local file system or at a URL."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias, cast

from auricle.core.errors import DataError
from auricle.core.files import open_regular_file
from auricle.core.redaction import redact_text
from auricle.core.size_limits import bound_file
from auricle.core.storage import READ_BUFFER, ObjectInfo, is_remote, local_path, open_storage, split_location

LOCAL_BUFFER = 1 << 20
COMPRESSED_SUFFIX = ".gz"


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file at a URL, with the properties of a path that readers use."""

    url: str

    @property
    def name(self) -> str:
        return split_location(self.url)[1].partition("?")[0]

    @property
    def suffix(self) -> str:
        return Path(self.name).suffix

    def __str__(self) -> str:
        return redact_text(self.url)


DataFile: TypeAlias = Path | RemoteFile


def to_data_file(location: str | Path) -> DataFile:
    """Return the file at a path or a URL."""
    return RemoteFile(str(location)) if is_remote(location) else local_path(location)


def data_suffix(file: DataFile | str) -> str:
    """Return the suffix that names the format, with that of the compression.

    >>> data_suffix("speech.JSONL.gz"), data_suffix("a.b.tar")
    ('.jsonl.gz', '.tar')
    """
    path = Path(file if isinstance(file, str) else file.name)
    suffix = path.suffix.lower()
    return Path(path.stem).suffix.lower() + suffix if suffix == COMPRESSED_SUFFIX else suffix


@contextmanager
def open_data_file(file: DataFile, buffering: int | None = None) -> Iterator[BinaryIO]:
    """Open a file of data; one that ends in `.gz` is decompressed while it is read.

    Args:
        file: The file.
        buffering: Bytes to read at once; 0 to read exactly what is asked for.

    Raises:
        DataError: if it does not exist, cannot be read, or is a folder, a named pipe or a device.
    """
    with _open_plain(file, buffering) as plain:
        if file.suffix.lower() != COMPRESSED_SUFFIX:
            yield bound_file(plain, str(file))
            return
        try:
            with gzip.GzipFile(fileobj=plain) as content:
                yield bound_file(cast(BinaryIO, content), str(file))
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise DataError(f"{file} is not a complete gzip file: {error}. Copy it again.") from error


def _open_plain(file: DataFile, buffering: int | None) -> BinaryIO:
    try:
        if isinstance(file, RemoteFile):
            folder, name = split_location(file.url)
            return open_storage(folder).open(name, READ_BUFFER if buffering is None else buffering)
        return open_regular_file(file, buffering=LOCAL_BUFFER if buffering is None else buffering)
    except FileNotFoundError as error:
        raise DataError(f"No such file: {file}.") from error
    except IsADirectoryError as error:
        raise DataError(f"Not a file but a folder: {file}.") from error
    except (OSError, ValueError) as error:
        raise DataError(f"Cannot read {str(file)!r}: {getattr(error, 'strerror', None) or error}.") from error


def stat_data_file(file: DataFile) -> ObjectInfo:
    """Return size and version of a file.

    Raises:
        DataError: if it does not exist.
    """
    folder, name = split_location(str(file) if isinstance(file, Path) else file.url)
    storage = open_storage(folder)
    try:
        return storage.head(name)
    except FileNotFoundError as error:
        with suppress(FileNotFoundError):
            storage.read(name, 0, 1)  # raises an error that names a missing bucket; the reply to HEAD does not
        raise DataError(f"No such file: {file}.") from error
