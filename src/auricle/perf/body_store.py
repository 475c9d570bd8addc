"""Store encoded request bodies on disk, so that memory does not grow with their number."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from hashlib import blake2b

from auricle.models.http.timing import PreparedRequest

MAX_STORED_BYTES = 4 << 30
"""Bytes of request bodies after which no further samples are prepared."""


@dataclass(frozen=True, slots=True)
class StoredBody:
    """Position of a request body in the store, and how to send it."""

    url_path: str
    content_type: str
    offset: int
    size: int
    digest: str


class BodyStore:
    """Request bodies, one after the other in an anonymous temporary file."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="auricle-perf-")  # noqa: SIM115 - closed by close()
        self.size = 0

    def put(self, prepared: PreparedRequest) -> StoredBody:
        self._file.seek(self.size)
        self._file.write(prepared.body)
        size = len(prepared.body)
        stored_body = StoredBody(prepared.path, prepared.content_type, self.size, size, digest_body(prepared.body))
        self.size += size
        return stored_body

    def get(self, stored_body: StoredBody) -> PreparedRequest:
        """Read a stored body. The file is in the page cache, so this takes microseconds."""
        self._file.seek(stored_body.offset)
        return PreparedRequest(stored_body.url_path, self._file.read(stored_body.size), stored_body.content_type)

    @property
    def is_full(self) -> bool:
        return self.size >= MAX_STORED_BYTES

    def close(self) -> None:
        self._file.close()


def digest_body(body: bytes) -> str:
    """Return a digest that identifies a request body; the fake server computes the same one."""
    return blake2b(body, digest_size=16).hexdigest()
