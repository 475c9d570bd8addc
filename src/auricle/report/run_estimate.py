"""Estimate what a run takes: time for a number of workers, cost, shards and requests to the store."""

from __future__ import annotations

from dataclasses import dataclass

SHARD_SECONDS = 0.15
"""Time per shard besides its samples: lease, files, scoring and completion, in a folder."""
REMOTE_SHARD_SECONDS = 1.0
"""The same in a bucket, where each file is a request or two."""
REQUESTS_PER_SHARD = 14
"""Writes of a shard in a bucket: lease, release, completion, pieces of journals and the other files."""
RENEWALS_PER_TERM = 3
PIECE_SECONDS = 30.0
"""Seconds after which what was appended to a journal is uploaded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What a run consists of."""

    samples: int
    is_exact: bool
    """Whether the number of samples is known, not estimated from the size of the data."""
    requests: float
    audio_seconds: float | None
    """Duration of all audio; None if it is unknown."""
    shards: int | None
    """None for a run without shards."""
    cost: float | None = None
    currency: str | None = None
    cost_notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """How fast one worker is."""

    samples_per_second: float
    startup_seconds: float = 0.0
    """Time until the model is loaded."""
    source: str = ""
    """Where this is from: measured, or which option."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEstimate:
    """What a run takes with a number of workers."""

    workers: int
    seconds: float
    """Wall time from the start of the workers until the last has ended."""
    worker_seconds: float
    """Time of all workers together: what machines are paid for."""
    shard_seconds: float | None
    """Time of a shard, which is what a lost machine costs at most with a shared folder."""
    store_requests: int | None
    """Writes to the bucket; None for a folder."""


def estimate_run_time(
    workload: Workload, speed: Speed, workers: int, *, is_remote: bool = False, lease_seconds: float = 60.0
) -> RunEstimate:
    """Estimate the time of a run.

    Each worker starts, processes its share of the samples, and waits for the last shard, half of one on average.

    Args:
        workload: What the run consists of.
        speed: How fast one worker is.
        workers: Number of workers; each has cores or a GPU of its own.
        is_remote: Whether the run is in a bucket.
        lease_seconds: Term of leases.

    Example:
        >>> workload = Workload(samples=36_000, is_exact=True, requests=36_000, audio_seconds=None, shards=36)
        >>> round(estimate_run_time(workload, Speed(samples_per_second=10), 4).seconds)
        951
    """
    work = workload.samples / speed.samples_per_second
    if workload.shards is None:
        seconds = speed.startup_seconds + work
        return RunEstimate(workers=1, seconds=seconds, worker_seconds=seconds, shard_seconds=None, store_requests=None)
    overhead = REMOTE_SHARD_SECONDS if is_remote else SHARD_SECONDS
    shard_seconds = work / workload.shards + overhead
    busy = min(workers, workload.shards)
    tail = shard_seconds / 2 if busy > 1 else 0.0
    seconds = speed.startup_seconds + shard_seconds * workload.shards / busy + tail
    return RunEstimate(
        workers=workers,
        seconds=seconds,
        worker_seconds=seconds * workers,
        shard_seconds=shard_seconds,
        store_requests=_count_requests(workload.shards, shard_seconds, lease_seconds) if is_remote else None,
    )


def _count_requests(shards: int, shard_seconds: float, lease_seconds: float) -> int:
    renewals = shard_seconds * RENEWALS_PER_TERM / lease_seconds
    return round(shards * (REQUESTS_PER_SHARD + renewals + shard_seconds / PIECE_SECONDS))
