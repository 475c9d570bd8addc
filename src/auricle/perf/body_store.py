"""Requests that are ready to be sent, on disk: memory does not grow with their number."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from hashlib import blake2b

from auricle.models.http.timing import Prepared

MOST_BYTES = 4 << 30
"""Of bodies that are made ready; data beyond that is not used, and the run says so."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a body is, and what it is sent as."""

    path: str
    kind: str
    offset: int
    size: int
    digest: str


class Spool:
    """Bodies one after the other in a file without a name."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="auricle-perf-")  # noqa: SIM115 - held open
        self.size = 0

    def put(self, prepared: Prepared) -> Place:
        self._file.seek(self.size)
        self._file.write(prepared.body)
        size = len(prepared.body)
        place = Place(prepared.path, prepared.kind, self.size, size, digest(prepared.body))
        self.size += size
        return place

    def get(self, place: Place) -> Prepared:
        """The body as bytes: the system has it at hand, so this takes microseconds."""
        self._file.seek(place.offset)
        return Prepared(place.path, self._file.read(place.size), place.kind)

    @property
    def full(self) -> bool:
        return self.size >= MOST_BYTES

    def close(self) -> None:
        self._file.close()


def digest(body: bytes) -> str:
    """What stands for a body in the records: the same for the same."""
    return blake2b(body, digest_size=16).hexdigest()
