"""Anything that fsspec can open, such as `hf://`, as a storage that can only be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from auricle.core.errors import StorageError
from auricle.core.redaction import redact_text
from auricle.core.size_limits import FILE_LIMIT
from auricle.core.storage import READ_BUFFER, ObjectInfo, ReadOnlyStorage, url_scheme


class FsspecStorage(ReadOnlyStorage):
    """A folder of a file system that fsspec knows."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._files, self._root = _open_file_system(self._url)

    def read(self, path: str, start: int = 0, end: int | None = None) -> bytes:
        if end is not None and end <= start:
            return b""
        with self._errors(path):
            if end is None:
                FILE_LIMIT.check(self._info(self._files.info(self._full(path))).size - start, self._name(path))
            return bytes(self._files.cat_file(self._full(path), start=start or None, end=end))

    def open(self, path: str, buffering: int = READ_BUFFER) -> BinaryIO:
        with self._errors(path):
            return cast(BinaryIO, self._files.open(self._full(path), "rb", block_size=buffering or None))

    def head(self, path: str) -> ObjectInfo:
        with self._errors(path):
            return self._info(self._files.info(self._full(path)))

    def list(self, prefix: str = "") -> Iterator[ObjectInfo]:
        with self._errors(prefix):
            files = self._files.find(self._full(prefix), detail=True)
        return iter(sorted(self._info(file) for file in files.values()))

    def _full(self, path: str) -> str:
        return f"{self._root}/{path}".rstrip("/") if path else self._root

    def _info(self, details: dict[str, Any]) -> ObjectInfo:
        modified = next(
            (details[key] for key in ("LastModified", "last_modified", "mtime", "created") if key in details), 0.0
        )
        version = next((details[key] for key in ("ETag", "etag", "blob_id", "md5Hash") if details.get(key)), modified)
        seconds = modified.timestamp() if hasattr(modified, "timestamp") else float(modified or 0.0)
        path = str(details["name"]).removeprefix(self._root).lstrip("/")
        return ObjectInfo(path, int(details.get("size") or 0), str(version), seconds)

    @contextmanager
    def _errors(self, path: str) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            raise FileNotFoundError(f"No such file: {self._name(path)}.") from error
        except Exception as error:
            raise StorageError(f"Cannot read {self._name(path)}: {redact_text(str(error))}.") from error


def _open_file_system(url: str) -> tuple[Any, str]:
    unknown = (
        f"{redact_text(url)}: unknown scheme '{url_scheme(url)}'. Use a path, s3://, gs://, az://, abfs:// or https://"
    )
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise StorageError(f"{unknown}, or install fsspec for further ones.") from error
    try:
        files, root = url_to_fs(url)
    except ImportError as error:
        raise StorageError(f"{redact_text(url)}: {error}.") from error
    except ValueError as error:
        raise StorageError(f"{unknown}.") from error
    return files, str(root).rstrip("/")
