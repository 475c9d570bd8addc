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
from typing import Any, NamedTuple

import orjson

from auricle.audio import Audio, Image, Video
from auricle.core.errors import SampleError, SpecError
from auricle.core.redaction import SECRET_NAME, redact
from auricle.core.registry import split_prefix
from auricle.core.serialization import decode_output, dumps
from auricle.core.types import ABILITY_BY_REQUEST, Generation, Output, Request, Turn

FORMAT_VERSION = 1
"""Version of rows and keys; a file with another version is set aside."""
COMMIT_SECONDS = 0.1
BUSY_TIMEOUT = 30.0
TRANSPORT_ARGUMENTS = re.compile(
    r"api_key.*|.*headers?|(.+_)?timeout|rpm|tpm|adaptive|concurrency|(max_)?retries"
    r"|processes|workers|proxy"
)
"""Arguments that do not change a model's answers. `base_url` is not among them: two servers may
serve different weights under one name."""

BUSY_CODES = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
CORRUPTION_CODES = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
CREATE_TABLE = (
    "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, model TEXT NOT NULL, "
    "created REAL NOT NULL, output BLOB NOT NULL, sound BLOB)"
)
Warn = Callable[[str], None]


class Row(NamedTuple):
    """A cached response as stored."""

    model: str
    created: float
    output: bytes
    audio: bytes | None


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
    root = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(root).expanduser() / "auricle" / "answers.sqlite"


def served_model_name(model: str, arguments: Mapping[str, Any]) -> str:
    """Return the name of a model on its server, or else its name in Auricle."""
    return str(arguments.get("model") or model)


