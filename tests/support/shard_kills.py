"""Workers of a sharded run that are killed and suspended while they have a lease.

Workers are forked from this process, which has imported everything, so that signals reach workers at work rather than
interpreters that still import.
"""

from __future__ import annotations

import mmap
import os
import signal
import time
import traceback
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from random import Random

import orjson

from auricle.core.storage import is_remote
from auricle.engine.shards.worker import ShardWorker, StopSignal, WorkerOptions
from auricle.runs.run_spec import OUTPUTS_FILE
from auricle.runs.shards.leases import Lease, lease_path
from auricle.runs.shards.store import ShardStore
from tests.support.shards import FakeProcess

COUNTER_BYTES = 8
MAX_PAUSE_TERMS = 10
"""Longest suspension, in terms of a lease, while others have not taken over the shard."""


@dataclass(frozen=True, kw_only=True)
class Disturbance:
    """What happens to workers.

    Attributes:
        kills: Lease holders that are killed.
        pauses: Lease holders that are suspended beyond their lease, and continued.
        term: Seconds of a lease.
        interval: Mean seconds between signals.
    """

    kills: int = 0
    pauses: int = 0
    term: float = 2.0
    interval: float = 0.1
    seed: int = 1


@dataclass(frozen=True, kw_only=True)
class Report:
    """What became of the rows."""

    rows: int
    """Rows that count."""
    twice: int
    """Rows that count more than once."""
    lost: int
    """Rows that do not count."""
    attempts: int
    """Rows that were answered, by any worker."""
    unused: int
    """Answers of which another one of the same row counts, or that were lost in a kill."""
    epochs: int
    kills: int
    pauses: int
    zombies: int
    """Suspended workers whose shard was taken over before they were continued; counted in folders only."""
    seconds: float
    digest: str
    """Of the ids and statistics that count, in the order of the plan."""


class _ObservedWorker(ShardWorker):
    """A worker that shows when it has a lease."""

    def __init__(self, store: ShardStore, process: FakeProcess, options: WorkerOptions, state: Slot) -> None:
        super().__init__(store, process, options)
        self._state = state

    def _process_leased(self, lease: Lease, generation: int, stop: StopSignal) -> None:
        self._state.lease = lease.shard, lease.epoch
        self._state.has_lease = True
        try:
            super()._process_leased(lease, generation, stop)
        finally:
            self._state.has_lease = False


class Slot:
    """Place of a worker, in memory that it shares with its parent."""

    FIELDS = ("flag", "attempts", "shard", "epoch")

    def __init__(self, memory: mmap.mmap, index: int) -> None:
        self._memory = memory
        self._start = index * len(self.FIELDS) * COUNTER_BYTES
        self.pid = 0
        self.paused_at = 0.0

    def _read(self, name: str) -> int:
        start = self._start + self.FIELDS.index(name) * COUNTER_BYTES
        return int.from_bytes(self._memory[start : start + COUNTER_BYTES], "little")

    def _write(self, name: str, value: int) -> None:
        start = self._start + self.FIELDS.index(name) * COUNTER_BYTES
        self._memory[start : start + COUNTER_BYTES] = value.to_bytes(COUNTER_BYTES, "little")

    @property
    def lease(self) -> tuple[int, int]:
        """Shard and epoch of the last lease."""
        return self._read("shard"), self._read("epoch")

    @lease.setter
    def lease(self, value: tuple[int, int]) -> None:
        self._write("shard", value[0])
        self._write("epoch", value[1])

    @property
    def has_lease(self) -> bool:
        return self._read("flag") == 1

    @has_lease.setter
    def has_lease(self, value: bool) -> None:
        self._write("flag", int(value))

    @property
    def attempts(self) -> int:
        return self._read("attempts")

    def count_attempt(self) -> None:
        self._write("attempts", self.attempts + 1)


