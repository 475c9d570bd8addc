"""Prepare requests and send them: as bytes over HTTP, one by one, or in batches."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, cast

from auricle.audio import Audio
from auricle.core.errors import SampleError
from auricle.core.serialization import dumps
from auricle.core.types import ABILITY_BY_REQUEST, Ability, Generate, Output, Part, Predict, Request, list_media
from auricle.engine.batching import BatchWorker, decode_request_audio
from auricle.models import AsyncModel, BatchModel, Model
from auricle.models.http.base import HttpModel
from auricle.models.http.timing import RequestTimer
from auricle.perf.body_store import BodyStore, StoredBody, digest_body


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """A request that needs no further work before it is sent."""

    request: Request
    digest: str
    stored_body: StoredBody | None = None
    audio_seconds: float | None = None
    """Length of its audio; None if it has none, or if a length is unknown."""

    @property
    def size(self) -> int | None:
        return self.stored_body.size if self.stored_body else None


class Driver(Protocol):
    """Prepares requests for a model and sends them."""

    @property
    def is_full(self) -> bool: ...
    def prepare(self, request: Request) -> PreparedRequest: ...
    async def send(self, prepared: PreparedRequest, timer: RequestTimer) -> Output: ...
    async def close(self) -> None: ...


def create_driver(model: Model, batch_size: int | None) -> Driver:
    if isinstance(model, HttpModel):
        model.disable_limits()
        return HttpDriver(model)
    if isinstance(model, AsyncModel):
        return AsyncDriver(model)
    return BatchDriver(model, batch_size or model.batch_size)


class AsyncDriver:
    """Driver of an asynchronous model whose requests cannot be encoded in advance."""

    is_full = False

    def __init__(self, model: AsyncModel) -> None:
        self._model = model

    def prepare(self, request: Request) -> PreparedRequest:
        return PreparedRequest(request, _digest_request(request), audio_seconds=measure_audio_seconds(request))

    async def send(self, prepared: PreparedRequest, timer: RequestTimer) -> Output:
        timer.start()
        method = getattr(self._model, ABILITY_BY_REQUEST[type(prepared.request)])
        output = cast(Output, await method(prepared.request))
        timer.stop()
        return output

    async def close(self) -> None:
        await self._model.close()


class HttpDriver:
    """Driver of an HTTP model; bodies are encoded before the clock starts."""

    def __init__(self, model: HttpModel) -> None:
        self._model = model
        self._body_store = BodyStore()
        self._async_driver = AsyncDriver(model)

    @property
    def is_full(self) -> bool:
        return self._body_store.is_full

    def prepare(self, request: Request) -> PreparedRequest:
        if not isinstance(request, Generate):
            return self._async_driver.prepare(request)
        body = self._body_store.put(self._model.prepare(request))
        return PreparedRequest(request, body.digest, body, measure_audio_seconds(request))

    async def send(self, prepared: PreparedRequest, timer: RequestTimer) -> Output:
        if prepared.stored_body is None:
            return await self._async_driver.send(prepared, timer)
        return await self._model.send_timed(self._body_store.get(prepared.stored_body), timer)

    async def close(self) -> None:
        self._body_store.close()
        await self._model.close()


QueuedRequest: TypeAlias = tuple[Request, RequestTimer, "asyncio.Future[Output]"]


class BatchDriver:
    """Driver of a batch model; a free worker takes the waiting requests, in order, as its next batch."""

    is_full = False

    def __init__(self, model: BatchModel, batch_size: int) -> None:
        self._model = model
        self._batch_size = batch_size
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="auricle-model")
        self._pending: deque[QueuedRequest] = deque()
        model_workers: Sequence[BatchWorker] | None = getattr(model, "workers", None)
        workers = model_workers or [self._call_in_thread]
        self._work_available = asyncio.Event()
        self._worker_tasks = [asyncio.create_task(self._run_batches(worker)) for worker in workers]

    def prepare(self, request: Request) -> PreparedRequest:
        rate = self._model.sample_rate
        decoded = decode_request_audio(request, rate) if rate else request
        return PreparedRequest(decoded, _digest_request(request), audio_seconds=measure_audio_seconds(request))

    async def send(self, prepared: PreparedRequest, timer: RequestTimer) -> Output:
        timer.start()
        result: asyncio.Future[Output] = asyncio.get_running_loop().create_future()
        self._pending.append((prepared.request, timer, result))
        self._work_available.set()
        return await result

    async def _run_batches(self, worker: BatchWorker) -> None:
        while True:
            while not self._pending:
                self._work_available.clear()
                await self._work_available.wait()
            batch = self._take_batch()
            if batch:
                await self._process_batch(worker, batch)

    def _take_batch(self) -> list[QueuedRequest]:
        """Take the request that has waited longest and the following ones of the same type, up to the batch size."""
        kind = type(self._pending[0][0])
        taken: list[QueuedRequest] = []
        while self._pending and len(taken) < self._batch_size and type(self._pending[0][0]) is kind:
            queued = self._pending.popleft()
            if not queued[2].done():  # it may have been cancelled
                taken.append(queued)
        return taken

    async def _process_batch(self, worker: BatchWorker, batch: Sequence[QueuedRequest]) -> None:
        try:
            outputs = await _run_batch(worker, [request for request, *_ in batch])
        except Exception as error:  # noqa: BLE001 - a model may raise anything; it fails its requests
            for *_, result in batch:
                if not result.done():
                    result.set_exception(error)
            return
        for (_, timer, result), output in zip(batch, outputs, strict=True):
            timer.stop()
            if not result.done():
                result.set_result(output)

    async def _call_in_thread(self, ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        loop = asyncio.get_running_loop()
        method: Any = getattr(self._model, ability)
        return cast(Sequence[Output], await loop.run_in_executor(self._executor, method, batch))

    async def close(self) -> None:
        for task in self._worker_tasks:
            task.cancel()
        await asyncio.gather(*self._worker_tasks, return_exceptions=True)
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._model.close()
        if aclose := getattr(self._model, "aclose", None):
            await aclose()


async def _run_batch(worker: BatchWorker, batch: Sequence[Request]) -> Sequence[Output]:
    outputs = await worker(ABILITY_BY_REQUEST[type(batch[0])], batch)
    if len(outputs) != len(batch):
        raise SampleError(f"the model returned {len(outputs)} outputs for {len(batch)} requests")
    return outputs


def measure_audio_seconds(request: Request) -> float | None:
    """Return the length of a request's audio; None if it has none, or if a length is unknown."""
    clips = [part for part in list_media(request) if isinstance(part, Audio)]
    try:
        return sum(clip.seconds for clip in clips) if clips else None
    except SampleError:
        return None


def _digest_request(request: Request) -> str:
    if isinstance(request, Predict):
        parts: list[Part] = [*request.inputs.values()]
    else:
        parts = [part for turn in request.turns for part in turn.parts]
    return digest_body(dumps([part if isinstance(part, str) else str(part) for part in parts]))
