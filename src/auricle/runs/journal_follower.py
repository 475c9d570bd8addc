"""Follow a journal that another process may be writing: count its results and read the latest of them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson

from auricle.core.files import open_regular_file
from auricle.core.serialization import read_id_digest
from auricle.core.types import Record
from auricle.runs.journal import is_within, read_record, read_removed_digest
from auricle.runs.progress import read_limit
from auricle.runs.recent_rate import RecentRate

MAX_RECENT = 20
NO_ERROR, ID_START = b'"error":null,', b',"id":"'
DROPPED_CALL = b'"finish":"dropped"'


class JournalFollower:
    """Counts the results in a journal; each update reads only what was appended since the last.

    Args:
        path: The journal, which need not exist yet.
        clock: Returns the time in seconds.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._offset = 0
        self._limit: int | None = None
        self._is_failed: dict[int, bool] = {}
        self._dropped: set[int] = set()
        self._recent: deque[int] = deque(maxlen=MAX_RECENT)
        self._rate = RecentRate()

    def update(self) -> None:
        """Count what was appended; from the start if the journal became shorter or the run is about other rows."""
        try:
            size = self._path.stat().st_size
        except OSError:
            size = 0
        limit = read_limit(self._path.parent)
        if size < self._offset or limit != self._limit:
            self._offset, self._limit = 0, limit
            self._is_failed.clear()
            self._dropped.clear()
            self._recent.clear()
            self._rate = RecentRate()
        for offset, line in self._read_new_lines(size):
            self._count(offset, line)
        self._rate.observe(self._clock(), self.done)

    def _read_new_lines(self, size: int) -> Iterator[tuple[int, bytes]]:
        """Yield complete lines; the last one may still be incomplete."""
        if size == self._offset:
            return
        with open_regular_file(self._path) as journal:
            journal.seek(self._offset)
            for line in journal:
                if not line.endswith(b"\n"):
                    return
                yield self._offset, line
                self._offset += len(line)

    def _count(self, offset: int, line: bytes) -> None:
        if (removed := read_removed_digest(line)) is not None:
            self._forget(removed)
        elif (id_digest := read_id_digest(line)) is not None:
            if self._limit is not None and not is_within(orjson.loads(line), self._limit):
                self._forget(id_digest)
                return
            self._is_failed[id_digest] = NO_ERROR not in line[: line.find(ID_START) + 1]
            (self._dropped.add if DROPPED_CALL in line else self._dropped.discard)(id_digest)
            self._recent.append(offset)

    def _forget(self, id_digest: int) -> None:
        self._is_failed.pop(id_digest, None)
        self._dropped.discard(id_digest)

    @property
    def done(self) -> int:
        """Samples with a result, each counted once."""
        return len(self._is_failed)

    @property
    def failed(self) -> int:
        return sum(self._is_failed.values())

    @property
    def dropped(self) -> int:
        """Calls that the agent dropped."""
        return len(self._dropped)

    @property
    def rate(self) -> float | None:
        """Results per second over the last minute; None before anything was added."""
        return self._rate.get(self._clock())

    def seconds_left(self, total: int | None) -> float | None:
        """Return the estimated time until `total` samples have a result; None if it is unknown."""
        rate = self.rate
        return (total - self.done) / rate if rate and total is not None and total >= self.done else None

    def latest_records(self, count: int, *, failed_only: bool = False) -> list[Record]:
        """Read the latest records, the newest first."""
        records: list[Record] = []
        for offset in reversed(self._recent):
            record = read_record(self._path, offset)
            if record and (record.error or not failed_only):
                records.append(record)
            if len(records) == count:
                break
        return records
