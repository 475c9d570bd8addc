"""Buckets of S3, Google Cloud Storage, Azure and compatible stores, through obstore."""

from __future__ import annotations

import io
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import urlsplit

from auricle.core.errors import MissingExtra, ObjectChanged, StorageError, StorageUnavailable
from auricle.core.redaction import redact_text
from auricle.core.size_limits import FILE_LIMIT
from auricle.core.storage import READ_BUFFER, SCRATCH_PREFIX, ObjectInfo, RangeReader, url_scheme

MAX_RETRIES = 6
"""Repetitions of a request after a server error, a timeout or a lost connection."""
CONDITIONAL_ATTEMPTS = 4
"""Requests of a conditional write; obstore repeats only those that have the same effect when repeated."""
RETRY_TIMEOUT = timedelta(seconds=90)
LIST_CHUNK = 1000
WRITER_ATTRIBUTE = "auricle-writer"
"""Metadata of a conditional write, by which a repeated request recognises its own earlier success."""
VARIABLES = re.compile(r"^(AWS|GOOGLE|AZURE)_")
CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION, or AWS_SKIP_SIGNATURE=true for a public bucket",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS, or GOOGLE_SKIP_SIGNATURE=true for a public bucket",
    "az": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_TOKEN",
}
"""Environment variables by scheme, for messages."""


