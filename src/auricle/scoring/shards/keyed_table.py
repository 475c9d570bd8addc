"""Sums of columns by group and bucket, to which the tables of shards are added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auricle.metrics.base import Array, Codes
from auricle.scoring.shards.buckets import BUCKETS, GROUP_BUCKETS
from auricle.scoring.shards.sums import LOST_KINDS

GROWTH = 2
MAX_PENDING = 32
"""Sparse tables that are added together."""


class KeyedTable:
    """Sums with a row per key and a column per number; rows and columns are added as needed."""

    def __init__(self) -> None:
        self._sums = np.zeros((0, 0))
        self._pending: list[tuple[Codes, list[NDArray[Any]]]] = []

    @property
    def sums(self) -> Array:
        """The sums, with one row per column, and one column per key."""
        self._add_pending()
        return self._sums

    def add_rows(self, keys: Codes, columns: list[NDArray[Any]]) -> None:
        """Add values at keys, one array per column, which is empty if all are 0; several shards are added at once."""
        self._pending.append((keys, columns))
        if len(self._pending) == MAX_PENDING:
            self._add_pending()

    def _add_pending(self) -> None:
        pending, self._pending = [(keys, columns) for keys, columns in self._pending if len(keys)], []
        if not pending:
            return
        keys = np.concatenate([keys for keys, _ in pending], dtype=np.int64)
        width = max(len(columns) for _, columns in pending)
        self._extend(width, int(keys.max()) + 1)
        for number in range(width):
            columns = [(len(keys), columns[number]) for keys, columns in pending]
            if any(len(column) for _, column in columns):
                values = np.concatenate([column if len(column) else np.zeros(size) for size, column in columns])
                self._sums[number] += np.bincount(keys, weights=values, minlength=self._sums.shape[1])

    def add(self, columns: Codes, keys: Codes, values: NDArray[Any]) -> None:
        """Add values at columns and keys, of which no pair occurs twice."""
        if len(keys):
            self._extend(int(columns.max()) + 1, int(keys.max()) + 1)
            self._sums[columns, keys] += values

    def add_all(self, column: int, values: NDArray[Any], cells: Codes, *, is_trivial: bool) -> None:
        """Add the values of all keys of buckets of some groups.

        Args:
            column: The column.
            values: One per key, those of all samples first; empty if all are 0.
            cells: Number of each group in this table; -1 if it is left out.
            is_trivial: Whether the groups have the same numbers here.
        """
        self._add_pending()  # in the order of the shards
        self._extend(column + 1, bucket_keys(int(cells.max())).stop)
        sums = self._sums[column]
        if not len(values):
            return
        if is_trivial:
            sums[: len(values)] += values
            return
        sums[:BUCKETS] += values[:BUCKETS]
        kept = np.flatnonzero(cells[1:] >= 0)
        groups, added = sums[BUCKETS:].reshape(-1, GROUP_BUCKETS), values[BUCKETS:].reshape(-1, GROUP_BUCKETS)
        groups[cells[1:][kept] - 1] += added[kept]

    def copy(self) -> KeyedTable:
        """Return an independent table with the same sums."""
        table = KeyedTable()
        table._sums = self.sums.copy()
        return table

    def select(self, keys: slice) -> Array:
        """Return the sums of a range of keys, one row per key."""
        columns, rows = self.sums.shape
        end = keys.stop
        block = np.zeros((end - keys.start, columns))
        available = self.sums[:, keys.start : min(end, rows)].T
        block[: len(available)] = available
        return block

    def _extend(self, columns: int, rows: int) -> None:
        has_columns, has_rows = self._sums.shape
        if columns <= has_columns and rows <= has_rows:
            return
        more_rows = has_rows if rows <= has_rows else max(rows, GROWTH * has_rows)
        more_rows = BUCKETS + -(-max(0, more_rows - BUCKETS) // GROUP_BUCKETS) * GROUP_BUCKETS
        extended = np.zeros((max(columns, has_columns), more_rows))
        extended[:has_columns, :has_rows] = self._sums
        self._sums = extended


def bucket_keys(cell: int) -> slice:
    """Return the keys of the buckets of a group."""
    if cell == 0:
        return slice(0, BUCKETS)
    start = BUCKETS + (cell - 1) * GROUP_BUCKETS
    return slice(start, start + GROUP_BUCKETS)


def lost_keys(cell: int) -> slice:
    """Return the keys of the lost statistics of a group."""
    return slice(cell * len(LOST_KINDS), (cell + 1) * len(LOST_KINDS))


class KeyMap:
    """Translates the keys of a shard, whose groups have other numbers than those of the run.

    Args:
        cells: The number of each group of the shard in the run; -1 if it is left out.
    """

    def __init__(self, cells: Codes) -> None:
        self.cells = cells
        self.is_trivial = bool((cells == np.arange(len(cells))).all())
        self.last_cell = int(cells.max())

    def map_buckets(self, keys: NDArray[Any]) -> tuple[Codes, slice | Codes]:
        """Return the keys of buckets in the run, and which of the given keys they are."""
        if self.is_trivial or keys[-1] < BUCKETS:
            return keys, slice(None)
        keys = keys.astype(np.int64)
        offset = np.maximum(keys - BUCKETS, 0)
        cells = np.where(keys < BUCKETS, 0, self.cells[np.where(keys < BUCKETS, 0, offset // GROUP_BUCKETS + 1)])
        mapped = np.where(keys < BUCKETS, keys, BUCKETS + (cells - 1) * GROUP_BUCKETS + offset % GROUP_BUCKETS)
        kept = np.flatnonzero(cells >= 0)
        return mapped[kept], kept

    def map_lost(self, keys: NDArray[Any]) -> tuple[Codes, slice | Codes]:
        """Return the keys of lost statistics in the run, and which of the given keys they are."""
        keys = keys.astype(np.int64)
        cells = self.cells[keys // len(LOST_KINDS)]
        kept = np.flatnonzero(cells >= 0)
        return (cells * len(LOST_KINDS) + keys % len(LOST_KINDS))[kept], kept


def list_columns(arrays: Mapping[str, NDArray[Any]], name: str) -> list[NDArray[Any]]:
    """Return the columns of a table of sums, in order."""
    columns: list[NDArray[Any]] = []
    while (column := arrays.get(f"{name}/{len(columns)}")) is not None:
        columns.append(column)
    return columns
