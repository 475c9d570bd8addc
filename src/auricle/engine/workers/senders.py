"""Send the requests of one run from several processes, when one event loop is the bottleneck.

Data, order and journal stay with the parent; each process reads audio, encodes, sends and parses. If a
process crashes it is restarted, and its requests in flight are retried.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from typing import Any, cast

from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood, Output, Predict, Prediction, Request
from auricle.engine.workers.process import WorkerProcess, earliest_time
from auricle.models import AsyncModel

SHARED_LIMITS = ("rpm", "tpm")
"""Limits of the run that are divided among its processes."""


class SenderPool(AsyncModel):
    """An API model in several processes; each request goes to the least busy one."""

    limits_time = True  # in its process

    def __init__(
        self,
        model: str,
        arguments: Mapping[str, Any],
        processes: int,
        *,
        python: str = sys.executable,
        environment: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> None:
        share = {
            name: value / processes if name in SHARED_LIMITS and isinstance(value, (int, float)) else value
            for name, value in arguments.items()
        }
        self._processes = [
            WorkerProcess(model, share, python=python, environment=environment, timeout=timeout)
            for _ in range(processes)
        ]

    async def _send(self, request: Request) -> Output:
        return await min(self._processes, key=lambda process: process.in_flight).send(request)

    async def generate(self, request: Generate) -> Generation:
        return cast(Generation, await self._send(request))

    async def loglikelihood(self, request: LogLikelihood) -> Likelihood:
        return cast(Likelihood, await self._send(request))

    async def predict(self, request: Predict) -> Prediction:
        return cast(Prediction, await self._send(request))

    @property
    def ready_at(self) -> float | None:
        return earliest_time(process.ready_at for process in self._processes)

    async def close(self) -> None:
        await asyncio.gather(*(process.close() for process in self._processes))