class ObjectStorage:
    """A bucket with a prefix."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if not parts.netloc or (parts.username and not url_scheme(url).startswith("abfs")):
            raise StorageError(f"{redact_text(url)!r} is not a location: expected {parts.scheme}://BUCKET/PREFIX.")
        self._url = url.rstrip("/")
        self._store = _open_store(self._url, _environment())

    @property
    def url(self) -> str:
        return redact_text(self._url)

    def read(self, path: str, start: int = 0, end: int | None = None) -> bytes:
        if end is not None and end <= start:
            return b""
        if start == 0 and end is None:
            return self.read_range(path, None)[0]
        return self.read_range(path, {"offset": start} if end is None else (start, end))[0]

    def read_range(self, path: str, span: object, etag: str | None = None) -> tuple[bytes, ObjectInfo]:
        """Return a range of an object, and its version.

        Args:
            path: The object.
            span: A range as obstore describes it; None for all.
            etag: The version that is expected; a different one raises `StorageError`.
        """
        import obstore

        options = {name: value for name, value in {"range": span, "if_match": etag}.items() if value is not None}
        with self._errors(path):
            try:
                result = obstore.get(self._store, path, options=cast(Any, options))
                info = _info(cast(dict[str, Any], result.meta))
                FILE_LIMIT.check(info.size if span is None else 0, self._name(path))
                return bytes(result.bytes()), info
            except obstore.exceptions.PreconditionError as error:
                raise StorageError(f"{self._name(path)} changed while it was read. Run the command again.") from error
            except obstore.exceptions.GenericError as error:
                if "416 Range Not Satisfiable" in str(error):  # beyond the end
                    return b"", ObjectInfo(path, 0, "", 0.0)
                raise

    def open(self, path: str, buffering: int = READ_BUFFER) -> BinaryIO:
        try:
            info = self.head(path)
        except FileNotFoundError:
            self.read(path, 0, 1)  # raises an error that names a missing bucket; the reply to HEAD does not
            raise
        raw = RangeReader(lambda start, end: self.read_range(path, (start, end), info.etag or None)[0], info.size)
        return cast(BinaryIO, io.BufferedReader(raw, buffering) if buffering else raw)

    def head(self, path: str) -> ObjectInfo:
        import obstore

        with self._errors(path):
            return _info(cast(dict[str, Any], obstore.head(self._store, path)))

    def list(self, prefix: str = "") -> Iterator[ObjectInfo]:
        import obstore

        with self._errors(prefix):
            for chunk in obstore.list(self._store, prefix.rstrip("/") or None, chunk_size=LIST_CHUNK):
                for meta in chunk:
                    if not meta["path"].rpartition("/")[2].startswith(SCRATCH_PREFIX):
                        yield _info(cast(dict[str, Any], meta))

    def write(self, path: str, content: bytes) -> ObjectInfo:
        return self._put(path, content, len(content))

    def create(self, path: str, content: bytes) -> ObjectInfo:
        import obstore

        return self._put_if(
            path, content, "create", obstore.exceptions.AlreadyExistsError, FileExistsError(self._name(path))
        )

    def replace(self, path: str, content: bytes, etag: str) -> ObjectInfo:
        import obstore

        changed = ObjectChanged(f"{self._name(path)} was changed by another process.")
        return self._put_if(path, content, {"e_tag": etag}, obstore.exceptions.PreconditionError, changed)

    def _put_if(
        self, path: str, content: bytes, mode: object, refusal: type[Exception], error: Exception
    ) -> ObjectInfo:
        """Write an object under a condition.

        After a lost connection it is unknown whether the object was written. It carries the mark of its writer, by
        which a repeated request recognises its own success.
        """
        writer = secrets.token_hex(8)
        for attempt in range(CONDITIONAL_ATTEMPTS):
            try:
                return self._put(path, content, len(content), mode=mode, attributes={WRITER_ATTRIBUTE: writer})
            except refusal as cause:
                if self._read_writer(path) != writer:
                    raise error from cause
                return self.head(path)
            except StorageUnavailable:
                if attempt == CONDITIONAL_ATTEMPTS - 1:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def _read_writer(self, path: str) -> str:
        import obstore

        with self._errors(path):
            try:
                result = obstore.get(self._store, path, options={"head": True})
            except FileNotFoundError:
                return ""
            return str(result.attributes.get(WRITER_ATTRIBUTE, ""))

    def upload(self, path: str, file: Path) -> ObjectInfo:
        return self._put(path, file, file.stat().st_size)

    def _put(self, path: str, content: bytes | Path, size: int, **options: Any) -> ObjectInfo:
        import obstore

        with self._errors(path):
            result = obstore.put(self._store, path, content, **options)
            modified = obstore.head(self._store, path)["last_modified"].timestamp()
        return ObjectInfo(path, size, result["e_tag"] or "", modified)

    def delete(self, path: str) -> None:
        import obstore

        with self._errors(path):
            try:
                obstore.delete(self._store, path)
            except FileNotFoundError:
                return

    def now(self) -> float:
        """Return the time of an object that is written now; stores count whole seconds."""
        return self.write(f"{SCRATCH_PREFIX}clock", b"").modified

    def _name(self, path: str) -> str:
        return f"{self.url}/{path}" if path else self.url

    @contextmanager
    def _errors(self, path: str) -> Iterator[None]:
        """Turn errors of obstore into errors that state what to do, without its internals."""
        import obstore.exceptions

        conditions = (obstore.exceptions.AlreadyExistsError, obstore.exceptions.PreconditionError)
        try:
            yield
        except FileNotFoundError as error:
            if "NoSuchBucket" in str(error):
                raise self._no_bucket() from None
            raise FileNotFoundError(f"No such object: {self._name(path)}.") from None
        except conditions:
            raise
        except (obstore.exceptions.BaseError, OSError, ValueError) as error:
            raise self._explain(path, error) from None

    def _no_bucket(self) -> StorageError:
        return StorageError(
            f"There is no bucket {urlsplit(self._url).netloc!r} ({self.url}). Check its name and region."
        )

    def _explain(self, path: str, error: Exception) -> StorageError:
        message = str(error)
        name, credentials = self._name(path), CREDENTIALS.get(url_scheme(self._url)[:2], CREDENTIALS["az"])
        if "NoSuchBucket" in message:
            return self._no_bucket()
        if "/latest/api/token" in message or "metadata.google" in message or "169.254.169.254" in message:
            return StorageError(f"No credentials for {name}. Set {credentials}.")
        if re.search(r"\b(401|403) [A-Z]", message) or isinstance(error, PermissionError):
            return StorageError(f"Access to {name} was denied ({_first_code(message)}). Check {credentials}.")
        if "LOCATION" in message:
            return StorageError(f"{name} is in another region. Set AWS_REGION to the region of the bucket.")
        if match := re.search(r"(https?://[^/\s]+)\S* in .*error sending request", message):
            return StorageUnavailable(f"Cannot access {name}: no connection to {match[1]}. {_check_endpoint()}")
        return StorageUnavailable(f"Cannot access {name}: {_summarise(message)}.")


def _environment() -> tuple[tuple[str, str], ...]:
    """Return the variables that configure stores, so that a changed one opens another client."""
    return tuple(sorted(item for item in os.environ.items() if VARIABLES.match(item[0])))


def _check_endpoint() -> str:
    """Return what to check if a store cannot be reached."""
    names = [name for name, _ in _environment() if "ENDPOINT" in name]
    return f"Check {' and '.join(names)} and the network." if names else "Check the network."


@lru_cache(maxsize=64)  # a client keeps its connections
def _open_store(url: str, environment: tuple[tuple[str, str], ...]) -> Any:
    try:
        from obstore.exceptions import BaseError
        from obstore.store import from_url
    except ImportError as error:
        raise MissingExtra(f"Access to {url_scheme(url)}://", "cloud") from error
    client: dict[str, Any] = {"timeout": "60s", "connect_timeout": "10s"}
    if any("ENDPOINT" in name and urlsplit(value).scheme == "http" for name, value in environment):
        client["allow_http"] = True  # such as MinIO within a cluster; without it, requests fail
    try:
        return from_url(
            url,
            client_options=cast(Any, client),
            retry_config={"max_retries": MAX_RETRIES, "retry_timeout": RETRY_TIMEOUT},
        )
    except (BaseError, ValueError) as error:
        raise StorageError(f"Cannot open {redact_text(url)}: {_summarise(str(error))}.") from error


def _info(meta: dict[str, Any]) -> ObjectInfo:
    return ObjectInfo(meta["path"], meta["size"], meta["e_tag"] or "", meta["last_modified"].timestamp())


def _first_code(message: str) -> str:
    """Return the code of an S3 error, or the status."""
    match = re.search(r"<Code>(\w+)</Code>", message) or re.search(r"\b(\d{3} [A-Z][\w ]+)", message)
    return match[1] if match else "no reason was given"


def _summarise(message: str) -> str:
    """Return the first line of an error of obstore, without the XML of the reply."""
    line = message.split("\n", 1)[0].split("<?xml", 1)[0]
    return redact_text(re.sub(r", max_retries: .*?retry_timeout: \w+ ", "", line)).strip(" .:-")
