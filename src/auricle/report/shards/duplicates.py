"""Find ids that occur in several shards, in memory that does not depend on their number.

Digests of ids are distributed to files by their first bits, and each file is sorted.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from auricle.metrics.base import Codes
from auricle.report.shards.buckets import Digests

PART_BITS = 6
PARTS = 1 << PART_BITS
PENDING_IDS = 1 << 20
"""Ids that are kept in memory before they are distributed."""
HIGH, LOW, ROW = range(3)
"""Columns of an id: both halves of its digest, and its row."""


class DuplicateFinder:
    """Collects the digests of all ids, then yields those that occur again.

    Args:
        folder: Empty folder for the sorted files, which take 24 bytes per id.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pending: list[NDArray[np.uint64]] = []
        self._pending_count = 0
        self._files = [folder / f"{number:02d}" for number in range(PARTS)]
        self._is_on_disk = False

    def add(self, digests: Digests, rows: Codes) -> None:
        """Add ids with the rows of the data in which they occur."""
        ids = np.column_stack([digests, rows.astype(np.uint64)])
        self._pending.append(ids)
        self._pending_count += len(ids)
        if self._pending_count >= PENDING_IDS:
            self._distribute()

    def _distribute(self) -> None:
        ids = np.concatenate(self._pending)
        part = (ids[:, HIGH] >> np.uint64(64 - PART_BITS)).astype(np.uint8)
        order = np.argsort(part, kind="stable")
        limits = np.searchsorted(part[order], np.arange(PARTS + 1))
        for number, file in enumerate(self._files):
            with file.open("ab") as target:
                target.write(ids[order[limits[number] : limits[number + 1]]].tobytes())
        self._pending, self._pending_count, self._is_on_disk = [], 0, True

    def find(self) -> Iterator[tuple[Codes, Codes]]:
        """Yield the rows whose id occurs in an earlier row, and the first row of each such id."""
        if not self._is_on_disk:
            if self._pending:
                yield _find_repeated(np.concatenate(self._pending))
            return
        self._distribute_rest()
        for file in self._files:
            yield _find_repeated(np.fromfile(file, dtype=np.uint64).reshape(-1, 3))
            file.unlink()

    def _distribute_rest(self) -> None:
        if self._pending:
            self._distribute()


def _find_repeated(ids: NDArray[np.uint64]) -> tuple[Codes, Codes]:
    halves = np.sort(ids[:, HIGH])
    is_same_half = halves[1:] == halves[:-1]
    nothing = np.empty(0, dtype=np.int64)
    if not is_same_half.any():  # nearly always
        return nothing, nothing
    suspects = ids[np.isin(ids[:, HIGH], halves[1:][is_same_half])]
    suspects = suspects[np.lexsort((suspects[:, ROW], suspects[:, LOW], suspects[:, HIGH]))]
    is_same = (suspects[:, HIGH][1:] == suspects[:, HIGH][:-1]) & (suspects[:, LOW][1:] == suspects[:, LOW][:-1])
    starts = np.flatnonzero(np.concatenate([[True], ~is_same]))
    first = np.repeat(suspects[:, ROW][starts], np.diff([*starts, len(suspects)]))
    is_repeated = suspects[:, ROW] != first
    return suspects[:, ROW][is_repeated].astype(np.int64), first[is_repeated].astype(np.int64)
