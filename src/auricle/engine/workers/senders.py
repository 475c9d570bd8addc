"""Several processes that send for one run, where one event loop is the limit.

The parent keeps data, order and journal; each child reads, encodes, posts and parses. A child
that dies costs what it had in flight another attempt, and is started again.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from typing import Any, cast

from auricle.core.types import (
    Generate,
    Generation,
    Likelihood,
    LogLikelihood,
    Output,
    Predict,
    Prediction,
    Request,
)
from auricle.engine.workers.process import MOST_STARTS as MOST_STARTS
from auricle.engine.workers.process import Child, earliest
from auricle.models import AsyncModel

SHARED = ("rpm", "tpm")  # limits of a whole run, divided among its senders


class Senders(AsyncModel):
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
            name: value / processes if name in SHARED and isinstance(value, (int, float)) else value
            for name, value in arguments.items()
        }
        self._children = [
            Child(model, share, python=python, environment=environment) for _ in range(processes)
        ]

    async def _ask(self, request: Request) -> Output:
        return await min(self._children, key=lambda child: child.load).ask(request)

    async def generate(self, request: Generate) -> Generation:
        return cast(Generation, await self._ask(request))

    async def loglikelihood(self, request: LogLikelihood) -> Likelihood:
        return cast(Likelihood, await self._ask(request))

    async def predict(self, request: Predict) -> Prediction:
        return cast(Prediction, await self._ask(request))

    @property
    def ready_at(self) -> float | None:
        return earliest(child.ready_at for child in self._children)

    async def close(self) -> None:
        await asyncio.gather(*(child.close() for child in self._children))
