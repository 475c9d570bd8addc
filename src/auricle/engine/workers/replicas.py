"""Run a batch model in several processes.

A process may run under another Python with its own packages, and see only one of several devices.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.types import Ability, Output, Request
from auricle.core.user_code import DEFAULT_TIMEOUT
from auricle.engine.workers.process import WorkerProcess, earliest_time
from auricle.models import BatchModel


@dataclass(frozen=True, slots=True)
class ReplicaOptions:
    """The Python, number, devices and timeout of replicas."""

    python: str = sys.executable
    replicas: int = 1
    devices: tuple[str, ...] = ()
    timeout: float = DEFAULT_TIMEOUT
    """Seconds a replica may spend on one batch before it is restarted."""
    environment: Mapping[str, str] = field(default_factory=dict)
    log_folder: Path | None = None
    """Folder for the logs of the replicas."""

    def replica_environments(self) -> list[dict[str, str]]:
        """Return the environment variables of each replica; devices are assigned in turn."""
        count = max(self.replicas, len(self.devices))
        if not self.devices:
            return [dict(self.environment) for _ in range(count)]
        return [
            {**self.environment, "CUDA_VISIBLE_DEVICES": self.devices[index % len(self.devices)]}
            for index in range(count)
        ]


class Replica:
    """A worker backed by one process."""

    def __init__(self, process: WorkerProcess) -> None:
        self.process = process

    async def __call__(self, _ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        return await self.process.send_batch(batch)


class ReplicaPool(BatchModel):
    """A batch model that runs in several processes.

    Args:
        model: Name of the model.
        arguments: Arguments of the model.
        model_class: Class of the model, which sets the size of its batches.
        options: Number, devices and timeout of the replicas.
    """

    def __init__(
        self, model: str, arguments: Mapping[str, Any], model_class: type[BatchModel], options: ReplicaOptions
    ) -> None:
        self.batch_size = model_class.batch_size
        self.batch_seconds = model_class.batch_seconds
        self.sample_rate = model_class.sample_rate
        self.keeps_order = model_class.keeps_order
        self.workers = [
            Replica(
                WorkerProcess(
                    model,
                    arguments,
                    python=options.python,
                    environment=environment,
                    log=options.log_folder / f"replica-{index}.log" if options.log_folder else None,
                    timeout=options.timeout,
                )
            )
            for index, environment in enumerate(options.replica_environments())
        ]

    @property
    def ready_at(self) -> float | None:
        return earliest_time(worker.process.ready_at for worker in self.workers)

    async def aclose(self) -> None:
        await asyncio.gather(*(worker.process.close() for worker in self.workers))
