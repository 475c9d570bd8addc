"""`sums.bin`: what a shard contributes to the numbers of a run, in a size that does not depend on its samples.

Statistics are added up by bucket (see `buckets`), for all samples and for each value of a metadata field. Tables are
sparse: a key has the group and the bucket of a row of sums.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from auricle.metrics.base import Array, Codes, Stats
from auricle.metrics.jackknife import take_stats
from auricle.runs.metrics import FailureExample
from auricle.runs.scores import READINGS
from auricle.scoring.score_table import LostStats, MetricColumn, ScoreTable
from auricle.scoring.shards.buckets import (
    BUCKET_BITS,
    BUCKETS,
    GROUP_BITS,
    GROUP_BUCKETS,
    Buckets,
    Digests,
    digest_texts,
    to_buckets,
)
from auricle.scoring.shards.cluster_sketch import ClusterSketch
from auricle.scoring.shards.packing import pack, unpack
from auricle.scoring.shards.sum_columns import SumColumns, list_labels

FORMAT = 1
MAX_DISTINCT = 1000
"""Distinct statistics that are counted; with more, a number is computed from a uniform sample of them."""
SAMPLE_SIZE = 100_000
"""Statistics in such a sample: those of the ids with the smallest digests."""
COUNTS = (
    "members",
    "not_applicable",
    "failed",
    "bounded",
    "unreadable",
    "declined",
    "scored",
    "unread_bounded",
    *READINGS,
)
"""What is counted per metric and group; the last are answers by how they were read. Older sums lack the last one."""
LOST_KINDS = ("failed_worst", "failed_best", "unread_worst", "unread_best", "unread_scored")
"""Statistics that bounds are computed from."""
LOST = "lost"
ARRAY_SEPARATOR = "/"


@dataclass(frozen=True, slots=True)
class Cells:
    """The groups of the samples of a shard: all of them, then those with each value of each metadata field."""

    names: list[tuple[str, str]]
    members: list[Codes]
    """For each field, and first for all samples, the group of every sample; -1 if it has none."""

    @classmethod
    def of(cls, table: ScoreTable) -> Cells:
        """List the groups of a score table."""
        names, members = [("", "all")], [np.zeros(table.total, dtype=np.int64)]
        for name, column in sorted(table.fields.items()):
            codes = np.frombuffer(column.codes, dtype=np.int64) if column.codes else np.empty(0, dtype=np.int64)
            values = sorted(column.values)  # so that most shards number groups alike
            cells = np.array([values.index(value) for value in column.values], dtype=np.int64) + len(names)
            members.append(np.where(codes >= 0, cells[np.maximum(codes, 0)], -1))
            names += [(name, value) for value in values]
        return cls(names, members)

    def count(self, places: Codes) -> Codes:
        """Return how many of these samples are in each group."""
        counts = np.zeros(len(self.names), dtype=np.int64)
        for members in self.members:
            own = members[places]
            counts += np.bincount(own[own >= 0], minlength=len(self.names))
        return counts

    def make_keys(self, places: Codes, buckets: Buckets | None) -> tuple[Codes, Codes]:
        """Return keys of these samples, and the index of the sample of each; a sample has one for each of its groups.

        Args:
            places: The samples.
            buckets: The bucket of every sample; None for keys that are groups.
        """
        keys, indices = [], []
        for members in self.members:
            cells = members[places]
            index = np.flatnonzero(cells >= 0)
            chosen = cells[index]
            keys.append(chosen if buckets is None else make_keys(chosen, buckets[places[index]]))
            indices.append(index)
        return np.concatenate(keys), np.concatenate(indices)


def make_keys(cells: Codes, buckets: Buckets) -> Codes:
    """Return the keys of buckets of groups; all samples have more buckets than the others."""
    in_group = BUCKETS + (cells - 1) * GROUP_BUCKETS + (buckets >> (BUCKET_BITS - GROUP_BITS))
    return np.where(cells == 0, buckets, in_group)


def count_keys(cells: int) -> int:
    """Return the number of keys of all buckets of some groups."""
    return BUCKETS + (cells - 1) * GROUP_BUCKETS


@dataclass(slots=True)
class ShardSums:
    """The sums of a shard: a document, and arrays by name."""

    document: dict[str, Any]
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """Return the content of `sums.bin`."""
        return pack(self.document, self.arrays)

    @classmethod
    def from_bytes(cls, content: bytes) -> ShardSums:
        """Read the content of `sums.bin`.

        Raises:
            DataError: if it is damaged.
        """
        return cls(*unpack(content))

    @classmethod
    def build(cls, table: ScoreTable, digests: Digests, facts: Mapping[str, Any]) -> ShardSums:
        """Add up the statistics of a shard.

        Args:
            table: The statistics of all samples.
            digests: Digests of their ids, in the same order.
            facts: Further fields of the document, such as usage.
        """
        builder = SumsBuilder(table, digests)
        sums = cls({"format": FORMAT, **_describe_table(table, builder), **facts})
        for name, sketch in builder.sketches.items():
            sums.arrays |= {f"cluster:{name}/digests": sketch.digests, f"cluster:{name}/counts": sketch.counts}
        for index, column in enumerate(table.columns):
            document, arrays = builder.add_up(column)
            sums.document["columns"].append(document)
            sums.arrays |= {f"{index}{ARRAY_SEPARATOR}{name}": array for name, array in arrays.items()}
        return sums

    def list_arrays(self) -> list[dict[str, NDArray[Any]]]:
        """Return the arrays of each metric."""
        columns: list[dict[str, NDArray[Any]]] = [{} for _ in self.document["columns"]]
        for name, array in self.arrays.items():
            column, _, rest = name.partition(ARRAY_SEPARATOR)
            if column.isdecimal():
                columns[int(column)][rest] = array
        return columns


def _describe_table(table: ScoreTable, builder: SumsBuilder) -> dict[str, Any]:
    return {
        "total": table.total,
        "cells": builder.cells.names,
        "ignored_fields": sorted(table.ignored_fields),
        "units": list(table.clusters.candidates()),
        "outcomes": {outcome.value: count for outcome, count in table.outcomes.items()},
        "audio_not_sent": table.audio_not_sent,
        "rightly_empty": table.rightly_empty,
        "finish_unknown": table.finish_unknown,
        "failures": dict(table.failures),
        "examples": {
            kind: [asdict(FailureExample.from_record(record)) for record in sorted(records, key=lambda r: r.row)]
            for kind, records in table.examples.items()
        },
        "worst": _list_worst(table),
        "columns": [],
    }


def _list_worst(table: ScoreTable) -> dict[str, Any]:
    column = table.ranking_column
    if column is None:
        return {"metric": "", "samples": []}
    name = column.metric.name
    samples = [
        (column.metric.badness(line.stats[name]), record.row, record.sample.id)
        for record, line in table.worst_records()
    ]
    return {"metric": name, "samples": [entry for entry in samples if math.isfinite(entry[0])]}


class SumsBuilder:
    """Adds up the statistics of the samples of a shard.

    Args:
        table: The statistics.
        digests: Digests of the ids of the samples.
    """

    def __init__(self, table: ScoreTable, digests: Digests) -> None:
        self._table = table
        self._digests = digests
        self.cells = Cells.of(table)
        rows = np.frombuffer(table.rows, dtype=np.int64) if table.rows else np.empty(0, dtype=np.int64)
        self._rank = np.argsort(np.argsort(rows, kind="stable"), kind="stable")
        self._buckets = {"": to_buckets(digests)}
        self.sketches: dict[str, ClusterSketch] = {}
        for name, unit in table.clusters.candidates().items():
            unit.fill(table.total)
            codes = np.array(unit.codes, dtype=np.int64)
            clusters = np.where((codes >= 0)[:, None], digest_texts(unit.values)[np.maximum(codes, 0)], digests)
            self._buckets[name] = to_buckets(clusters)
            self.sketches[name] = ClusterSketch.of(clusters[:, 0])

    def add_up(self, column: MetricColumn) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return the document and the arrays of a metric."""
        places = _as_array(column.indices)
        order = np.argsort(self._rank[places], kind="stable")  # floats are added in the order of the data
        places, stats = places[order], column.stats[order] if len(places) else []
        document: dict[str, Any] = {
            "name": column.metric.name,
            "refusal_reason": column.refusal_reason,
            "is_unsuited": column.is_unsuited,
            "reasons": dict(column.reasons),
            "mismatched": column.mismatched,
            "contexts": sorted(column.contexts, key=repr),
        }
        arrays: dict[str, NDArray[Any]] = {"counts": self._count(column)}
        if column.refusal_reason or not (len(places) or column.failed.indices or column.unread.indices):
            return {**document, "kind": "none"}, arrays
        columns = SumColumns.find(column.metric.aggregate)
        if columns is not None:
            numbers = columns.measure_range(stats)
            document |= {"kind": "sums", "range": asdict(numbers) if numbers else None}
            return document, arrays | self._add_sums(columns, column, places, stats)
        more, own_arrays = self._count_distinct(column, places, stats)
        return document | more, arrays | own_arrays

    def _count(self, column: MetricColumn) -> Codes:
        """Count samples by group; failed ones that the metric does not apply to are left out."""
        not_applicable = _as_array(column.not_applicable)
        failed = np.setdiff1d(_as_array(self._table.failed), not_applicable)
        strengths = np.frombuffer(column.strengths, dtype=np.int8)
        read = _as_array(column.read)
        places = (
            *(np.arange(self._table.total), not_applicable, failed, _as_array(column.failed.indices)),
            *(_as_array(column.unreadable), _as_array(column.refused), _as_array(column.indices)),
            _as_array(column.unread.indices),
            *(read[strengths == strength] for strength in range(len(READINGS) - 1)),
            _as_array(column.truncated),
        )
        return np.stack([self.cells.count(some) for some in places], axis=1)

    def _add_sums(
        self, columns: SumColumns, column: MetricColumn, places: Codes, stats: Stats
    ) -> dict[str, NDArray[Any]]:
        arrays: dict[str, NDArray[Any]] = {}
        if len(places):
            rows = columns.make_rows(stats)
            for unit, buckets in self._buckets.items():
                arrays |= _sum_by_key(
                    f"unit:{unit}", *self.cells.make_keys(places, buckets), rows, count_keys(len(self.cells.names))
                )
        lost = self._list_lost(column, places, stats)
        if lost:
            rows_by_kind = {kind: (at, columns.make_rows(some)) for kind, (at, some) in lost.items()}
            keys, lost_rows = self._make_lost_keys(rows_by_kind)
            arrays |= _sum_by_key(LOST, keys, np.arange(len(keys)), lost_rows)
        return arrays

    def _list_lost(self, column: MetricColumn, places: Codes, stats: Stats) -> dict[str, tuple[Codes, Stats]]:
        """Return the statistics that bounds are computed from, with their samples."""
        lost: dict[str, tuple[Codes, Stats]] = {}
        both: list[tuple[str, LostStats]] = [("failed", column.failed), ("unread", column.unread)]
        for name, bounds in both:
            if bounds.indices:
                every = np.arange(len(bounds.indices))
                lost[f"{name}_worst"] = _as_array(bounds.indices), bounds.worst[every]
                lost[f"{name}_best"] = _as_array(bounds.indices), bounds.best[every]
        if column.unread.indices and len(places):
            which = np.flatnonzero(np.isin(places, _as_array(column.unread.indices)))
            if len(which):
                lost["unread_scored"] = places[which], take_stats(stats, which)
        return lost

    def _make_lost_keys(self, lost: Mapping[str, tuple[Codes, NDArray[Any]]]) -> tuple[Codes, NDArray[Any]]:
        """Return the keys of lost statistics by group and kind, and the value of each."""
        keys: list[Codes] = []
        values: list[NDArray[Any]] = []
        for kind, (places, kind_values) in lost.items():
            cells, index = self.cells.make_keys(places, None)
            keys.append(cells * len(LOST_KINDS) + LOST_KINDS.index(kind))
            values.append(kind_values[index])
        return np.concatenate(keys), np.concatenate(values)

    def _count_distinct(
        self, column: MetricColumn, places: Codes, stats: Stats
    ) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Count the distinct statistics by bucket, and keep those with the smallest digests."""
        vocabulary: dict[bytes, int] = {}
        codes = _encode(vocabulary, stats)
        lost = {
            kind: (at, _encode(vocabulary, some)) for kind, (at, some) in self._list_lost(column, places, stats).items()
        }
        document: dict[str, Any] = {"kind": "distinct", "is_numeric": isinstance(stats, np.ndarray)}
        arrays: dict[str, NDArray[Any]] = {}
        if len(vocabulary) <= MAX_DISTINCT:
            for unit, buckets in self._buckets.items():
                keys, index = self.cells.make_keys(places, buckets)
                arrays |= _count_by_key(f"unit:{unit}", keys, codes[index])
            if lost:
                arrays |= _count_by_key(LOST, *self._make_lost_keys(lost))
        document["is_counted"] = len(vocabulary) <= MAX_DISTINCT
        return document | {"labels": [orjson.loads(label) for label in vocabulary]}, arrays | self._sample(
            places, codes
        )

    def _sample(self, places: Codes, codes: Codes) -> dict[str, NDArray[Any]]:
        """Return the statistics with the smallest digests, sorted by them."""
        digests = self._digests[places, 0]
        chosen = np.argsort(digests, kind="stable")[:SAMPLE_SIZE]
        arrays: dict[str, NDArray[Any]] = {"sample/digests": digests[chosen], "sample/codes": codes[chosen]}
        for unit, buckets in self._buckets.items():
            if unit:
                arrays[f"sample/unit:{unit}"] = buckets[places[chosen]]
        return arrays


def _as_array(indices: Any) -> Codes:
    return np.frombuffer(indices, dtype=np.int64) if len(indices) else np.empty(0, dtype=np.int64)


def _encode(vocabulary: dict[bytes, int], stats: Stats) -> Codes:
    """Return the numbers of statistics in a vocabulary, to which new ones are added."""
    labels: Sequence[Any] = list_labels(stats)
    return np.array([vocabulary.setdefault(orjson.dumps(label), len(vocabulary)) for label in labels], dtype=np.int64)


def _sum_by_key(
    name: str, keys: Codes, indices: Codes, rows: Array, key_count: int | None = None
) -> dict[str, NDArray[Any]]:
    """Add up rows by key; each column is an array of its own, because most have small integers, and empty if all are 0.

    Args:
        name: Start of the names of the arrays.
        keys: The key of each row.
        indices: Which row it is.
        rows: The rows.
        key_count: Number of possible keys; if most occur, the sums of all are stored, which are added faster.
    """
    distinct, positions = np.unique(keys, return_inverse=True)
    arrays: dict[str, NDArray[Any]] = {f"{name}/keys": distinct}
    if key_count is not None and len(distinct) > key_count // 2:
        arrays, positions, distinct = {}, keys, np.arange(key_count)
    for number, column in enumerate(rows.T):
        sums = np.bincount(positions, weights=column[indices], minlength=len(distinct))
        arrays[f"{name}/{number}"] = sums if sums.any() else sums[:0]
    return arrays


def _count_by_key(name: str, keys: Codes, codes: Codes) -> dict[str, NDArray[Any]]:
    """Count statistics by key."""
    pairs, counts = np.unique(np.stack([keys, codes], axis=1), axis=0, return_counts=True)
    pairs = pairs.reshape(-1, 2)
    return {f"{name}/keys": pairs[:, 0], f"{name}/codes": pairs[:, 1], f"{name}/counts": counts}