@dataclass
class WorkerPool:
    """Forked workers, which are replaced when they are killed.

    Args:
        location: The run, which exists.
        count: Number of workers.
        row_seconds: Time that an answer takes.
        disturbance: What happens to them.
    """

    location: str | Path
    count: int
    row_seconds: float
    disturbance: Disturbance
    _slots: list[Slot] = field(init=False)

    def __post_init__(self) -> None:
        memory = mmap.mmap(-1, self.count * len(Slot.FIELDS) * COUNTER_BYTES)
        self._slots = [Slot(memory, index) for index in range(self.count)]
        self._random = Random(self.disturbance.seed)
        self._spawned = self._failures = 0
        self._done: Counter[str] = Counter()

    def run(self) -> Report:
        """Run workers until all shards are completed and all signals are sent."""
        started_at = time.monotonic()
        try:
            for slot in self._slots:
                self._spawn(slot)
            while any(slot.pid for slot in self._slots):
                self._disturb()
                time.sleep(self._random.uniform(0, 2 * self.disturbance.interval))
                self._reap()
        finally:
            for slot in self._slots:
                if slot.pid:
                    os.kill(slot.pid, signal.SIGKILL)
        attempts = sum(slot.attempts for slot in self._slots)
        seconds = time.monotonic() - started_at
        return count_rows(ShardStore.open(self.location), attempts, self._done, seconds)

    def _spawn(self, slot: Slot) -> None:
        self._spawned += 1
        name = f"worker-{self._spawned}"
        slot.pid = os.fork()
        if slot.pid == 0:
            code = 1
            try:
                self._work(slot, name)
                code = 0
            except Exception:  # noqa: BLE001 - shown, and the process ends
                traceback.print_exc()
            finally:
                os._exit(code)

    def _work(self, slot: Slot, name: str) -> None:
        process = FakeProcess(name=name, seconds=self.row_seconds, on_row=lambda *_: slot.count_attempt())
        options = WorkerOptions(name=name, lease_seconds=self.disturbance.term)
        _ObservedWorker(ShardStore.open(self.location), process, options, slot).run(StopSignal())

    def _disturb(self) -> None:
        now = time.monotonic()
        for slot in self._slots:
            if slot.paused_at:
                self._continue_when_due(slot, (now - slot.paused_at) / self.disturbance.term)
        holders = [slot for slot in self._slots if slot.pid and slot.has_lease and not slot.paused_at]
        kills = self.disturbance.kills - self._done["kills"]
        paused = sum(1 for slot in self._slots if slot.paused_at)
        has_others = paused < max(1, self.count // 4)  # who can take over
        pauses = self.disturbance.pauses - self._done["pauses"] if has_others else 0
        if not holders or not kills + pauses:
            return
        victim = self._random.choice(holders)
        if self._random.random() * (kills + pauses) < kills:
            os.kill(victim.pid, signal.SIGKILL)
            self._done["kills"] += 1
        else:
            os.kill(victim.pid, signal.SIGSTOP)
            victim.paused_at = now
            self._done["pauses"] += 1

    def _continue_when_due(self, slot: Slot, paused_terms: float) -> None:
        """Continue a suspended worker after its lease has expired and, in a folder, others have its shard."""
        shard, epoch = slot.lease
        is_bucket = is_remote(self.location)
        is_taken_over = is_bucket or Path(self.location, lease_path(shard, epoch + 1)).exists()
        if paused_terms > MAX_PAUSE_TERMS or (paused_terms > 1.5 and is_taken_over):
            self._done["zombies"] += is_taken_over and not is_bucket
            slot.paused_at = 0.0
            os.kill(slot.pid, signal.SIGCONT)

    def _reap(self) -> None:
        """Replace killed workers; a worker that ended by itself has seen that all shards are completed."""
        for slot in self._slots:
            with suppress(ChildProcessError):
                pid, status = os.waitpid(slot.pid, os.WNOHANG) if slot.pid else (0, 0)
                if pid:
                    slot.pid, slot.has_lease = 0, False
                    if status:
                        self._failures += not os.WIFSIGNALED(status)
                        assert self._failures < 5, "workers fail"
                        self._spawn(slot)


def count_rows(store: ShardStore, attempts: int, signals: Counter[str], seconds: float) -> Report:
    """Count the rows of a finished run, and digest what was computed for each."""
    counted: Counter[str] = Counter()
    digest = blake2b(digest_size=16)
    states = store.read_states()
    for completion in store.completions(states):
        with store.open_file(completion, OUTPUTS_FILE) as lines:
            latest = {row["id"]: row["stat"] for row in map(orjson.loads, lines)}
        counted.update(latest.keys())
        for name in sorted(latest, key=lambda name: int(name.removeprefix("row-"))):
            digest.update(f"{name} {latest[name]}\n".encode())
    expected = sum(shard.part.rows or 0 for shard in store.plan)
    return Report(
        rows=len(counted),
        twice=sum(1 for times in counted.values() if times > 1),
        lost=expected - len(counted),
        attempts=attempts,
        unused=attempts - len(counted),
        epochs=sum(states.epochs),
        kills=signals["kills"],
        pauses=signals["pauses"],
        zombies=signals["zombies"],
        seconds=seconds,
        digest=digest.hexdigest(),
    )
