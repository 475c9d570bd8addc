"""Answers kept across runs: the same question to the same model need not be paid for twice.

One SQLite file that several processes may use at once. A row is found by a digest of whom is
asked and what: texts to the letter, sounds and pictures by content. Only answers enter it.
Rows are written together every tenth of a second, so a killed process loses the last moments
at most, and SQLite's log keeps the file whole.
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
"""Of a row and of its key; a file of another format is set aside."""
COMMIT_SECONDS = 0.1
BUSY_TIMEOUT = 30.0
TRANSPORT_ARGUMENTS = re.compile(
    r"api_key.*|.*headers?|(.+_)?timeout|rpm|tpm|adaptive|concurrency|(max_)?retries"
    r"|processes|workers|proxy"
)
"""Arguments that say how a model is reached, not which one answers. `base_url` is not among
them: two servers may serve different weights under one name."""

BUSY_CODES = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
CORRUPTION_CODES = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
CREATE_TABLE = (
    "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, model TEXT NOT NULL, "
    "created REAL NOT NULL, output BLOB NOT NULL, sound BLOB)"
)
Warn = Callable[[str], None]


class Row(NamedTuple):
    """An answer as the file has it."""

    model: str
    created: float
    output: bytes
    audio: bytes | None


@dataclass(frozen=True, slots=True)
class ModelEntries:
    """What the file holds of one model."""

    model: str
    entries: int
    bytes: int
    oldest: float
    newest: float


def default_cache_path() -> Path:
    """`$AURICLE_CACHE`, a file or a folder; else where a user's caches are."""
    if given := os.environ.get("AURICLE_CACHE"):
        path = Path(given).expanduser()
        return path / "answers.sqlite" if path.is_dir() else path
    root = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(root).expanduser() / "auricle" / "answers.sqlite"


def served_model_name(model: str, arguments: Mapping[str, Any]) -> str:
    """The model's name as its server knows it; without one, the name it was asked for by."""
    return str(arguments.get("model") or model)


