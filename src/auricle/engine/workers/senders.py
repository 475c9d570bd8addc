"""Several processes that send for one run, where one event loop is the limit.

The parent keeps data, order and journal; each child reads, encodes, posts and parses. A child
that dies costs what it had in flight another attempt, and is started again.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from typing import Any, cast

from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood, Output, Predict, Prediction, Request
from auricle.engine.workers.process import MAX_STARTS as MAX_STARTS
from auricle.engine.workers.process import WorkerProcess, earliest_time
from auricle.models import AsyncModel

SHARED_LIMITS = ("rpm", "tpm")  # limits of a whole run, divided among its senders


class SenderPool(AsyncModel):
    """One model in several processes; each request goes to the one with the least to do."""

    def __init__(
        self,
        model: str,
        arguments: Mapping[str, Any],
        processes: int,
        *,
        python: str = sys.executable,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        share = {
            name: value / processes if name in SHARED_LIMITS and isinstance(value, (int, float)) else value
            for name, value in arguments.items()
        }
        self._processes = [
            WorkerProcess(model, share, python=python, environment=environment) for _ in range(processes)
        ]

    async def _send(self, request: Request) -> Output:
        return await min(self._processes, key=lambda child: child.in_flight).send(request)

    async def generate(self, request: Generate) -> Generation:
        return cast(Generation, await self._send(request))

    async def loglikelihood(self, request: LogLikelihood) -> Likelihood:
        return cast(Likelihood, await self._send(request))

    async def predict(self, request: Predict) -> Prediction:
        return cast(Prediction, await self._send(request))

    @property
    def ready_at(self) -> float | None:
        return earliest_time(child.ready_at for child in self._processes)

    async def close(self) -> None:
        await asyncio.gather(*(child.close() for child in self._processes))
