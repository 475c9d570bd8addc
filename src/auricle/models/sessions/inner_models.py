"""Models that are parts of another model."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.types import Generate, Generation
from auricle.models.adapt import adapt
from auricle.models.base import AsyncModel, BatchModel, abilities


class InnerModel:
    """A model that writes or speaks answers, loaded by name.

    Args:
        name: A model as after `-m`.
        arguments: Its arguments.

    Raises:
        SpecError: if it does not generate answers.
    """

    def __init__(self, name: str, arguments: Mapping[str, Any] | None = None) -> None:
        from auricle.models.catalogue import MODELS

        model_class = adapt(MODELS.get(name))
        if "generate" not in abilities(model_class):
            raise SpecError(f"Model {name!r} cannot be part of a voice agent: it does not support text generation.")
        self._model = model_class(**(arguments or {}))
        # One thread: local weights answer one request after another.
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=name)

    async def generate(self, request: Generate) -> Generation:
        if isinstance(self._model, AsyncModel):
            return await self._model.generate(request)
        loop = asyncio.get_running_loop()
        (answer,) = await loop.run_in_executor(self._executor, self._model.generate, [request])
        return answer

    async def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)
        if isinstance(self._model, BatchModel):
            self._model.close()
        else:
            await self._model.close()
