"""Keep a model loaded between runs, so that the parts of a suite and several tasks load it once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from auricle.core.closing import Closing
from auricle.engine.factory import Evaluation, deploy_model
from auricle.engine.settings import Settings
from auricle.engine.slots import release_model
from auricle.models import Model

T = TypeVar("T")


class KeptModel(Closing):
    """Loads a model at its first use, and keeps it with the event loop that its connections belong to until `close`.

    All evaluations that use it must name the same model with the same arguments and settings.
    """

    def __init__(self) -> None:
        self._model: Model | None = None
        self._runner: asyncio.Runner | None = None
        self._thread: ThreadPoolExecutor | None = None

    def load(self, evaluation: Evaluation, settings: Settings, run_path: Path) -> Model:
        """Return the model of an evaluation; see `deploy_model`."""
        if self._model is None:
            self._model = deploy_model(evaluation.model_class, evaluation.spec, settings, run_path)
        return self._model

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end, also where an event loop is already running, as in a notebook."""
        self._runner = self._runner or asyncio.Runner()
        if self._thread is None and _has_running_loop():
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="auricle-run")
        result: T = self._call(self._runner.run, coroutine)
        return result

    def close(self) -> None:
        """Close the model and wait for its worker processes to end."""
        model, self._model = self._model, None
        try:
            if model is not None:
                self.run(release_model(model))
        finally:
            if self._runner:
                self._call(self._runner.close)
            if self._thread:
                self._thread.shutdown()

    def _call(self, function: Callable[..., T], *arguments: Any) -> T:
        return self._thread.submit(function, *arguments).result() if self._thread else function(*arguments)


def _has_running_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
