"""Read the sums of the completed shards of a run; those with repeated ids are scored again without these."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from auricle.core.types import Record
from auricle.engine.task import Task
from auricle.runs.journal import JournalIndex
from auricle.runs.run_spec import OUTPUTS_FILE
from auricle.runs.shards.completions import Completion
from auricle.runs.shards.duplicate_ids import is_rejected, number_rows
from auricle.runs.shards.merged_files import IDS_FILE, SUMS_FILE
from auricle.runs.shards.store import ShardStore
from auricle.runs.verdicts import Judge
from auricle.scoring.shards.buckets import HalfDigests
from auricle.scoring.shards.duplicates import RepeatFinder, find_first_rows, select_repeated
from auricle.scoring.shards.packing import unpack
from auricle.scoring.shards.scoring import compute_sums
from auricle.scoring.shards.sums import ShardSums

FOLDER_READS = (2, 16)
"""Threads that read files of a folder, and files that each reads at a time: handing one over takes as long as reading
it."""
BUCKET_READS = (32, 1)
"""The same for a bucket, whose every reply takes tens of milliseconds."""


def read_ahead(store: ShardStore, name: str) -> Iterator[tuple[Completion, bytes]]:
    """Yield each completion with one of its files, in the order of the plan; further files are read meanwhile."""

    def read(completions: Sequence[Completion]) -> list[tuple[Completion, bytes]]:
        return [(completion, store.read_file(completion, name)) for completion in completions]

    threads, files = FOLDER_READS if store.folder else BUCKET_READS
    completions = store.completions()
    pending: deque[Future[list[tuple[Completion, bytes]]]] = deque()
    with ThreadPoolExecutor(threads, "auricle-sums") as pool:
        while some := list(islice(completions, files)):
            pending.append(pool.submit(read, some))
            if len(pending) > threads:
                yield from pending.popleft().result()
        for future in pending:
            yield from future.result()


@dataclass(frozen=True, slots=True)
class RepeatedIds:
    """Rows whose id occurs in an earlier row, by shard."""

    first_rows: dict[int, dict[int, int]]
    """For each shard with such rows the first row of the id of each, both as rows of the data."""

    @classmethod
    def find(cls, store: ShardStore) -> RepeatedIds:
        """Compare the ids of all completed shards."""
        with TemporaryDirectory(prefix="auricle-ids-") as folder:
            finder = RepeatFinder(Path(folder))
            for _, content in read_ahead(store, IDS_FILE):
                finder.add(unpack(content)[1]["digests"])
            repeated = finder.find()
        return cls(_locate(store, repeated) if len(repeated) else {})


def _locate(store: ShardStore, repeated: HalfDigests) -> dict[int, dict[int, int]]:
    """Return for each shard with repeated ids the first row of the id of each of its rows."""
    shards, starts, offset = [], [], 0
    digests, rows = [], []
    for completion, content in read_ahead(store, IDS_FILE):
        arrays = unpack(content)[1]
        places = select_repeated(arrays["digests"], repeated)
        digests.append(arrays["digests"][places])
        rows.append(arrays["rows"][places].astype(np.int64) + offset)
        shards.append(completion.shard)
        starts.append(offset)
        offset += completion.rows
    first_rows: dict[int, dict[int, int]] = {}
    repeated_rows, firsts = find_first_rows(np.concatenate(digests), np.concatenate(rows))
    for row, first in zip(repeated_rows.tolist(), firsts.tolist(), strict=True):
        first_rows.setdefault(shards[bisect_right(starts, row) - 1], {})[row] = first
    return first_rows


class ShardReader:
    """Reads the sums of shards, in the order of the plan.

    Args:
        store: The run.
        task: Task with the metrics, to score shards with repeated ids again.
        judges: Whose verdicts are read.
    """

    def __init__(self, store: ShardStore, task: Task, judges: Sequence[Judge]) -> None:
        self._store = store
        self._task = task
        self._judges = judges
        self.duplicates: list[dict[str, Any]] = []
        """The rows that were rejected because their id occurs in an earlier shard."""

    def read(self) -> Iterator[tuple[Completion, ShardSums]]:
        """Yield the completion and the sums of each shard."""
        repeated = RepeatedIds.find(self._store).first_rows
        offset = 0
        for completion, content in read_ahead(self._store, SUMS_FILE):
            if completion.shard in repeated:
                sums = self._score_again(completion, offset, repeated[completion.shard])
            else:
                sums = ShardSums.from_bytes(content)
            yield completion, sums
            offset += completion.rows

    def _score_again(self, completion: Completion, offset: int, first_rows: dict[int, int]) -> ShardSums:
        with TemporaryDirectory(prefix="auricle-shard-") as scratch:
            shard = self._store.fetch(completion, Path(scratch) / "shard")
            with JournalIndex(shard / OUTPUTS_FILE) as index:
                records = sorted(index.records(), key=lambda record: record.row)
                damaged = len(index.damaged)
            numbered = list(number_rows(records, offset, lambda _, row: first_rows.get(row, row)))
            self._note_duplicates(completion, records, numbered, first_rows)
            sums = compute_sums(shard, self._task, self._judges, numbered, damaged).sums
        return replace(sums, document={**sums.document, "has_data_rows": True})

    def _note_duplicates(
        self, completion: Completion, records: list[Record], numbered: list[Record], first_rows: dict[int, int]
    ) -> None:
        for before, after in zip(records, numbered, strict=True):
            if is_rejected(after) and not is_rejected(before):
                rows = {"row": after.row, "first_row": first_rows[after.row]}
                self.duplicates.append({"id": before.sample.id, **rows, "shard": completion.shard})
