"""Shards for tests: locations, parts, and workers that answer without a model."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from auricle.core.checked_lines import add_checksum
from auricle.data.parts import DataPart
from auricle.engine.shards.worker import ShardOutcome, StopSignal
from auricle.runs.journal import Journal, read_lines, truncate_partial_line
from auricle.runs.run_spec import OUTPUTS_FILE
from auricle.runs.shards.completions import Completion
from auricle.runs.shards.plan import Shard
from auricle.runs.shards.store import ShardStore


def make_parts(count: int, rows: int) -> list[DataPart]:
    """Return parts of data that does not exist; the rows of each are numbered from `start` to `end`."""
    return [DataPart("made-up", "rows", index * rows, (index + 1) * rows, rows) for index in range(count)]


def encode_line(row: int, worker: str, text: str = "") -> bytes:
    """Return a journal line of a row."""
    fields = {"id": f"row-{row}", "stat": row * 7919 % 101, "text": text, "worker": worker}
    return add_checksum(orjson.dumps(fields) + b"\n")


def read_ids(lines: Sequence[bytes]) -> list[str]:
    return [orjson.loads(line)["id"] for line in lines]


@dataclass
class FakeProcess:
    """Answers the rows of a shard that have no line yet, like the engine: through a journal, and until it is stopped.

    Args:
        name: The worker, which is part of every line.
        seconds: Time that an answer takes.
        on_row: Called before each answer.
    """

    name: str = "worker"
    seconds: float = 0.0
    on_row: Callable[[Shard, int], object] = lambda _shard, _row: None
    sent: list[int] = field(default_factory=list)
    """Rows that were answered."""
    failing: frozenset[int] = frozenset()
    """Rows that count as failed."""

    def __call__(self, shard: Shard, folder: Path, stop: StopSignal) -> ShardOutcome:
        outputs = folder / OUTPUTS_FILE
        truncate_partial_line(outputs)
        answered = {*read_ids([line for _, line in read_lines(outputs)])}
        (folder / "spec.json").write_text("{}", encoding="utf-8")
        rows = range(shard.part.start, shard.part.end or 0)
        journal, sent = Journal(outputs), 0
        try:
            for row in rows:
                if stop.is_set():
                    return ShardOutcome(rows=len(rows), answered=0, failed=0, attempts=sent, complete=False)
                if f"row-{row}" not in answered:
                    self.on_row(shard, row)
                    time.sleep(self.seconds)
                    journal.append(encode_line(row, self.name))
                    self.sent.append(row)
                    sent += 1
        finally:
            journal.close()
        (folder / "sums.bin").write_bytes(b"sums")
        failed = len(self.failing.intersection(rows))
        return ShardOutcome(rows=len(rows), answered=len(rows) - failed, failed=failed, attempts=sent)


def iter_counted_ids(store: ShardStore) -> Iterator[str]:
    """Yield the ids of all lines that count."""
    for completion in store.completions():
        with store.open_file(completion, OUTPUTS_FILE) as lines:
            yield from read_ids([*lines])


def expected_ids(store: ShardStore) -> list[str]:
    """Return the ids of all rows, in order."""
    return [f"row-{row}" for shard in store.plan for row in range(shard.part.start, shard.part.end or 0)]


def process_exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def make_completion(shard: int, *, generation: int = 1, epoch: int = 1, worker: str = "worker") -> Completion:
    """Return a completion without files."""
    return Completion(
        shard=shard,
        generation=generation,
        epoch=epoch,
        rows=1,
        answered=1,
        failed=0,
        attempts=1,
        audio_seconds=None,
        cost=None,
        currency=None,
        wall_seconds=0.0,
        unused_lines=0,
        source="",
        worker=worker,
        files=(),
    )
