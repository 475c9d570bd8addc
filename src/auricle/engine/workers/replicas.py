"""A batch model in several processes: each is a lane, and the batcher deals to them all.

A process may run under another Python, with packages of its own, or see one device of several.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import Transient
from auricle.core.types import Ability, Output, Request
from auricle.engine.workers.process import WorkerProcess, earliest_time
from auricle.models import BatchModel


@dataclass(frozen=True, slots=True)
class ReplicaOptions:
    """Where replicas run: under which Python, how many, which devices they see, how patient."""

    python: str = sys.executable
    replicas: int = 1
    devices: tuple[str, ...] = ()
    timeout: float = 600.0
    """Seconds a batch may take before its process is ended and another started."""
    environment: Mapping[str, str] = field(default_factory=dict)
    log_folder: Path | None = None
    """The folder in which what replicas say is kept."""

    def replica_environments(self) -> list[dict[str, str]]:
        """What each replica sees: its own device of those named, in turn."""
        count = max(self.replicas, len(self.devices))
        if not self.devices:
            return [dict(self.environment) for _ in range(count)]
        return [
            {**self.environment, "CUDA_VISIBLE_DEVICES": self.devices[at % len(self.devices)]} for at in range(count)
        ]


class Replica:
    """One process as a lane."""

    def __init__(self, process: WorkerProcess, timeout: float) -> None:
        self.process = process
        self._timeout = timeout

    async def __call__(self, _ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        try:
            return await asyncio.wait_for(self.process.send_batch(batch), self._timeout)
        except TimeoutError as error:
            await self.process.kill()
            raise Transient(
                f"a process of the model did not answer within {self._timeout:g} s and was ended"
            ) from error


class ReplicaPool(BatchModel):
    """One model several times over. What it can do and how large its batches are, `like` tells."""

    def __init__(
        self, model: str, arguments: Mapping[str, Any], model_class: type[BatchModel], options: ReplicaOptions
    ) -> None:
        self.batch_size = model_class.batch_size
        self.batch_seconds = model_class.batch_seconds
        self.sample_rate = model_class.sample_rate
        self.workers = [
            Replica(
                WorkerProcess(
                    model,
                    arguments,
                    python=options.python,
                    environment=environment,
                    log=options.log_folder / f"replica-{at}.log" if options.log_folder else None,
                ),
                options.timeout,
            )
            for at, environment in enumerate(options.replica_environments())
        ]

    @property
    def ready_at(self) -> float | None:
        return earliest_time(lane.process.ready_at for lane in self.workers)

    async def aclose(self) -> None:
        await asyncio.gather(*(lane.process.close() for lane in self.workers))
