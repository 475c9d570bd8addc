"""Read and write objects in one location: a folder, a bucket with a prefix, or a web server.

Paths are relative to the location and use `/`. Credentials come from the environment variables of the store (`AWS_…`,
`GOOGLE_…`, `AZURE_…`) and are never stored.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn, Protocol
from urllib.parse import unquote, urlsplit

from auricle.core.errors import ObjectChanged, StorageError
from auricle.core.redaction import SECRETS, find_secrets, redact_text

READ_BUFFER = 8 << 20
"""Bytes that are requested at once when an object is read from its beginning to its end."""
SCRATCH_PREFIX = ".auricle-"
"""Names of objects that only the storage itself uses; they are not listed."""
OBJECT_STORE_SCHEMES = frozenset({"s3", "s3a", "gs", "az", "azure", "adl", "abfs", "abfss"})
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


class ObjectInfo(NamedTuple):
    """An object and its version."""

    path: str
    """Relative to the storage."""
    size: int
    etag: str
    """Changes when the object does. In a folder: size and time of modification."""
    modified: float
    """Seconds since 1970 by the clock of the store."""


class Storage(Protocol):
    """A folder, a bucket with a prefix, or a web server.

    All methods raise `StorageError` if the store refuses or cannot be reached, and those that read an object raise
    `FileNotFoundError` if there is none.
    """

    @property
    def url(self) -> str:
        """The location, without a trailing slash and without secrets."""

    def read(self, path: str, start: int = 0, end: int | None = None) -> bytes:
        """Return the bytes from `start` to before `end`, or to the end of the object."""

    def open(self, path: str, buffering: int = READ_BUFFER) -> BinaryIO:
        """Open an object for reading; it is requested block by block and never whole in memory.

        Args:
            path: The object.
            buffering: Bytes per request; 0 to request exactly what is read.
        """

    def head(self, path: str) -> ObjectInfo:
        """Return size and version of an object."""

    def list(self, prefix: str = "") -> Iterator[ObjectInfo]:
        """Yield all objects in a folder and those within it, sorted by path; none if there is no such folder."""

    def write(self, path: str, content: bytes) -> ObjectInfo:
        """Create or replace an object atomically."""

    def create(self, path: str, content: bytes) -> ObjectInfo:
        """Create an object.

        Raises:
            FileExistsError: if there is one; of several callers exactly one creates it.
        """

    def replace(self, path: str, content: bytes, etag: str) -> ObjectInfo:
        """Replace an object if its version is still `etag`.

        Raises:
            ObjectChanged: if it was replaced or deleted since.
        """

    def upload(self, path: str, file: Path) -> ObjectInfo:
        """Create or replace an object with the content of a local file, which may be larger than memory."""

    def delete(self, path: str) -> None:
        """Delete an object, if there is one."""

    def now(self) -> float:
        """Return the time by the clock of the store, which `ObjectInfo.modified` follows."""


class ReadOnlyStorage:
    """What storages have in common to which nothing can be written.

    Args:
        url: The location.
    """

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")

    @property
    def url(self) -> str:
        return redact_text(self._url)

    def write(self, path: str, content: bytes) -> ObjectInfo:
        self._refuse(path)

    def create(self, path: str, content: bytes) -> ObjectInfo:
        self._refuse(path)

    def replace(self, path: str, content: bytes, etag: str) -> ObjectInfo:
        self._refuse(path)

    def upload(self, path: str, file: Path) -> ObjectInfo:
        self._refuse(path)

    def delete(self, path: str) -> None:
        self._refuse(path)

    def now(self) -> float:
        self._refuse("")

    def _refuse(self, path: str) -> NoReturn:
        raise StorageError(f"{self._name(path)} can only be read. Write to a folder or a bucket (s3://, gs://, az://).")

    def _name(self, path: str) -> str:
        return redact_text(f"{self._url}/{path}" if path else self._url)


class RangeReader(io.RawIOBase):
    """An object as a file, read by ranges.

    A connection that stays open while a slow model reads would be closed by the store; requests for ranges are not,
    and a failed one is repeated alone.
    """

    def __init__(self, fetch: Callable[[int, int], bytes], size: int) -> None:
        self._fetch = fetch
        self._size = size
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}[whence]
        self._position = max(0, base + offset)
        return self._position

    def readinto(self, buffer: Any) -> int:
        end = min(self._size, self._position + len(buffer))
        if end <= self._position:
            return 0
        block = self._fetch(self._position, end)
        buffer[: len(block)] = block
        self._position += len(block)
        return len(block)


def open_storage(location: str | Path, *, create_folder: bool = False) -> Storage:
    """Open a folder, a bucket with a prefix, or a web server.

    Args:
        location: A path, or a URL: `file://`, `s3://`, `gs://`, `az://`, `abfs://`; `http(s)://` and the schemes that
            fsspec knows can only be read.
        create_folder: Whether to create a local folder that does not exist.

    Raises:
        StorageError: if there is no such folder, or no package knows the scheme.

    >>> open_storage(".").url == str(Path.cwd())
    True
    """
    scheme = url_scheme(location)
    if scheme in ("", "file"):
        from auricle.core.local_storage import LocalStorage

        return LocalStorage(local_path(location), create_folder=create_folder)
    SECRETS.register({"url": str(location)})
    if scheme in OBJECT_STORE_SCHEMES:
        from auricle.core.object_store import ObjectStorage

        return ObjectStorage(str(location))
    if scheme in ("http", "https"):
        from auricle.core.http_storage import HttpStorage

        return HttpStorage(str(location))
    from auricle.core.fsspec_storage import FsspecStorage

    return FsspecStorage(str(location))


def url_scheme(location: str | Path) -> str:
    """Return the scheme of a URL in lower case; empty for a path.

    >>> url_scheme("s3://bucket/data.jsonl"), url_scheme("data.jsonl")
    ('s3', '')
    """
    match = _SCHEME.match(str(location))
    return match[1].lower() if match else ""


def is_remote(location: str | Path) -> bool:
    """Return whether a location is a URL of something that is not in the local file system."""
    return url_scheme(location) not in ("", "file")


def local_path(location: str | Path) -> Path:
    """Return the path of a local location, which may be a `file://` URL."""
    if url_scheme(location) == "file":
        return Path(unquote(urlsplit(str(location)).path))
    return Path(location)


def split_location(location: str | Path) -> tuple[str, str]:
    """Return the location of the folder that contains an object, and the object's path in it.

    >>> split_location("s3://bucket/speech/a.tar")
    ('s3://bucket/speech', 'a.tar')
    >>> split_location("https://host/a.tar?token=x/y")
    ('https://host', 'a.tar?token=x/y')
    """
    if not is_remote(location):
        path = local_path(location)
        return str(path.parent), path.name
    address, mark, query = (
        str(location).partition("?") if url_scheme(location) in ("http", "https") else (location, "", "")
    )
    if query:  # such as the signature of a signed URL, which is part of the name of the object
        SECRETS.add(find_secrets({"url": str(location)}))
    folder, _, name = str(address).rpartition("/")
    if not name or folder.endswith(("//", ":/")) or "//" not in folder:
        raise StorageError(f"{redact_text(str(location))} is not the URL of a file.")
    return folder, f"{name}{mark}{query}"


def check_conditional_writes(storage: Storage) -> None:
    """Create a key twice and replace a stale version, to prove that the store honours conditions.

    Raises:
        StorageError: if it does not; several processes must not share such a store.
    """
    path = f"{SCRATCH_PREFIX}conditions-{os.urandom(8).hex()}"
    try:
        first = storage.create(path, b"first")
        _expect(FileExistsError, lambda: storage.create(path, b"second"), storage, "If-None-Match")
        storage.replace(path, b"third", first.etag)
        _expect(ObjectChanged, lambda: storage.replace(path, b"fourth", first.etag), storage, "If-Match")
    finally:
        with suppress(StorageError):
            storage.delete(path)


def _expect(error_type: type[Exception], write: Callable[[], object], storage: Storage, condition: str) -> None:
    try:
        write()
    except error_type:
        return
    raise StorageError(
        f"{storage.url} ignores conditions of writes ({condition}), so workers could overwrite each other's results. "
        "Use a store that supports them (S3, Google Cloud Storage, Azure, a recent MinIO) or a shared folder."
    )
