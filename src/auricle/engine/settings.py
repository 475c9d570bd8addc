"""How to execute a run: concurrency, batches, retries, workers and the cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from auricle.core.audio_limit import DEFAULT_MAX_SECONDS
from auricle.core.types import Output, Request


@runtime_checkable
class Cache(Protocol):
    """A store of responses from earlier runs."""

    def get(self, request: Request) -> Output | None: ...
    def put(self, request: Request, output: Output) -> None: ...


LEAST_VALUES: dict[str, float] = {
    **dict.fromkeys(("concurrency", "batch_size", "limit", "max_attempts", "processes", "replicas"), 1),
    **dict.fromkeys(("initial_backoff", "gpus_per_replica", "batch_timeout", "max_audio"), 0),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """How to execute a run. No setting changes an answer; `max_audio` decides which samples are too long.

    >>> Settings(concurrency=8, max_attempts=3).batch_timeout
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
    initial_backoff: float = 0.25
    """Seconds before the second attempt; doubled for each further one."""
    retry_failed: bool = True
    """Whether resuming a run retries samples that failed before."""
    processes: int = 1
    """Number of sender processes (API models), for when one event loop is the bottleneck."""
    replicas: int = 1
    """Number of processes that each load the model (batch models)."""
    devices: tuple[str, ...] = ()
    """Devices assigned to the replicas in turn, as values of CUDA_VISIBLE_DEVICES."""
    backend: Literal["", "ray"] = ""
    ray_address: str = ""
    """Address of a Ray cluster. Default: start Ray locally."""
    gpus_per_replica: float = 0.0
    batch_timeout: float = 600.0
    """Seconds a replica may spend on one batch before it is restarted."""
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