class ResponseCache:
    """What one model answered before. Any thread may get and put; one thread writes."""

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
        """The answer to this request, if it was ever given."""
        key = self._key(request)
        if key is None:
            return None
        with self._lock:
            row = self._pending.get(key) or self._read_row(key)
        with suppress(orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
            return _decode_row(row) if row else None
        return None  # a row that cannot be read is asked again, and written over

    def put(self, request: Request, output: Output) -> None:
        """Keep an answer; it is in the file within moments."""
        key = self._key(request)
        if key is None or self._reader is None:
            return
        with suppress(SampleError, OSError):  # a spoken answer that cannot be read is not kept
            row = Row(self._model, time.time(), *_encode_output(output))
            with self._lock:
                self._pending[key] = row
                self._writer = self._writer or self._start_writer()

    def close(self) -> None:
        """Write what is waiting and let go of the file."""
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
        """A digest of whom is asked and what; None if a sound of it cannot be read."""
        try:
            given = {each.name: getattr(request, each.name) for each in fields(request)}
            asked = {name: _canonicalise(value) for name, value in given.items() if value != {}}
        except (SampleError, OSError):
            return None
        return blake2b(self._model_digest + dumps([ABILITY_BY_REQUEST[type(request)], asked]), digest_size=20).digest()

    def _read_row(self, key: bytes) -> Row | None:
        if self._reader is None:
            return None
        try:
            found = self._reader.execute(
                "SELECT model, created, output, sound FROM answers WHERE key = ?", (key,)
            ).fetchone()
        except sqlite3.Error as error:
            if _error_code(error) not in BUSY_CODES:
                self._disable(error)
            return None
        return Row(*found) if found else None

    def _start_writer(self) -> threading.Thread:
        thread = threading.Thread(target=self._write_loop, name="auricle-cache", daemon=True)
        thread.start()
        return thread

    def _write_loop(self) -> None:
        try:
            with closing(_connect(self._path)) as connection:
                last = False
                while not last:
                    last = self._closing.wait(COMMIT_SECONDS)
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
            return  # somebody has been writing all this time: these rows wait for the next turn
        with self._lock:
            for key, row in rows.items():
                if self._pending.get(key) is row:
                    del self._pending[key]

    def _disable(self, error: sqlite3.Error) -> None:
        """Go on without a cache, saying so once; a damaged file is out of the next run's way."""
        if self._reader is None:
            return
        self._reader.close()
        self._reader = None
        self._pending.clear()
        if _error_code(error) in CORRUPTION_CODES:
            _set_aside(self._path, error, self._warn)
        else:
            self._warn(f"the answer cache {self._path} is not used any more: {error}.")


def list_entries_by_model(path: Path) -> list[ModelEntries]:
    """What the file holds, by model, most entries first."""
    if not path.exists():
        return []
    with _open_for_maintenance(path) as connection:
        rows = connection.execute(
            "SELECT model, COUNT(*), SUM(LENGTH(output) + COALESCE(LENGTH(sound), 0)), "
            "MIN(created), MAX(created) FROM answers GROUP BY model ORDER BY 2 DESC, 1"
        ).fetchall()
    return [ModelEntries(*row) for row in rows]


def clear(path: Path, model: str | None = None, before: float | None = None) -> int:
    """Forget answers: all, one model's, those given before a moment; how many there were."""
    if not path.exists():
        return 0
    with _open_for_maintenance(path) as connection:
        with connection:
            gone = connection.execute(
                "DELETE FROM answers WHERE (?1 IS NULL OR model = ?1) AND (?2 IS NULL OR created < ?2)", (model, before)
            ).rowcount
        with suppress(sqlite3.Error):  # somebody is reading: the room is given back another time
            connection.execute("VACUUM")
    return gone


@contextmanager
def _open_for_maintenance(path: Path) -> Iterator[sqlite3.Connection]:
    """For looking and clearing: here damage is the user's to know, not to be worked around."""
    try:
        with closing(_connect(path)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise SpecError(f"The answer cache {path} cannot be read: {error}.") from error


# --- opening --------------------------------------------------------------------------


def _open_or_replace(path: Path, warn: Warn) -> sqlite3.Connection:
    """The file, made if it is not there; a damaged one is set aside first."""
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
            f"The answer cache {path} cannot be opened: {error}. Give another --cache-path, or --no-cache."
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
    """Give a new file its table; one of another format is as good as damaged."""
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found not in (0, FORMAT_VERSION):
        error = sqlite3.DatabaseError(f"it is of format {found}, and {FORMAT_VERSION} is known here")
        error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
        raise error
    if not found:
        _execute_with_retry(connection, CREATE_TABLE)
        _execute_with_retry(connection, f"PRAGMA user_version = {FORMAT_VERSION}")


def _execute_with_retry(connection: sqlite3.Connection, statement: str) -> None:
    """SQLite does not wait by itself while another process is making the same file."""
    until = time.monotonic() + BUSY_TIMEOUT
    while True:
        try:
            connection.execute(statement)
        except sqlite3.OperationalError as error:
            if _error_code(error) not in BUSY_CODES or time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return


def _set_aside(path: Path, error: sqlite3.Error, warn: Warn) -> None:
    """Move a damaged file out of the way, unless another process has done so by now."""
    import fcntl

    with path.with_name(path.name + ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with suppress(sqlite3.Error), closing(_connect(path)) as connection:
            whole = connection.execute("PRAGMA quick_check(1)").fetchone()
            if whole == ("ok",):
                return
        aside = _unused_path(path)
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
    warn(f"the answer cache {path} cannot be used ({error}); it is set aside as {aside.name}.")


def _unused_path(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return aside


def _error_code(error: sqlite3.Error) -> int:
    """SQLite's kind of error, without the finer distinctions."""
    code: int = getattr(error, "sqlite_errorcode", 0) or 0
    return code & 0xFF


def _warn_on_stderr(line: str) -> None:
    sys.stderr.write(f"auricle: {line}\n")


# --- keys and values ------------------------------------------------------------------


def _digest_model(model: str, arguments: Mapping[str, Any]) -> bytes:
    """A digest of the model asked: its name, its code if that is one file, its arguments."""
    told = {
        name: value
        for name, value in arguments.items()
        if not TRANSPORT_ARGUMENTS.fullmatch(name) and not SECRET_NAME.search(name)
    }
    options = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY
    known = [FORMAT_VERSION, *_resolve_source(model), redact(told)]
    return blake2b(orjson.dumps(known, str, options), digest_size=20).digest()


def _resolve_source(model: str) -> tuple[str, str]:
    """`file.py:name` by the file's content, wherever it is: code that changed is another model."""
    prefix, code = split_prefix(model)
    file, colon, attribute = code.rpartition(":")
    if not (colon and file.endswith(".py") and Path(file).is_file()):
        return model, ""
    return prefix + attribute, blake2b(Path(file).read_bytes(), digest_size=20).hexdigest()


def _canonicalise(value: Any) -> Any:
    """What a model is shown: texts to the letter, the rest by content."""
    if isinstance(value, (Audio, Image, Video)):
        return {type(value).__name__: value.hash}
    if isinstance(value, Turn):
        return [value.role, _canonicalise(value.parts)]
    if isinstance(value, (list, tuple)):
        return [_canonicalise(each) for each in value]
    if isinstance(value, Mapping):
        return {name: _canonicalise(value[name]) for name in sorted(value)}
    return value


def _encode_output(output: Output) -> tuple[bytes, bytes | None]:
    """An answer as the journal writes it, and its sound's bytes, which the journal leaves out."""
    if not isinstance(output, Generation) or output.audio is None:
        return dumps(output), None
    return dumps(replace(output, audio=None)), _audio_bytes(output.audio)


def _audio_bytes(audio: Audio) -> bytes:
    whole = not audio.start and audio.end is None
    if whole and isinstance(audio.data, bytes):
        return audio.data
    return audio.path.read_bytes() if whole and audio.path else audio.encode("wav")


def _decode_row(row: Row) -> Output:
    output = decode_output(orjson.loads(row.output))
    if row.audio is None:
        return output
    assert isinstance(output, Generation)
    return replace(output, audio=Audio(data=row.audio))
