"""A folder as a storage, which may be shared by several machines."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from auricle.core.errors import ObjectChanged, StorageError
from auricle.core.file_lock import wait_for_lock
from auricle.core.files import fsync_folder, open_regular_file
from auricle.core.storage import READ_BUFFER, SCRATCH_PREFIX, ObjectInfo


class LocalStorage:
    """A folder. Conditions hold for all processes that use it, also over NFS with working locks."""

    def __init__(self, root: Path, *, create_folder: bool = False) -> None:
        self._root = root.absolute()
        if create_folder:
            with _storage_errors(self._root):
                self._root.mkdir(parents=True, exist_ok=True)
        if not self._root.is_dir():
            raise StorageError(f"No such folder: {root}.")

    @property
    def url(self) -> str:
        return str(self._root)

    def read(self, path: str, start: int = 0, end: int | None = None) -> bytes:
        with self.open(path, buffering=0) as file, _storage_errors(self._root / path):
            file.seek(start)
            return file.read() if end is None else b"".join(_read_exactly(file, end - start))

    def open(self, path: str, buffering: int = READ_BUFFER) -> BinaryIO:
        target = self._resolve(path)
        with _storage_errors(target):
            return open_regular_file(target, buffering=buffering)

    def head(self, path: str) -> ObjectInfo:
        target = self._resolve(path)
        with _storage_errors(target):
            status = target.stat()
        return _info(path, status)

    def list(self, prefix: str = "") -> Iterator[ObjectInfo]:
        folder = self._resolve(prefix) if prefix else self._root
        return _list_folder(folder, f"{prefix.rstrip('/')}/" if prefix else "")

    def write(self, path: str, content: bytes) -> ObjectInfo:
        target = self._resolve(path)
        with self._scratch_file(target, content) as scratch:
            return _move(scratch, target, path)

    def create(self, path: str, content: bytes) -> ObjectInfo:
        target = self._resolve(path)
        with self._scratch_file(target, content) as scratch:
            _link(scratch, target)
            info = _info(path, scratch.stat())
        fsync_folder(target.parent)
        return info

    def replace(self, path: str, content: bytes, etag: str) -> ObjectInfo:
        target = self._resolve(path)
        with self._scratch_file(target, content) as scratch, self._lock():
            try:
                current = _info(path, target.stat()).etag
            except FileNotFoundError:
                current = ""
            if current != etag:
                raise ObjectChanged(f"{target} was changed by another process.")
            return _move(scratch, target, path)

    def upload(self, path: str, file: Path) -> ObjectInfo:
        target = self._resolve(path)
        with self._scratch_file(target, file) as scratch:
            return _move(scratch, target, path)

    def delete(self, path: str) -> None:
        target = self._resolve(path)
        with _storage_errors(target):
            target.unlink(missing_ok=True)

    def now(self) -> float:
        """Return the time of a file that is written now: on a network drive this is the server's clock."""
        with self._scratch_file(self._root / "clock", b"-") as scratch:
            return scratch.stat().st_mtime

    def _resolve(self, path: str) -> Path:
        parts = PurePosixPath(path)
        if not path or parts.is_absolute() or ".." in parts.parts:
            raise StorageError(f"{path!r} is not a path within {self._root}.")
        return self._root / parts

    @contextmanager
    def _scratch_file(self, target: Path, content: bytes | Path) -> Iterator[Path]:
        """Write a file beside the target, under a name that no other process uses, and remove it at the end."""
        scratch = target.with_name(f"{SCRATCH_PREFIX}{os.urandom(8).hex()}")
        with _storage_errors(target):
            scratch.parent.mkdir(parents=True, exist_ok=True)
            try:
                _write_file(scratch, content)
                yield scratch
            finally:
                scratch.unlink(missing_ok=True)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Wait until no other process replaces a file of this folder."""
        with (self._root / f"{SCRATCH_PREFIX}lock").open("a") as file:
            wait_for_lock(file)
            yield


@contextmanager
def _storage_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (FileNotFoundError, FileExistsError):
        raise
    except (OSError, ValueError) as error:
        raise StorageError(f"Cannot access {str(path)!r}: {getattr(error, 'strerror', None) or error}.") from error


def _read_exactly(file: BinaryIO, count: int) -> Iterator[bytes]:
    """Yield blocks until `count` bytes are read or the file ends."""
    while count > 0 and (block := file.read(count)):
        count -= len(block)
        yield block


def _write_file(path: Path, content: bytes | Path) -> None:
    with path.open("xb") as file:
        if isinstance(content, bytes):
            file.write(content)
        else:
            with open_regular_file(content) as source:
                shutil.copyfileobj(source, file, 1 << 20)
        file.flush()
        os.fsync(file.fileno())


def _move(scratch: Path, target: Path, path: str) -> ObjectInfo:
    """Replace the target; its time of modification increases even if the clock of the file system has not moved."""
    status = scratch.stat()
    with suppress(FileNotFoundError):
        previous = target.stat().st_mtime_ns
        if status.st_mtime_ns <= previous:
            os.utime(scratch, ns=(status.st_atime_ns, previous + 1))
            status = scratch.stat()
    scratch.replace(target)
    fsync_folder(target.parent)
    return _info(path, status)


def _link(scratch: Path, target: Path) -> None:
    """Give the scratch file a second name; on NFS a link can succeed although its reply was lost."""
    try:
        os.link(scratch, target)
    except FileExistsError:
        if scratch.stat().st_nlink != 2:
            raise


def _info(path: str, status: os.stat_result) -> ObjectInfo:
    return ObjectInfo(path, status.st_size, f"{status.st_size}-{status.st_mtime_ns}", status.st_mtime)


def _list_folder(folder: Path, prefix: str) -> Iterator[ObjectInfo]:
    """Yield the files below a folder in the order of their paths; links to folders are not followed."""
    try:
        with os.scandir(folder) as scan:
            entries = [
                (f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name, entry) for entry in scan
            ]
    except (FileNotFoundError, NotADirectoryError):
        return
    for name, entry in sorted(entries, key=lambda item: item[0]):
        if name.startswith(SCRATCH_PREFIX):
            continue
        if name.endswith("/"):
            yield from _list_folder(Path(entry.path), f"{prefix}{name}")
        else:
            with suppress(FileNotFoundError):  # deleted since, or a link to nothing
                if entry.is_file():
                    yield _info(f"{prefix}{name}", entry.stat())
