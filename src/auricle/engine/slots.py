"""Slots of a model: where the requests of a sample are sent, directly or through a batcher."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from auricle.core.errors import AuricleError, describe, kind_of
from auricle.core.types import ABILITY_BY_REQUEST, Ability, Output, Request
from auricle.core.user_code import WATCH, AwaitedCall, UserCall, UserThread
from auricle.engine.batch_limits import BatchLimits
from auricle.engine.batching import Batcher, BatchSlot, BatchWorker, RunStopped, WorkerLost
from auricle.engine.retry import RetryingSender
from auricle.engine.settings import Settings
from auricle.models.base import AsyncModel, BatchModel, Model
from auricle.models.call_timer import CALL_TIMER, CallTimer

MAX_ABANDONED = 16
"""Calls of a model that never return, each in a thread of its own, after which the run ends."""


class DirectSlot:
    """Slot for an async model, shared by all samples: requests are sent immediately."""

    def __init__(self, model: AsyncModel, capacity: int = 1) -> None:
        self._model = model
        self._step = UserCall(name_model(model), is_announced=False)
        self.capacity = capacity
        self._is_stopping = False
        self._calls: dict[asyncio.Task[Any], CallTimer] = {}
        self._withdrawn: set[asyncio.Task[Any]] = set()
        """Tasks whose requests were cancelled because they had not been sent when the run was stopped."""

    def acquire_slot(self, subset: object = None) -> DirectSlot:
        return self

    async def send(self, request: Request) -> Output:
        if self._is_stopping:
            raise RunStopped
        task, timer = asyncio.current_task(), CALL_TIMER.get()
        if task and timer:
            self._calls[task] = timer
        try:
            ability = getattr(self._model, ABILITY_BY_REQUEST[type(request)])
            output: Output = await AwaitedCall(self._step, ability, request, has_limit=not self._model.limits_time)
        except asyncio.CancelledError as error:
            if task in self._withdrawn and task.uncancel() == 0:
                raise RunStopped from error
            raise
        finally:
            if task:
                self._calls.pop(task, None)
        return output

    def stop(self) -> None:
        """Let requests that were sent finish; withdraw those that wait for a rate limit or for a connection."""
        self._is_stopping = True
        for task, timer in self._calls.items():
            if timer.is_waiting:
                self._withdrawn.add(task)
                task.cancel()

    def release(self) -> None: ...
    def reacquire(self) -> None: ...
    def skip_sample(self) -> None: ...
    def close_window(self) -> None: ...

    async def close(self) -> None: ...


class ModelBatcher(Batcher):
    """Slots for a batch model."""

    def __init__(self, model: BatchModel, settings: Settings, *, windows: bool) -> None:
        self._model = model
        self._thread = UserThread("auricle-model")
        auto_grow = settings.batch_size == "auto"
        size = model.batch_size if not settings.batch_size or auto_grow else int(settings.batch_size)
        limits = BatchLimits(size, model.batch_seconds, model.sample_rate)
        workers: Sequence[BatchWorker] | None = getattr(model, "workers", None)  # of a pool of replicas
        workers = workers or [self._run_in_thread]
        super().__init__(workers, limits, auto_grow=auto_grow, windows=windows, keep_order=model.keeps_order)
        self.capacity = (len(workers) + 1) * self.window_size  # one window fills while others are processed

    async def _run_in_thread(self, ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        source = name_model(self._model)
        if self._thread.abandoned > MAX_ABANDONED:
            raise WorkerLost(
                f"{self._thread.abandoned} calls of {source} did not return in time, and still run. Completed samples "
                "are saved. Fix the cause, or raise the limit with --timeout, and run the same command again."
            )
        return await self._thread.run(source, getattr(self._model, ability), batch)

    async def close(self) -> None:
        await super().close()
        self._thread.close()


def name_model(model: Model) -> str:
    """Return how messages about a call name a model."""
    return f"the model {type(model).__name__}"


Slots: TypeAlias = DirectSlot | ModelBatcher
"""What hands out slots."""


def open_slots(model: Model, settings: Settings, *, windows: bool = True) -> Slots:
    """Return what hands out slots for a model.

    Args:
        model: Answers the requests.
        settings: Concurrency, or the batch size.
        windows: Whether batches depend only on the data. Otherwise a free worker takes the requests that wait.
    """
    if isinstance(model, AsyncModel):
        return DirectSlot(model, settings.concurrency)
    return ModelBatcher(model, settings, windows=windows)


async def send_all(model: Model, requests: Sequence[Request]) -> list[Output | BaseException]:
    """Send requests as a run would: in batches or concurrently, with decoding, retries and checks.

    Returns:
        The output of each request, or the error it failed with.
    """
    settings = Settings(max_attempts=3)
    slots = open_slots(model, settings)

    async def send(slot: DirectSlot | BatchSlot, request: Request) -> Output:
        try:
            return await RetryingSender(slot, settings)(request)
        finally:
            slot.release()

    try:
        acquired = [slots.acquire_slot() for _ in requests]
        slots.close_window()
        return await asyncio.gather(*map(send, acquired, requests), return_exceptions=True)
    finally:
        await slots.close()


async def close_model(model: Model) -> None:
    """Close a model, and wait for its worker processes to end."""
    is_own = type(model).__module__.startswith("auricle.")  # such as a pool, which limits the time itself
    call = UserCall(f"closing {name_model(model)}", math.inf if is_own else None)
    if isinstance(model, AsyncModel):
        await AwaitedCall(call, model.close)
        return
    with call:
        model.close()
    if aclose := getattr(model, "aclose", None):
        await aclose()


async def release_model(model: Model) -> None:
    """Close a model that is needed no longer; an error is stated, and does not concern what it has answered."""
    try:
        await close_model(model)
    except AuricleError as error:
        WATCH.notify(str(error))
    except Exception as error:  # noqa: BLE001 - a model may raise anything
        WATCH.notify(f"closing {name_model(model)} raised {kind_of(error)}: {describe(error)}")
