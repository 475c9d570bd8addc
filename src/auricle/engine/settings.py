"""How to execute a run: concurrency, batches, retries, workers and the cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Protocol, runtime_checkable

from pydantic import BeforeValidator, ConfigDict, Field

from auricle.core.types import Output, Request


@runtime_checkable
class Cache(Protocol):
    """A store of responses from earlier runs."""

    def get(self, request: Request) -> Output | None: ...
    def put(self, request: Request, output: Output) -> None: ...


Count = Annotated[int, Field(ge=1)]
NonNegative = Annotated[float, Field(ge=0)]


def _split_devices(value: Any) -> Any:
    """Accept devices as on the command line, separated by commas, and as numbers."""
    if isinstance(value, (str, int)):
        return tuple(device for part in str(value).split(",") if (device := part.strip()))
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else value


@dataclass(frozen=True, slots=True)
class Settings:
    """How to execute a run. No setting changes an answer.

    >>> Settings(concurrency=8, max_attempts=3).batch_timeout
    600.0
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    concurrency: Count = 64
    """Maximum samples in flight (API models)."""
    batch_size: Count | Literal["auto"] | None = None
    """Maximum requests per batch. Default: set by the model. `auto` grows the batch until memory is half full."""
    limit: Count | None = None
    """Evaluate only the first rows of the data."""
    max_attempts: Count = 6
    initial_backoff: NonNegative = 0.25
    """Seconds before the second attempt; doubled for each further one."""
    retry_failed: bool = True
    """Whether resuming a run retries samples that failed before."""
    processes: Count = 1
    """Number of sender processes (API models), for when one event loop is the bottleneck."""
    replicas: Count = 1
    """Number of processes that each load the model (batch models)."""
    devices: Annotated[tuple[str, ...], BeforeValidator(_split_devices)] = ()
    """Devices assigned to the replicas in turn, as values of CUDA_VISIBLE_DEVICES."""
    backend: Literal["", "ray"] = ""
    ray_address: str = ""
    """Address of a Ray cluster. Default: start Ray locally."""
    gpus_per_replica: NonNegative = 0.0
    batch_timeout: NonNegative = 600.0
    """Seconds a replica may spend on one batch before it is restarted."""
    stream: bool | None = None
    """Whether to request streamed answers (API models). Default: set by the model."""
    cache: Cache | None = None
    """Responses of earlier runs, looked up before the model is called."""
