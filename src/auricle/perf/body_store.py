"""Requests that are ready to be sent, on disk: memory does not grow with their number."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from hashlib import blake2b

from auricle.models.http.timing import PreparedRequest

MAX_STORED_BYTES = 4 << 30
"""Of bodies that are made ready; data beyond that is not used, and the run says so."""


@dataclass(frozen=True, slots=True)
class StoredBody:
    """Where a body is, and what it is sent as."""

    url_path: str
    content_type: str
    offset: int
    size: int
    digest: str


class BodyStore:
    """Bodies one after the other in a file without a name."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="auricle-perf-")  # noqa: SIM115 - held open
        self.size = 0

    def put(self, prepared: PreparedRequest) -> StoredBody:
        self._file.seek(self.size)
        self._file.write(prepared.body)
        size = len(prepared.body)
        place = StoredBody(prepared.path, prepared.content_type, self.size, size, digest_body(prepared.body))
        self.size += size
        return place

    def get(self, stored_body: StoredBody) -> PreparedRequest:
        """The body as bytes: the system has it at hand, so this takes microseconds."""
        self._file.seek(stored_body.offset)
        return PreparedRequest(stored_body.url_path, self._file.read(stored_body.size), stored_body.content_type)

    @property
    def is_full(self) -> bool:
        return self.size >= MAX_STORED_BYTES

    def close(self) -> None:
        self._file.close()


def digest_body(body: bytes) -> str:
    """What stands for a body in the records: the same for the same."""
    return blake2b(body, digest_size=16).hexdigest()
