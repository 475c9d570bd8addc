"""The state of a sharded run while it is executed, from its leases and completions."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from auricle.core.errors import DataError
from auricle.core.result_table import ResultTable
from auricle.runs.journal_follower import JournalFollower
from auricle.runs.run_spec import OUTPUTS_FILE
from auricle.runs.shards.completions import Completion
from auricle.runs.shards.epochs import epoch_path
from auricle.runs.shards.states import ShardStates
from auricle.runs.shards.store import ShardStore

RATE_SECONDS = 600.0
"""The rate is that of the shards completed in this time."""
MIN_FOR_MEDIAN = 3
"""Completed shards from which on it is known how long a shard usually takes."""
STRAGGLER_FACTOR = 3.0
"""A shard that takes this many times as long as the median one is a straggler."""
MAX_LISTED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveShard:
    """A shard that a worker processes."""

    shard: int
    worker: str
    host: str
    seconds: float
    """Time since the worker took it."""
    rows: int | None
    """Samples with a result so far; None if only the worker knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowShard:
    """A completed shard that took much longer than the others."""

    shard: int
    worker: str
    seconds: float
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardStatus(ResultTable):
    """What has been done in a sharded run, and what is left."""

    format: int = 1
    run: str
    shards: int
    done: int
    """Completed shards."""
    leased: int
    """Shards that a worker processes."""
    expired: int
    """Shards whose worker has stopped responding; others take them over."""
    open: int
    """Shards that no worker processes."""
    rows: int
    """Samples with a result."""
    total: int | None
    """Rows of the data, estimated while some shards are not completed; None before the first is."""
    answered: int
    """Answered samples of completed shards."""
    failed: int
    """Failed samples of completed shards."""
    attempts: int
    unused_lines: int
    """Lines that workers wrote in vain."""
    audio_seconds: float | None
    """Duration of the audio of completed shards; None if some durations are unknown."""
    cost: float | None
    currency: str | None
    rate: float | None
    """Samples per second of all workers, over the last ten minutes; None if no worker is active."""
    eta_seconds: float | None
    shard_seconds: float | None
    """Median time of a completed shard; None before some are."""
    active: tuple[ActiveShard, ...]
    """Shards that workers process, the longest first."""
    stragglers: tuple[int, ...]
    """Active shards that take much longer than completed ones did."""
    slow: tuple[SlowShard, ...]
    """Completed shards that took much longer than the median."""

    @property
    def complete(self) -> bool:
        return self.done == self.shards


