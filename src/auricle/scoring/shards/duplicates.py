"""Find ids that occur in several shards, in memory that does not depend on their number.

The first halves of the digests of all ids are distributed to files by their first bits, and each file is sorted. Only
ids whose halves occur again, which are few, are then looked at with their rows.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from auricle.metrics.base import Codes
from auricle.scoring.shards.buckets import Digests, HalfDigests

PART_BITS = 6
PARTS = 1 << PART_BITS
PENDING_IDS = 1 << 20
"""Ids that are kept in memory before they are distributed."""
HIGH, LOW = range(2)


class RepeatFinder:
    """Collects the first halves of the digests of all ids, then returns those that occur again.

    Args:
        folder: Empty folder for the sorted files, which take 8 bytes per id.
    """

    def __init__(self, folder: Path) -> None:
        self._pending: list[HalfDigests] = []
        self._pending_count = 0
        self._files = [folder / f"{number:02d}" for number in range(PARTS)]
        self._limits = np.arange(PARTS, dtype=np.uint64) << np.uint64(64 - PART_BITS)
        self._is_on_disk = False

    def add(self, digests: Digests) -> None:
        """Add the digests of some ids."""
        self._pending.append(digests[:, HIGH])
        self._pending_count += len(digests)
        if self._pending_count >= PENDING_IDS:
            self._distribute()

    def _take_pending(self) -> HalfDigests:
        pending, self._pending, self._pending_count = self._pending, [], 0
        return np.sort(np.concatenate(pending)) if pending else np.empty(0, dtype=np.uint64)

    def _distribute(self) -> None:
        halves = self._take_pending()
        for file, part in zip(self._files, np.split(halves, np.searchsorted(halves, self._limits[1:])), strict=True):
            with file.open("ab") as target:
                part.tofile(target)
        self._is_on_disk = True

    def find(self) -> HalfDigests:
        """Return the halves that occur more than once, sorted."""
        if not self._is_on_disk:
            return _find_repeated(self._take_pending())
        self._distribute()
        repeated = []
        for file in self._files:
            halves = np.fromfile(file, dtype=np.uint64)
            file.unlink()
            halves.sort()
            repeated.append(_find_repeated(halves))
        return np.concatenate(repeated)


def _find_repeated(halves: HalfDigests) -> HalfDigests:
    return np.unique(halves[1:][halves[1:] == halves[:-1]])


def select_repeated(digests: Digests, repeated: HalfDigests) -> Codes:
    """Return which ids may occur again.

    Args:
        digests: Digests of some ids.
        repeated: Halves that occur more than once, sorted.
    """
    places = np.minimum(np.searchsorted(repeated, digests[:, HIGH]), len(repeated) - 1)
    return np.flatnonzero(repeated[places] == digests[:, HIGH])


def find_first_rows(digests: Digests, rows: Codes) -> tuple[Codes, Codes]:
    """Return the rows whose id occurs in an earlier row, and the first row of each such id.

    >>> rows, first_rows = find_first_rows(np.array([[1, 2], [1, 3], [1, 2]], dtype=np.uint64), np.arange(3))
    >>> rows.tolist(), first_rows.tolist()
    ([2], [0])
    """
    order = np.lexsort((rows, digests[:, LOW], digests[:, HIGH]))
    digests, rows = digests[order], rows[order]
    is_new = np.concatenate([[True], (digests[1:] != digests[:-1]).any(axis=1)])
    first_rows = rows[np.flatnonzero(is_new)][np.cumsum(is_new) - 1]
    return rows[~is_new], first_rows[~is_new]
