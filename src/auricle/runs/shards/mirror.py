"""Copies of runs in buckets: what `auricle show` and other commands read of a run that is given as a URL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import blake2b
from pathlib import Path

import orjson

from auricle.core.errors import DataError
from auricle.core.files import make_folder, read_regular_file, user_cache_folder, write_atomically
from auricle.core.redaction import redact_text
from auricle.core.storage import ObjectInfo, Storage, open_storage
from auricle.runs.journal import CALLS_FOLDER, SPEECH_FOLDER
from auricle.runs.run_spec import PLAN_FILE, SPEC_FILE
from auricle.runs.shards.large_runs import not_merged

VERSIONS_FILE = ".auricle-mirror.json"
MEDIA_FOLDERS = (SPEECH_FOLDER, CALLS_FOLDER)
PARALLEL_READS = 16
COPIED_BYTES = 1 << 20


def mirror_folder(url: str) -> Path:
    """Return the folder for the copy of a run, in the user's cache.

    >>> mirror_folder("s3://bucket/runs/large").name.startswith("large-")
    True
    """
    name = url.rstrip("/").rpartition("/")[2] or "run"
    return user_cache_folder() / "runs" / f"{name}-{blake2b(url.encode(), digest_size=6).hexdigest()}"


def mirror_run(url: str, names: Iterable[str]) -> Path:
    """Copy the merged files of a run to this machine, unless they are there and unchanged.

    The location is not listed: a large run has a million objects of shards.

    Args:
        url: Location of the run.
        names: Files that a merged run may have, besides its spec and its media.

    Returns:
        A run directory.

    Raises:
        DataError: if the location does not contain a run, or one that has not been merged.
    """
    storage, folder = open_storage(url), mirror_folder(url)
    objects = {info.path: info for info in _find_objects(storage, {SPEC_FILE, *names})}
    if SPEC_FILE not in objects:
        raise DataError(f"{redact_text(url)} does not contain a run: it has no {SPEC_FILE}.")
    if len(objects) == 1 and _find_object(storage, PLAN_FILE):
        raise not_merged(redact_text(url))
    make_folder(folder)
    known = _read_versions(folder)
    changed = [info for path, info in objects.items() if known.get(path) != info.etag or not (folder / path).exists()]
    for path in set(known) - set(objects):
        (folder / path).unlink(missing_ok=True)
    with ThreadPoolExecutor(PARALLEL_READS, "auricle-mirror") as pool:
        list(pool.map(partial(_copy, storage, folder), changed))
    write_atomically(folder / VERSIONS_FILE, orjson.dumps({path: info.etag for path, info in objects.items()}))
    return folder


def _find_objects(storage: Storage, names: Iterable[str]) -> Iterator[ObjectInfo]:
    """Yield the files that a merged run has."""
    with ThreadPoolExecutor(PARALLEL_READS, "auricle-mirror") as pool:
        yield from (info for info in pool.map(partial(_find_object, storage), names) if info)
    for folder in MEDIA_FOLDERS:
        yield from storage.list(folder)


def _find_object(storage: Storage, path: str) -> ObjectInfo | None:
    try:
        return storage.head(path)
    except FileNotFoundError:
        return None


def _copy(storage: Storage, folder: Path, info: ObjectInfo) -> None:
    target = folder / info.path
    make_folder(target.parent)
    with storage.open(info.path) as source:
        write_atomically(target, iter(partial(source.read, COPIED_BYTES), b""))


def _read_versions(folder: Path) -> dict[str, str]:
    try:
        versions: dict[str, str] = orjson.loads(read_regular_file(folder / VERSIONS_FILE))
    except (OSError, orjson.JSONDecodeError):
        return {}
    return versions
