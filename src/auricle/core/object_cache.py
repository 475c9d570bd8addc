"""Keep fetched objects on the local disk, if `AURICLE_OBJECT_CACHE` states how many gigabytes they may take."""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from auricle.core.errors import SpecError
from auricle.core.files import read_regular_file, user_cache_folder
from auricle.core.storage import Storage

LIMIT_VARIABLE = "AURICLE_OBJECT_CACHE"
SCRATCH_SUFFIX = ".tmp"
EVICTED_SHARE = 0.1
"""Share of the limit that is freed at once, so that the folder is not listed for every object."""


class CachedFile(NamedTuple):
    """A cached object on disk."""

    used_at: float
    size: int
    path: Path


def object_cache_folder() -> Path:
    """Return the folder of cached objects."""
    return user_cache_folder() / "objects"


def read_limit() -> int:
    """Return the highest number of bytes of the cache; 0 if there is none.

    Raises:
        SpecError: if the environment variable is not a number of gigabytes.
    """
    text = os.environ.get(LIMIT_VARIABLE, "0")
    try:
        gigabytes = float(text)
    except ValueError:
        gigabytes = -1.0
    if not 0 <= gigabytes < float("inf"):
        raise SpecError(f"{LIMIT_VARIABLE}={text!r} is not a number of gigabytes.")
    return int(gigabytes * 1e9)


def read_through_cache(storage: Storage, path: str) -> bytes:
    """Return an object, from the cache if its version is still the same."""
    limit = read_limit()
    if not limit:
        return storage.read(path)
    version = storage.head(path)
    key = blake2b(f"{storage.url}\n{path}\n{version.size}\n{version.etag}".encode(), digest_size=20).hexdigest()
    file = object_cache_folder() / key[:2] / key
    with suppress(OSError):
        content = read_regular_file(file)
        os.utime(file)
        return content
    content = storage.read(path)
    if version.etag and len(content) <= limit:
        with suppress(OSError):  # such as a full disk: the object is there all the same
            _store(file, content, limit)
    return content


def _store(file: Path, content: bytes, limit: int) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    scratch = file.with_name(f"{file.name}.{os.getpid()}{SCRATCH_SUFFIX}")
    scratch.write_bytes(content)
    scratch.replace(file)
    evict(limit)


def evict(limit: int) -> None:
    """Delete the objects that were not used for the longest time, if there are more bytes than `limit`."""
    files = list_cached_files()
    excess = sum(file.size for file in files) - limit
    if excess <= 0:
        return
    excess += int(limit * EVICTED_SHARE)
    for file in sorted(files):
        if excess <= 0:
            return
        file.path.unlink(missing_ok=True)
        excess -= file.size


def list_cached_files() -> list[CachedFile]:
    """Return all cached objects."""
    files = []
    for path in object_cache_folder().glob("??/*"):
        with suppress(FileNotFoundError):  # deleted by another process
            status = path.stat()
            files.append(CachedFile(status.st_mtime, status.st_size, path))
    return files