class ResponseCache:
    """Cached responses of one model. Any thread may call `get` and `put`; one thread writes.

    Args:
        path: SQLite file; created if it does not exist.
        model: Name of the model.
        arguments: Arguments of the model; those that do not change answers are ignored.
        warn: Called with a message if the file cannot be used. Default: write to stderr.
    """

    def __init__(self, path: Path, model: str, arguments: Mapping[str, Any], warn: Warn | None = None) -> None:
        self._path = path
        self._warn = warn or _warn_on_stderr
        self._model = served_model_name(model, arguments)
        self._model_digest = _digest_model(model, arguments)
        self._lock = threading.Lock()
        self._pending: dict[bytes, Row] = {}
        self._reader: sqlite3.Connection | None = _open_or_replace(path, self._warn)
        self._closing = threading.Event()
        self._writer: threading.Thread | None = None

    def get(self, request: Request) -> Output | None:
        """Return the cached response to a request, or None."""
        key = self._key(request)
        if key is None:
            return None
        with self._lock:
            row = self._pending.get(key) or self._read_row(key)
        with suppress(orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
            return _decode_row(row) if row else None
        return None  # the request is sent again, and the damaged row overwritten

    def put(self, request: Request, output: Output) -> None:
        """Store a response; it is committed within a tenth of a second."""
        key = self._key(request)
        if key is None or self._reader is None:
            return
        with suppress(SampleError, OSError):  # audio that cannot be read is not cached
            row = Row(self._model, time.time(), *_encode_output(output))
            with self._lock:
                self._pending[key] = row
                self._writer = self._writer or self._start_writer()

    def close(self) -> None:
        """Commit pending rows and close the file."""
        self._closing.set()
        if self._writer:
            self._writer.join()
        with self._lock:
            if self._reader:
                self._reader.close()
            self._reader = None

    def __enter__(self) -> ResponseCache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _key(self, request: Request) -> bytes | None:
        """Return a digest of the model and the request; None if its media cannot be read."""
        try:
            values = {field.name: getattr(request, field.name) for field in fields(request)}
            content = {name: _canonicalise(value) for name, value in values.items() if value != {}}
        except (SampleError, OSError):
            return None
        ability = ABILITY_BY_REQUEST[type(request)]
        return blake2b(self._model_digest + dumps([ability, content]), digest_size=20).digest()

    def _read_row(self, key: bytes) -> Row | None:
        if self._reader is None:
            return None
        try:
            row = self._reader.execute(
                "SELECT model, created, output, sound FROM answers WHERE key = ?", (key,)
            ).fetchone()
        except sqlite3.Error as error:
            if _error_code(error) not in BUSY_CODES:
                self._disable(error)
            return None
        return Row(*row) if row else None

    def _start_writer(self) -> threading.Thread:
        thread = threading.Thread(target=self._write_loop, name="auricle-cache", daemon=True)
        thread.start()
        return thread

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
            rows = dict(self._pending)
        if not rows:
            return
        try:
            with connection:
                connection.executemany(
                    "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", [(key, *row) for key, row in rows.items()]
                )
        except sqlite3.Error as error:
            if _error_code(error) not in BUSY_CODES or self._closing.is_set():
                raise
            return  # another process is writing: try again at the next commit
        with self._lock:
            for key, row in rows.items():
                if self._pending.get(key) is row:
                    del self._pending[key]

    def _disable(self, error: sqlite3.Error) -> None:
        """Continue without a cache after one warning; a damaged file is set aside for the next run."""
        if self._reader is None:
            return
        self._reader.close()
        self._reader = None
        self._pending.clear()
        if _error_code(error) in CORRUPTION_CODES:
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


# --- opening --------------------------------------------------------------------------


def _open_or_replace(path: Path, warn: Warn) -> sqlite3.Connection:
    """Open or create the file; a damaged one is set aside first."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            return _connect(path)
        except sqlite3.DatabaseError as error:
            if _error_code(error) not in CORRUPTION_CODES:
                raise
            _set_aside(path, error, warn)
            return _connect(path)
    except (OSError, sqlite3.Error) as error:
        raise SpecError(
            f"The response cache {path} cannot be opened: {error}. Choose another --cache-path, or use --no-cache."
        ) from error


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT, check_same_thread=False)
    try:
        _execute_with_retry(connection, "PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        _check_format(connection)
        connection.execute("SELECT key FROM answers LIMIT 1").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _check_format(connection: sqlite3.Connection) -> None:
    """Create the table in a new file; a file with another version is treated as damaged."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version not in (0, FORMAT_VERSION):
        error = sqlite3.DatabaseError(f"its format is {version}, expected {FORMAT_VERSION}")
        error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
        raise error
    if not version:
        _execute_with_retry(connection, CREATE_TABLE)
        _execute_with_retry(connection, f"PRAGMA user_version = {FORMAT_VERSION}")


def _execute_with_retry(connection: sqlite3.Connection, statement: str) -> None:
    """Retry while another process creates the same file; SQLite does not wait then."""
    deadline = time.monotonic() + BUSY_TIMEOUT
    while True:
        try:
            connection.execute(statement)
        except sqlite3.OperationalError as error:
            if _error_code(error) not in BUSY_CODES or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


def _set_aside(path: Path, error: sqlite3.Error, warn: Warn) -> None:
    """Rename a damaged file, unless another process has replaced it already."""
    import fcntl

    with path.with_name(path.name + ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with suppress(sqlite3.Error), closing(_connect(path)) as connection:
            if connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",):
                return
        aside = _unused_path(path)
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
    warn(f"the response cache {path} cannot be used ({error}); it was renamed to {aside.name}.")


def _unused_path(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return aside


def _error_code(error: sqlite3.Error) -> int:
    """Return SQLite's primary error code."""
    code: int = getattr(error, "sqlite_errorcode", 0) or 0
    return code & 0xFF


def _warn_on_stderr(line: str) -> None:
    sys.stderr.write(f"auricle: {line}\n")


# --- keys and values ------------------------------------------------------------------


def _digest_model(model: str, arguments: Mapping[str, Any]) -> bytes:
    """Return a digest of a model: its name, its code if that is a file, and its arguments."""
    relevant = {
        name: value
        for name, value in arguments.items()
        if not TRANSPORT_ARGUMENTS.fullmatch(name) and not SECRET_NAME.search(name)
    }
    options = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY
    content = [FORMAT_VERSION, *_resolve_source(model), redact(relevant)]
    return blake2b(orjson.dumps(content, str, options), digest_size=20).digest()


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


def _encode_output(output: Output) -> tuple[bytes, bytes | None]:
    """Encode an output as JSON, and its audio as bytes."""
    if not isinstance(output, Generation) or output.audio is None:
        return dumps(output), None
    return dumps(replace(output, audio=None)), _audio_bytes(output.audio)


def _audio_bytes(audio: Audio) -> bytes:
    is_sliced = audio.start or audio.end is not None
    if not is_sliced and isinstance(audio.data, bytes):
        return audio.data
    return audio.path.read_bytes() if not is_sliced and audio.path else audio.encode("wav")


def _decode_row(row: Row) -> Output:
    output = decode_output(orjson.loads(row.output))
    if row.audio is None:
        return output
    assert isinstance(output, Generation)
    return replace(output, audio=Audio(data=row.audio))