class StatusReader:
    """Reads the state of a sharded run; each call reads only the completions that are new.

    Args:
        store: The run.
        count_active: Whether to read who processes the active shards, and how far they are. A progress display needs
            only the counts, which cost two lists of names.
    """

    def __init__(self, store: ShardStore, *, count_active: bool = True) -> None:
        self._store = store
        self._count_active = count_active
        self._read = array("L", bytes(store.plan.count * array("L").itemsize))
        self._completions: dict[int, _Counted] = {}
        self._followers: dict[tuple[int, int], JournalFollower] = {}

    @property
    def is_remote(self) -> bool:
        """Whether the run is in a bucket, where each list costs requests."""
        return self._store.folder is None

    def read(self, term: float) -> ShardStatus:
        """Return the current state.

        Args:
            term: Seconds since its last renewal up to which a lease is certainly valid.
        """
        states = self._store.read_states()
        self._read_completions(states)
        leased, expired, released = self._classify(states, term)
        active = sorted(self._describe_active(states, leased), key=lambda entry: -entry.seconds)
        begun = sum(self._count_rows(shard, states.epochs[shard]) or 0 for shard in (*expired, *released))
        return self._summarise(states, active, len(expired), begun)

    def _read_completions(self, states: ShardStates) -> None:
        for shard in range(self._store.plan.count):
            generation = states.generations[shard]
            if generation > self._read[shard]:
                self._read[shard] = generation
                completion = self._store.read_completion(shard, generation)
                self._completions[shard] = _Counted.from_completion(completion, states.completed_at[shard])
            if not self._store.is_done(states, shard):
                self._completions.pop(shard, None)

    def _classify(self, states: ShardStates, term: float) -> tuple[list[int], list[int], list[int]]:
        """Return the shards that are leased, those whose lease has expired, and those that were given back."""
        leased: list[int] = []
        expired: list[int] = []
        released: list[int] = []
        for shard in range(self._store.plan.count):
            if self._store.is_done(states, shard) or not states.epochs[shard]:
                continue
            if states.is_leased(shard, term):
                leased.append(shard)
            else:
                (released if states.is_released(shard) else expired).append(shard)
        return leased, expired, released

    def _describe_active(self, states: ShardStates, leased: list[int]) -> Iterator[ActiveShard]:
        for shard in leased:
            holder = None
            if self._count_active:
                with suppress(DataError):
                    holder = self._store.read_lease(states, shard)
            acquired_at = holder.acquired_at if holder and holder.acquired_at else states.renewed_at[shard]
            yield ActiveShard(
                shard=shard,
                worker=holder.worker if holder else "",
                host=holder.host if holder else "",
                seconds=max(0.0, states.now - acquired_at),
                rows=self._count_rows(shard, states.epochs[shard]),
            )

    def _count_rows(self, shard: int, epoch: int) -> int | None:
        """Count the results in the journal of a shard that is not completed, if the run is in a folder."""
        if self._store.folder is None:
            return None
        path: Path = self._store.folder / epoch_path(shard, epoch) / OUTPUTS_FILE
        follower = self._followers.setdefault((shard, epoch), JournalFollower(path))
        follower.update()
        return follower.done

    def _summarise(self, states: ShardStates, active: list[ActiveShard], expired: int, begun: int) -> ShardStatus:
        done = self._completions.values()
        rows_done = sum(entry.rows for entry in done)
        rows = rows_done + begun + sum(entry.rows or 0 for entry in active)
        usual = median(entry.seconds for entry in done) if len(done) >= MIN_FOR_MEDIAN else None
        total = round(rows_done * self._store.plan.count / len(done)) if done else None
        rate = _recent_rate(list(done), states.now) if active else None
        slow = self._list_slow(usual) if usual is not None else []
        costs = [entry.cost for entry in done if entry.cost is not None]
        audio = [entry.audio_seconds for entry in done]
        return ShardStatus(
            run=self._store.storage.url,
            shards=self._store.plan.count,
            done=len(done),
            leased=len(active),
            expired=expired,
            open=self._store.plan.count - len(done) - len(active) - expired,
            rows=rows,
            total=None if total is None else max(total, rows),
            answered=sum(entry.answered for entry in done),
            failed=sum(entry.failed for entry in done),
            attempts=sum(entry.attempts for entry in done),
            unused_lines=sum(entry.unused_lines for entry in done),
            audio_seconds=None if None in audio else sum(seconds or 0.0 for seconds in audio),
            cost=sum(costs) if costs else None,
            currency=next((entry.currency for entry in done if entry.currency), None),
            rate=rate,
            eta_seconds=(total - rows) / rate if rate and total is not None and total > rows else None,
            shard_seconds=usual,
            active=tuple(active),
            stragglers=tuple(
                entry.shard for entry in active if usual is not None and entry.seconds > STRAGGLER_FACTOR * usual
            ),
            slow=tuple(slow[:MAX_LISTED]),
        )

    def _list_slow(self, usual: float) -> list[SlowShard]:
        entries = [
            SlowShard(shard=shard, worker=entry.worker, seconds=entry.seconds, rows=entry.rows)
            for shard, entry in self._completions.items()
            if entry.seconds > STRAGGLER_FACTOR * usual
        ]
        return sorted(entries, key=lambda entry: -entry.seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted:
    """What is kept of a completion; its list of files is not."""

    completed_at: float
    rows: int
    answered: int
    failed: int
    attempts: int
    unused_lines: int
    seconds: float
    audio_seconds: float | None
    cost: float | None
    currency: str | None
    worker: str

    @classmethod
    def from_completion(cls, completion: Completion, completed_at: float) -> _Counted:
        return cls(
            completed_at=completed_at,
            rows=completion.rows,
            answered=completion.answered,
            failed=completion.failed,
            attempts=completion.attempts,
            unused_lines=completion.unused_lines,
            seconds=completion.wall_seconds,
            audio_seconds=completion.audio_seconds,
            cost=completion.cost,
            currency=completion.currency,
            worker=completion.worker,
        )


def _recent_rate(done: list[_Counted], now: float) -> float | None:
    """Return the samples per second of the shards that were completed lately."""
    recent = [entry for entry in done if now - entry.completed_at <= RATE_SECONDS]
    if not recent:
        return None
    began = min(entry.completed_at - entry.seconds for entry in recent)
    return sum(entry.rows for entry in recent) / max(1e-3, now - max(began, now - RATE_SECONDS))
