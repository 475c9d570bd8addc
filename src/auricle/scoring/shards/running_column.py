"""The statistics of one metric over the shards that were added so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from auricle.metrics.base import Array, Codes, Metric, Stats
from auricle.runs.scores import restore_stat
from auricle.scoring.score_table import MAX_REASONS
from auricle.scoring.shards.keyed_table import KeyedTable, KeyMap, bucket_keys, list_columns, lost_keys
from auricle.scoring.shards.sum_columns import NumberRange
from auricle.scoring.shards.sums import COUNTS, LOST, LOST_KINDS, MAX_DISTINCT, SAMPLE_SIZE

Arrays = Mapping[str, NDArray[Any]]


class RunningColumn:
    """The sums, counts and reasons of a metric.

    Args:
        metric: The metric.
    """

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.kind = "none"
        self.refusal_reason = ""
        self.is_unsuited = False
        self.reasons: Counter[str] = Counter()
        self.mismatched = 0
        self.contexts: set[Hashable] = set()
        self.range: NumberRange | None = None
        self.is_numeric = False
        self.sample = StatSample()
        self._vocabulary: dict[bytes, int] = {}
        self._is_overflown = False
        self._counts = np.zeros((1, len(COUNTS)), dtype=np.int64)
        self._tables: dict[str, KeyedTable] = {"": KeyedTable()}
        self._lost = KeyedTable()

    def add(self, document: Mapping[str, Any], arrays: Arrays, keys: KeyMap, units: Collection[str]) -> None:
        """Add a shard.

        Args:
            document: What its sums state about the metric.
            arrays: The arrays of the metric.
            keys: Translates its keys.
            units: Fields that the samples of the run may be clustered by; the shard may lack some.
        """
        self._add_reasons(document)
        self._add_counts(arrays["counts"], keys)
        for unit in units:
            if unit not in self._tables:  # so far, samples had no value and were units of their own
                self._tables[unit] = self._tables[""].copy()
        if document["kind"] == "none":
            return
        self.kind = document["kind"]
        if self.kind == "sums":
            self._add_range(document["range"])
            for unit, table in self._tables.items():
                name = f"unit:{unit}" if f"unit:{unit}/0" in arrays else "unit:"
                if f"{name}/keys" in arrays:
                    _add_sums(table, arrays, name, keys.map_buckets)
                else:
                    for number, column in enumerate(list_columns(arrays, name)):
                        table.add_all(number, column, keys.cells, is_trivial=keys.is_trivial)
            _add_sums(self._lost, arrays, LOST, keys.map_lost)
        else:
            self._add_distinct(document, arrays, keys)

    def _add_reasons(self, document: Mapping[str, Any]) -> None:
        self.refusal_reason = self.refusal_reason or document["refusal_reason"]
        self.is_unsuited = self.is_unsuited or document["is_unsuited"]
        self.mismatched += document["mismatched"]
        self.contexts |= {_to_hashable(context) for context in document["contexts"]}
        for reason, count in document["reasons"].items():
            if reason in self.reasons or len(self.reasons) < MAX_REASONS:
                self.reasons[reason] += count

    def _add_counts(self, counts: NDArray[Any], keys: KeyMap) -> None:
        missing = keys.last_cell + 1 - len(self._counts)
        if missing > 0:
            self._counts = np.concatenate([self._counts, np.zeros((missing, len(COUNTS)), dtype=np.int64)])
        if keys.is_trivial:
            self._counts[: len(counts), : counts.shape[1]] += counts
        else:
            kept = np.flatnonzero(keys.cells >= 0)
            self._counts[keys.cells[kept], : counts.shape[1]] += counts[kept]

    def _add_range(self, fields: Mapping[str, Any] | None) -> None:
        if fields is not None:
            numbers = NumberRange(**fields)
            self.range = numbers.join(self.range) if self.range else numbers

    def _add_distinct(self, document: Mapping[str, Any], arrays: Arrays, keys: KeyMap) -> None:
        self.is_numeric = document["is_numeric"]
        labels = [orjson.dumps(label) for label in document["labels"]]
        self.sample.add(labels, arrays)
        if not self._is_overflown and document["is_counted"]:
            codes = np.array([self._vocabulary.setdefault(label, len(self._vocabulary)) for label in labels])
        if self._is_overflown or not document["is_counted"] or len(self._vocabulary) > MAX_DISTINCT:
            self._is_overflown = True
            self._tables, self._lost = dict.fromkeys(self._tables, KeyedTable()), KeyedTable()
            return
        for unit, table in self._tables.items():
            name = f"unit:{unit}" if f"unit:{unit}/keys" in arrays else "unit:"
            _add_counts(table, arrays, name, codes, keys.map_buckets)
        _add_counts(self._lost, arrays, LOST, codes, keys.map_lost)

    # --- what was added -------------------------------------------------------------------------

    @property
    def is_sampled(self) -> bool:
        """Whether there are too many distinct statistics to count them."""
        return self._is_overflown

    def count(self, cell: int, name: str) -> int:
        """Return a count of a group."""
        return int(self._counts[cell, COUNTS.index(name)]) if cell < len(self._counts) else 0

    @property
    def scored(self) -> int:
        return self.count(0, "scored")

    def list_totals(self, cell: int, unit: str) -> Array:
        """Return the sums of the buckets of a group that are not empty, one row per bucket."""
        rows = self._tables[unit].select(bucket_keys(cell))
        return rows[rows.any(axis=1)]

    def list_bucket_totals(self, cell: int, unit: str) -> Array:
        """Return the sums of all buckets of a group, one row per bucket."""
        return self._tables[unit].select(bucket_keys(cell))

    def list_lost(self, cell: int) -> dict[str, Array]:
        """Return the sums of lost statistics by kind; there are none of a kind that did not occur."""
        rows = self._lost.select(lost_keys(cell))
        return {kind: row for kind, row in zip(LOST_KINDS, rows, strict=True) if row.any()}

    @property
    def labels(self) -> list[bytes]:
        """The distinct statistics as JSON, in the order of the columns."""
        return list(self._vocabulary)

    def list_tables(self) -> dict[str, Array]:
        """Return the sums of all keys by unit, one row per column."""
        return {unit: table.sums for unit, table in self._tables.items()}

    def list_distinct(self) -> Stats:
        """Return the distinct statistics, in the order of the columns."""
        return restore_stats(self.labels, is_numeric=self.is_numeric)


def restore_stats(labels: list[bytes], *, is_numeric: bool) -> Stats:
    """Return statistics from their JSON, as a score table has them."""
    stats = [restore_stat(orjson.loads(label)) for label in labels]
    return np.array(stats, dtype=np.float64) if is_numeric else stats


def _to_hashable(value: Any) -> Hashable:
    return tuple(map(_to_hashable, value)) if isinstance(value, list) else value


def _add_sums(table: KeyedTable, arrays: Arrays, name: str, map_keys: Any) -> None:
    if f"{name}/keys" not in arrays:
        return
    keys, kept = map_keys(arrays[f"{name}/keys"])
    table.add_rows(keys, [column[kept] if len(column) else column for column in list_columns(arrays, name)])


def _add_counts(table: KeyedTable, arrays: Arrays, name: str, codes: Codes, map_keys: Any) -> None:
    if f"{name}/keys" not in arrays:
        return
    keys, kept = map_keys(arrays[f"{name}/keys"])
    table.add(codes[arrays[f"{name}/codes"][kept].astype(np.int64)], keys, arrays[f"{name}/counts"][kept])


class StatSample:
    """The statistics of the ids with the smallest digests: a uniform sample of all."""

    def __init__(self) -> None:
        self.digests = np.empty(0, dtype=np.uint64)
        self.labels: list[bytes] = []
        self.buckets: dict[str, Codes] = {}

    def add(self, labels: list[bytes], arrays: Arrays) -> None:
        """Add the sample of a shard, which is sorted by digest."""
        limit = len(arrays["sample/digests"])
        if len(self.digests) >= SAMPLE_SIZE:
            limit = int(np.searchsorted(arrays["sample/digests"], self.digests[-1]))
        if not limit:
            return
        digests = np.concatenate([self.digests, arrays["sample/digests"][:limit]])
        own_buckets = {
            name.removeprefix("sample/unit:"): array[:limit].astype(np.int64)
            for name, array in arrays.items()
            if name.startswith("sample/unit:")
        }
        order = np.argsort(digests, kind="stable")[:SAMPLE_SIZE]
        before = len(self.labels)
        joined = [*self.labels, *(labels[code] for code in arrays["sample/codes"][:limit].tolist())]
        for unit in {*self.buckets, *own_buckets}:
            earlier = self.buckets.get(unit, np.full(before, -1, dtype=np.int64))
            added = own_buckets.get(unit, np.full(limit, -1, dtype=np.int64))
            self.buckets[unit] = np.concatenate([earlier, added])[order]
        self.digests, self.labels = digests[order], [joined[index] for index in order.tolist()]
