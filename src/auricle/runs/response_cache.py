"""Cache model responses across runs.

The cache is one SQLite file that several processes may use at once. The key of a row is a digest of
the model and the request; media are represented by their content. Errors are not cached. Rows are
committed every tenth of a second, so a killed process loses at most the last moment, and SQLite's
write-ahead log protects the file from damage.
"""

from __future__ import annotations

import os
import re
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from auricle.core.closing import Closing
from auricle.core.errors import SampleError, SpecError
from auricle.core.file_lock import wait_for_lock
from auricle.core.files import read_regular_file, user_cache_folder
from auricle.core.redaction import SECRETS, is_secret_name, redact
from auricle.core.registry import split_prefix
from auricle.core.serialization import decode_output, dumps
from auricle.core.types import ABILITY_BY_REQUEST, Generation, Output, Request, Turn
from auricle.media import Audio, Image, Video

FORMAT_VERSION = 1
"""Version of rows and keys; a file with another version is set aside."""
COMMIT_SECONDS = 0.1
BUSY_SECONDS = 60.0
"""Longest wait for another process that writes."""
TRANSPORT_ARGUMENTS = re.compile(
    r"api_key.*|.*headers?|(.+_)?timeout|rpm|tpm|adaptive|concurrency|(max_)?retries"
    r"|processes|workers|proxy"
)
"""Arguments that do not change a model's answers. `base_url` is not among them: two servers may
serve different weights under one name."""
CREATE_TABLE = (
    "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, model TEXT NOT NULL, created REAL NOT NULL, "
    "output BLOB NOT NULL, sound BLOB)"
)
Warn = Callable[[str], None]
Content = tuple[bytes, bytes | None]
"""An output as JSON, and its audio."""


@dataclass(frozen=True, slots=True)
class ModelEntries:
    """Number, size and age of one model's cached responses."""

    model: str
    entries: int
    bytes: int
    oldest: float
    newest: float


def default_cache_path() -> Path:
    """Return the path from `$AURICLE_CACHE`, a file or a folder, or the one in the user's cache folder."""
    if configured := os.environ.get("AURICLE_CACHE"):
        path = Path(configured).expanduser()
        return path / "answers.sqlite" if path.is_dir() else path
    return user_cache_folder() / "answers.sqlite"


def served_model_name(model: str, arguments: Mapping[str, Any]) -> str:
    """Return the name of a model on its server, or else its name in Auricle."""
    return str(arguments.get("model") or model)


