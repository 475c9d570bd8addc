"""How to execute a run: concurrency, batches, retries, workers and the cache."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from auricle.core.audio_limit import DEFAULT_MAX_SECONDS
from auricle.core.types import Output, Request
from auricle.core.user_code import DEFAULT_TIMEOUT


@runtime_checkable
class Cache(Protocol):
    """A store of responses from earlier runs."""

    def get(self, request: Request) -> Output | None: ...
    def put(self, request: Request, output: Output) -> None: ...


LEAST_VALUES: dict[str, float] = {
    **dict.fromkeys(("concurrency", "batch_size", "limit", "max_attempts", "processes", "replicas"), 1),
    **dict.fromkeys(("shards", "workers", "lease"), 1),
    **dict.fromkeys(("retry_dropped", "initial_backoff", "gpus_per_replica", "timeout", "max_audio"), 0),
}
DEFAULT_LEASE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Settings:
    """How to execute a run. No setting changes an answer; `max_audio` decides which samples are too long.

    Examples:
        >>> Settings(concurrency=8, max_attempts=3).timeout
        600.0
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = {"arbitrary_types_allowed": True, "extra": "forbid"}

    concurrency: int = 64
    """Maximum samples in flight (API models)."""
    batch_size: int | Literal["auto"] | None = None
    """Maximum requests per batch. Default: set by the model. `auto` grows the batch until memory is half full."""
    limit: int | None = None
    """Evaluate only the first rows of the data."""
    max_attempts: int = 6
    """Attempts per request, the first one included."""
    initial_backoff: float = 0.25
    """Seconds before the second attempt; doubled for each further one."""
    retry_dropped: int = 0
    """How often a call is called again that the agent dropped. A dropped call is its answer, and is otherwise kept."""
    retry_failed: bool = True
    """Whether resuming a run retries samples that failed before."""
    processes: int = 1
    """Number of sender processes (API models), for when one event loop is the bottleneck."""
    replicas: int = 1
    """Number of processes that each load the model (batch models)."""
    devices: tuple[str, ...] = ()
    """Devices assigned to the replicas in turn, as values of CUDA_VISIBLE_DEVICES."""
    backend: Literal["", "ray", "slurm"] = ""
    """What executes replicas or, with `shards`, workers: processes of this machine, Ray, or Slurm (workers only)."""
    ray_address: str = ""
    """Address of a Ray cluster. Default: start Ray locally."""
    gpus_per_replica: float = 0.0
    """GPUs that Ray reserves for a replica."""
    wait: bool = False
    """Whether to wait for GPUs that a Ray cluster does not have yet, instead of refusing."""
    shards: int | Literal["auto"] | None = None
    """About how many shards to divide the data into, for workers that process them independently. Default: none."""
    workers: int = 1
    """Number of workers of a sharded run; 1 without a backend is this process."""
    shard: str = ""
    """`i/n` to process only the shards whose number leaves the remainder `i` when it is divided by `n`."""
    lease: float = DEFAULT_LEASE_SECONDS
    """Seconds after which others take over the shard of a worker that has stopped responding."""
    slurm: dict[str, Any] = field(default_factory=dict)
    """Parameters of Slurm jobs, such as `partition`."""
    timeout: float = DEFAULT_TIMEOUT
    """Seconds that a call of a model, a metric or other code of the user may take. Then the samples of the call fail,
    and a replica is restarted. Models behind an API limit their requests themselves (`timeout` of the model)."""
    max_audio: float = DEFAULT_MAX_SECONDS
    """Longest sound in seconds, or part of a sound, that is decoded; samples with a longer one fail."""
    stream: bool | None = None
    """Whether to request streamed answers (API models). Default: set by the model."""
    cache: Cache | None = None
    """Responses of earlier runs, looked up before the model is called."""

    def __post_init__(self) -> None:
        for name, least in LEAST_VALUES.items():
            value = getattr(self, name)
            if isinstance(value, (int, float)) and value < least:
                raise ValueError(f"{name}: {value} is too small; the least value is {least}")
        if isinstance(self.shards, str) and self.shards != "auto":
            raise ValueError(f"shards: {self.shards!r} is not a number, or 'auto'")
        parse_shard_filter(self.shard)

    def for_worker(self) -> Settings:
        """Return the settings with which a worker of a sharded run processes a shard."""
        return replace(
            self, backend="", devices=(), shards=None, workers=1, shard="", slurm={}, wait=False, ray_address=""
        )


def parse_shard_filter(text: str) -> tuple[int, int] | None:
    """Parse the remainder and the divisor of shard numbers; None for an empty text.

    Raises:
        ValueError: if it is not `i/n` with 0 ≤ i < n.

    >>> parse_shard_filter("3/100")
    (3, 100)
    """
    if not text:
        return None
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if not match or not int(match[1]) < int(match[2]):
        raise ValueError(f"shard: {text!r} is not i/n with i from 0 to n - 1, such as 0/8")
    return int(match[1]), int(match[2])
