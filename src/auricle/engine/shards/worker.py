"""Process shards of a run, one after the other, until all are completed."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TypeAlias

from auricle.core.errors import StorageError
from auricle.data.parts import check_unchanged
from auricle.engine.interrupts import SIGNALS, InterruptHandler
from auricle.runs.shards.completions import Completion, completion_path
from auricle.runs.shards.epochs import Epoch
from auricle.runs.shards.leases import Lease, LeaseKeeper, exists
from auricle.runs.shards.plan import Shard
from auricle.runs.shards.states import ShardStates
from auricle.runs.shards.store import ShardStore

LEASE_SECONDS = 60.0
MAX_MISSES = 16
"""Shards in a row that others have taken, after which the states of all shards are read again."""
POLLS_PER_TERM = 4
MAX_POLL_SECONDS = 10.0
"""Longest wait for shards that other workers process, before their states are read again."""
SCAN_PAUSE = 10
"""States are read again after at least this many times the time that reading them takes."""
MANY_EPOCHS = 3
"""Epochs from which on a shard is processed last."""
WAIT_STEP = 0.05


class StopSignal:
    """Asks a worker to stop. Any thread may set it, and so may a signal handler: it needs no lock."""

    def __init__(self) -> None:
        self._is_set = False
        self._callbacks: list[Callable[[], object]] = []

    def set(self) -> None:
        """Ask to stop."""
        self._is_set = True
        while self._callbacks:
            with suppress(IndexError):  # removed or called by another thread
                self._callbacks.pop()()

    def is_set(self) -> bool:
        return self._is_set

    def wait(self, timeout: float) -> bool:
        """Wait until it is set, or for some seconds; return whether it is set."""
        deadline = time.monotonic() + timeout
        while not self._is_set and (remaining := deadline - time.monotonic()) > 0:
            time.sleep(min(remaining, WAIT_STEP))
        return self._is_set

    def on_set(self, callback: Callable[[], object]) -> None:
        """Call a function when it is set, in the thread that sets it, or now if it is set."""
        self._callbacks.append(callback)
        if self._is_set:
            self.set()

    def remove(self, callback: Callable[[], object]) -> None:
        """Withdraw a callback, unless it was called."""
        with suppress(ValueError):
            self._callbacks.remove(callback)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardOutcome:
    """What became of the samples of a shard."""

    rows: int
    answered: int
    failed: int
    attempts: int
    """Requests that were sent for them, repeated ones included."""
    audio_seconds: float | None = None
    cost: float | None = None
    currency: str | None = None
    wall_seconds: float = 0.0
    complete: bool = True
    """False if the shard was stopped before its end."""


ProcessShard: TypeAlias = Callable[[Shard, Path, StopSignal], ShardOutcome]
"""Answers and scores the samples of a shard in a local run directory, until the signal is set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerOptions:
    """How a worker chooses shards."""

    name: str
    """Names the worker in leases; unique among those that run at the same time."""
    lease_seconds: float = LEASE_SECONDS
    """Seconds after which others take over the shard of a worker that does not renew its lease."""
    shard_filter: tuple[int, int] | None = None
    """`(i, n)` to process only shards whose number leaves the remainder `i` when it is divided by `n`."""
    retry_failed: bool = False
    """Whether to open completed shards with failed samples again."""
    since: float | None = None
    """Time of the store before which a shard must be completed to be opened again. [default: when the worker starts]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerResult:
    """What a worker did."""

    shards: int = 0
    """Shards that it completed."""
    rows: int = 0
    answered: int = 0
    failed: int = 0
    attempts: int = 0
    lost: int = 0
    """Shards that other workers took over or completed."""
    stopped: bool = False
    """Whether it was stopped before all shards were completed."""

    def add(self, outcome: ShardOutcome) -> WorkerResult:
        """Return the result with one more completed shard."""
        return replace(
            self,
            shards=self.shards + 1,
            rows=self.rows + outcome.rows,
            answered=self.answered + outcome.answered,
            failed=self.failed + outcome.failed,
            attempts=self.attempts + outcome.attempts,
        )


class ShardWorker:
    """Leases shards and processes them until all shards of the run are completed.

    Args:
        store: The run.
        process: Processes a shard.
        options: Which shards, and for how long they are leased.

    Example:
        >>> import tempfile
        >>> from auricle.data.parts import DataPart
        >>> store = ShardStore.create(tempfile.mkdtemp(), [DataPart("a.tar", "rows"), DataPart("b.tar", "rows")])
        >>> def process(shard, folder, stop):
        ...     (folder / "outputs.jsonl").write_text("")
        ...     return ShardOutcome(rows=1, answered=1, failed=0, attempts=1)
        >>> ShardWorker(store, process, WorkerOptions(name="laptop")).run(StopSignal()).shards
        2
    """

    def __init__(self, store: ShardStore, process: ProcessShard, options: WorkerOptions) -> None:
        self._store = store
        self._process = process
        self._options = options
        self._random = Random(options.name)
        self._since = options.since
        self._failed: set[int] | None = None
        self._result = WorkerResult()

    def run(self, stop: StopSignal) -> WorkerResult:
        """Process shards until all are completed or `stop` is set.

        A shard that another worker processes is waited for, because that worker may be killed. An error of `process`
        ends the worker; the shard is released, with what was answered.
        """
        while not stop.is_set():
            started_at = time.monotonic()
            states = self._store.read_states()
            if self._since is None:
                self._since = states.now
            unfinished = self._list_unfinished(states)
            if not unfinished:
                return self._result
            term = self._options.lease_seconds
            open_shards = (shard for shard in unfinished if not states.is_leased(shard, term))
            scan_seconds = time.monotonic() - started_at
            read_again_at = started_at + max(term, SCAN_PAUSE * scan_seconds)
            if not self._process_some(open_shards, states, stop, read_again_at):
                delay = max(min(term / POLLS_PER_TERM, MAX_POLL_SECONDS), SCAN_PAUSE * scan_seconds)
                stop.wait(delay * self._random.uniform(0.5, 1.0))
        return replace(self._result, stopped=True)

    def _list_unfinished(self, states: ShardStates) -> list[int]:
        """Return the shards that this worker may process, in an order of its own.

        Shards that several workers gave up or died over come last, because such a shard may be the cause.
        """
        remainder, divisor = self._options.shard_filter or (0, 1)
        retried = self._find_failed(states) if self._options.retry_failed else set()
        numbers = [
            shard
            for shard in range(remainder, states.count, divisor)
            if shard in retried or not self._store.is_done(states, shard)
        ]
        self._random.shuffle(numbers)
        return sorted(numbers, key=lambda shard: states.epochs[shard] >= MANY_EPOCHS)

    def _find_failed(self, states: ShardStates) -> set[int]:
        """Return shards with failed samples that were completed before the start and not again since."""
        since = self._since or 0.0
        if self._failed is None:
            self._failed = {
                completion.shard
                for completion in self._store.completions(states)
                if completion.failed and states.completed_at[completion.shard] < since
            }
        return {shard for shard in self._failed if states.completed_at[shard] < since}

    def _process_some(self, shards: Iterator[int], states: ShardStates, stop: StopSignal, read_again_at: float) -> bool:
        """Process shards until their states are outdated; return whether any lease was tried."""
        attempts, misses, storage = 0, 0, self._store.storage
        for shard in shards:
            if stop.is_set() or misses >= MAX_MISSES or time.monotonic() > read_again_at:
                break
            attempts += 1
            epoch = states.epochs[shard] + 1
            lease = Lease.acquire(storage, shard, epoch, self._options.name, self._options.lease_seconds)
            misses = misses + 1 if lease is None else 0
            if lease is not None:
                generation = max(states.generations[shard] + 1, self._store.plan.generations[shard])
                self._process_leased(lease, generation, stop)
        return attempts > 0

    def _process_leased(self, lease: Lease, generation: int, stop: StopSignal) -> None:
        """Process a shard, unless it was completed before its lease was acquired."""
        if exists(self._store.storage, completion_path(lease.shard, generation)):
            lease.release()
            return
        shard_stop, is_stored = StopSignal(), False
        stop.on_set(shard_stop.set)
        epoch = self._store.open_epoch(lease.shard, lease.epoch)
        try:
            with LeaseKeeper(lease, shard_stop.set) as keeper:
                is_complete = self._process_epoch(lease, epoch, generation, shard_stop)
            is_stored = True
            if not is_complete and keeper.lost:
                self._result = replace(self._result, lost=self._result.lost + 1)
            elif not is_complete:  # by a signal that only the processing may have received
                stop.set()
        except Exception:
            with suppress(StorageError, OSError):
                epoch.flush()
                is_stored = True
            raise
        finally:
            stop.remove(shard_stop.set)
            epoch.close(is_stored=is_stored)
            with suppress(StorageError):  # it expires
                lease.release()

    def _process_epoch(self, lease: Lease, epoch: Epoch, generation: int, stop: StopSignal) -> bool:
        """Process a shard and complete it; return whether it was processed to its end."""
        shard = self._store.plan[lease.shard]
        outcome = self._process(shard, epoch.prepare(), stop)
        if not outcome.complete:
            epoch.flush()
            return False
        check_unchanged(shard.part)
        completion = Completion(
            shard=shard.number,
            generation=generation,
            epoch=lease.epoch,
            rows=outcome.rows,
            answered=outcome.answered,
            failed=outcome.failed,
            attempts=outcome.attempts,
            audio_seconds=outcome.audio_seconds,
            cost=outcome.cost,
            currency=outcome.currency,
            wall_seconds=outcome.wall_seconds,
            files=epoch.finish(),
            unused_lines=epoch.count_unused_lines(),
            source=shard.part.revision,
            worker=self._options.name,
        )
        if self._store.complete(completion):
            self._result = self._result.add(outcome)
        else:
            self._result = replace(self._result, lost=self._result.lost + 1)
        return True


@contextmanager
def stop_on_signals(stop: StopSignal) -> Iterator[None]:
    """Set `stop` on the first Ctrl-C or SIGTERM, so that requests in flight may finish.

    A second signal is handled as it was before this block.
    """
    previous = {number: signal.getsignal(number) for number in SIGNALS}

    def request_stop(number: int, _frame: object) -> None:
        restore_handlers()
        if isinstance(handler := previous[signal.Signals(number)], InterruptHandler):
            handler.record(number)
        stop.set()

    def restore_handlers() -> None:
        for number, handler in previous.items():
            with suppress(ValueError):
                signal.signal(number, handler)

    with suppress(ValueError):  # not the main thread
        for number in SIGNALS:
            signal.signal(number, request_stop)
    try:
        yield
    finally:
        restore_handlers()