class ResponseCache(Closing):
    """Cached responses of one model. Any thread may call `get` and `put`; one thread writes.

    Args:
        path: SQLite file; created if it does not exist.
        model: Name of the model.
        arguments: Arguments of the model; those that do not change answers are ignored.
        warn: Called with a message if the file cannot be used. Default: write to stderr.
    """

    def __init__(self, path: Path, model: str, arguments: Mapping[str, Any], warn: Warn | None = None) -> None:
        self._path, self._warn = path, warn or _warn_on_stderr
        self._model, self._model_digest = served_model_name(model, arguments), _digest_model(model, arguments)
        self._lock, self._closing = threading.Lock(), threading.Event()
        self._pending: dict[bytes, tuple[bytes, str, float, bytes, bytes | None]] = {}
        self._writer: threading.Thread | None = None
        self._connection: sqlite3.Connection | None = _open_or_replace(path, self._warn)
        self._inode = path.stat().st_ino

    @property
    def path(self) -> Path:
        """The file of the cache."""
        return self._path

    def get(self, request: Request) -> Output | None:
        """Return the cached response to a request, or None."""
        key = self._key(request)
        if key is None:
            return None
        with self._lock:
            pending = self._pending.get(key)
            content = pending[3:] if pending else self._read(key)
        with suppress(orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
            return _decode_output(*content) if content else None
        return None  # the request is sent again, and the damaged row overwritten

    def put(self, request: Request, output: Output) -> None:
        """Store a response; it is committed within a tenth of a second."""
        key = self._key(request)
        if key is None or self._connection is None:
            return
        with suppress(SampleError, OSError):  # audio that cannot be read is not cached
            row = (key, self._model, time.time(), *_encode_output(output))
            with self._lock:
                self._pending[key] = row
                if self._writer is None:
                    self._writer = threading.Thread(target=self._write_loop, name="auricle-cache", daemon=True)
                    self._writer.start()

    def close(self) -> None:
        """Commit pending rows and close the file."""
        self._closing.set()
        if self._writer:
            self._writer.join()
        with self._lock:
            if self._connection:
                self._connection.close()
            self._connection = None

    def _key(self, request: Request) -> bytes | None:
        """Return a digest of the model and the request; None if its media cannot be read."""
        try:
            values = {field.name: getattr(request, field.name) for field in fields(request)}
            content = {name: _canonicalise(value) for name, value in values.items() if value != {}}
        except (SampleError, OSError):
            return None
        ability = ABILITY_BY_REQUEST[type(request)]
        return blake2b(self._model_digest + dumps([ability, content]), digest_size=20).digest()

    def _read(self, key: bytes) -> Content | None:
        try:
            query = "SELECT output, sound FROM answers WHERE key = ?"
            return self._connection.execute(query, (key,)).fetchone() if self._connection else None
        except sqlite3.Error as error:
            self._disable(error)
            return None

    def _write_loop(self) -> None:
        try:
            with closing(_connect(self._path)) as connection:
                is_last = False
                while not is_last:
                    is_last = self._closing.wait(COMMIT_SECONDS)
                    self._commit(connection)
        except sqlite3.Error as error:
            with self._lock:
                self._disable(error)

    def _commit(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            rows = list(self._pending.values())
        if rows:
            with connection:
                connection.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", rows)
            with self._lock:
                for row in rows:
                    if self._pending.get(row[0]) is row:
                        del self._pending[row[0]]

    def _disable(self, error: sqlite3.Error) -> None:
        """Continue without a cache after one warning; a damaged file is set aside for the next run."""
        if self._connection is None:
            return
        self._connection.close()
        self._connection = None
        self._pending.clear()
        with _lock(self._path):
            # Another process may have replaced the file already.
            if _is_damage(error) and self._path.stat().st_ino == self._inode:
                _set_aside(self._path, error, self._warn)
            else:
                self._warn(f"the response cache {self._path} is no longer used: {error}.")


def list_entries_by_model(path: Path) -> list[ModelEntries]:
    """List the cached responses by model, most entries first."""
    if not path.exists():
        return []
    with _open_for_maintenance(path) as connection:
        rows = connection.execute(
            "SELECT model, COUNT(*), SUM(LENGTH(output) + COALESCE(LENGTH(sound), 0)), "
            "MIN(created), MAX(created) FROM answers GROUP BY model ORDER BY 2 DESC, 1"
        ).fetchall()
    return [ModelEntries(*row) for row in rows]


def clear(path: Path, model: str | None = None, before: float | None = None) -> int:
    """Delete cached responses and return their number.

    Args:
        path: The cache file.
        model: Only this model's responses.
        before: Only responses older than this Unix time.
    """
    if not path.exists():
        return 0
    with _open_for_maintenance(path) as connection:
        with connection:
            deleted = connection.execute(
                "DELETE FROM answers WHERE (?1 IS NULL OR model = ?1) AND (?2 IS NULL OR created < ?2)", (model, before)
            ).rowcount
        with suppress(sqlite3.Error):  # another process is reading: the space is reclaimed another time
            connection.execute("VACUUM")
    return deleted


@contextmanager
def _open_for_maintenance(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file to list or clear it; damage is reported, not repaired."""
    try:
        with closing(_connect(path)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise SpecError(f"The response cache {path} cannot be read: {error}.") from error


def _open_or_replace(path: Path, warn: Warn) -> sqlite3.Connection:
    """Open or create the file; a damaged one is set aside first."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _lock(path):
            try:
                return _connect(path)
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                _set_aside(path, error, warn)
                return _connect(path)
    except (OSError, sqlite3.Error) as error:
        raise SpecError(
            f"The response cache {path} cannot be opened: {error}. Choose another --cache-path, or use --no-cache."
        ) from error


def _connect(path: Path) -> sqlite3.Connection:
    path.touch(mode=0o600)  # a new file is only for its owner; one that was shared on purpose stays so
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
    try:
        _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    """Create the table in a new file; a file with another version is treated as damaged."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version not in (0, FORMAT_VERSION):
        raise sqlite3.DatabaseError(f"its format is {version}, expected {FORMAT_VERSION}")
    if not version:
        connection.execute(CREATE_TABLE)
        connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Let one process at a time create or replace the file; SQLite does not wait for that."""
    with path.with_name(f".{path.name}.lock").open("a", encoding="utf-8") as lock:
        wait_for_lock(lock)
        yield


def _is_damage(error: sqlite3.Error) -> bool:
    """Return whether the file is not a usable database; SQLite's errors of a working file are subclasses."""
    return type(error) is sqlite3.DatabaseError


def _set_aside(path: Path, error: sqlite3.Error, warn: Warn) -> None:
    """Rename a damaged file."""
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
    warn(f"the response cache {path} cannot be used ({error}); it was renamed to {aside.name}.")


def _warn_on_stderr(line: str) -> None:
    sys.stderr.write(f"auricle: {line}\n")


def _digest_model(model: str, arguments: Mapping[str, Any]) -> bytes:
    """Return a digest of a model: its name, its code if that is a file, and its arguments."""
    options = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY
    content = [FORMAT_VERSION, *_resolve_source(model), redact(select_relevant(arguments))]
    return blake2b(orjson.dumps(content, str, options), digest_size=20).digest()


def select_relevant(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a model that may change its answers: all but those that say how to reach a server."""
    return {
        name: value
        for name, value in arguments.items()
        if not TRANSPORT_ARGUMENTS.fullmatch(name) and not is_secret_name(name)
    }


def _resolve_source(model: str) -> tuple[str, str]:
    """Return a model's name and, for `file.py:name`, a digest of the file: changed code is a different model."""
    prefix, code = split_prefix(model)
    file, colon, attribute = code.rpartition(":")
    if not (colon and file.endswith(".py") and Path(file).is_file()):
        return model, ""
    return prefix + attribute, blake2b(Path(file).read_bytes(), digest_size=20).hexdigest()


def _canonicalise(value: Any) -> Any:
    """Replace media by their hash, and sort mappings."""
    if isinstance(value, (Audio, Image, Video)):
        return {type(value).__name__: value.hash}
    if isinstance(value, Turn):
        return [value.role, _canonicalise(value.parts)]
    if isinstance(value, (list, tuple)):
        return [_canonicalise(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _canonicalise(value[name]) for name in sorted(value)}
    return value


def _encode_output(output: Output) -> Content:
    if isinstance(output, Generation) and output.timing is not None:
        output = replace(output, timing=None)  # a response from the cache has not been waited for
    if not isinstance(output, Generation) or output.audio is None:
        return SECRETS.redact_line(dumps(output)), None
    audio = output.audio
    is_sliced = audio.start or audio.end is not None
    if not is_sliced and isinstance(audio.data, bytes):
        sound = audio.data
    else:
        sound = read_regular_file(audio.path) if not is_sliced and audio.path else audio.encode("wav")
    return SECRETS.redact_line(dumps(replace(output, audio=None))), sound


def _decode_output(content: bytes, sound: bytes | None) -> Output:
    output = decode_output(orjson.loads(content))
    return replace(output, audio=Audio(data=sound)) if sound is not None and isinstance(output, Generation) else output
