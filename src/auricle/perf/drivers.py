"""How a request is made ready and sent: over a network as bytes, or into a batch."""

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
    """A request that can be sent without more ado."""

    request: Request
    digest: str
    stored_body: StoredBody | None = None
    audio_seconds: float | None = None
    """How long its sounds are; None where it has none, or one does not tell."""

    @property
    def size(self) -> int | None:
        return self.stored_body.size if self.stored_body else None


class Driver(Protocol):
    """Whoever makes requests ready, and sends them."""

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
    """A model that takes one request and many at once: nothing can be prepared for it."""

    is_full = False

    def __init__(self, model: AsyncModel) -> None:
        self._model = model

    def prepare(self, request: Request) -> PreparedRequest:
        return PreparedRequest(request, _digest_request(request), audio_seconds=measure_audio_seconds(request))

    async def send(self, prepared: PreparedRequest, timer: RequestTimer) -> Output:
        timer.start()
        answer = getattr(self._model, ABILITY_BY_REQUEST[type(prepared.request)])
        output = cast(Output, await answer(prepared.request))
        timer.stop()
        return output

    async def close(self) -> None:
        await self._model.close()


class HttpDriver:
    """A model behind an API: bodies are bytes before the clock starts."""

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
        place = self._body_store.put(self._model.prepare(request))
        return PreparedRequest(request, place.digest, place, measure_audio_seconds(request))

    async def send(self, prepared: PreparedRequest, timer: RequestTimer) -> Output:
        if prepared.stored_body is None:
            return await self._async_driver.send(prepared, timer)
        return await self._model.send_timed(self._body_store.get(prepared.stored_body), timer)

    async def close(self) -> None:
        self._body_store.close()
        await self._model.close()


QueuedRequest: TypeAlias = tuple[Request, RequestTimer, "asyncio.Future[Output]"]


class BatchDriver:
    """A batch model: whoever waits when a lane is free goes into its next batch, in order."""

    is_full = False

    def __init__(self, model: BatchModel, batch_size: int) -> None:
        self._model = model
        self._batch_size = batch_size
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="auricle-model")
        self._pending: deque[QueuedRequest] = deque()
        own: Sequence[BatchWorker] | None = getattr(model, "workers", None)
        self._lanes = own or [self._call_in_thread]
        self._work_available = asyncio.Event()
        self._workers = [asyncio.create_task(self._run_lane(lane)) for lane in self._lanes]

    def prepare(self, request: Request) -> PreparedRequest:
        rate = self._model.sample_rate
        whole = decode_request_audio(request, rate) if rate else request
        return PreparedRequest(whole, _digest_request(request), audio_seconds=measure_audio_seconds(request))

    async def send(self, prepared: PreparedRequest, timer: RequestTimer) -> Output:
        timer.start()
        answer: asyncio.Future[Output] = asyncio.get_running_loop().create_future()
        self._pending.append((prepared.request, timer, answer))
        self._work_available.set()
        return await answer

    async def _run_lane(self, lane: BatchWorker) -> None:
        while True:
            while not self._pending:
                self._work_available.clear()
                await self._work_available.wait()
            batch = self._take_batch()
            if batch:
                await self._process_batch(lane, batch)

    def _take_batch(self) -> list[QueuedRequest]:
        """The longest waiting, and as many of its kind behind it as make a batch."""
        kind = type(self._pending[0][0])
        taken: list[QueuedRequest] = []
        while self._pending and len(taken) < self._batch_size and type(self._pending[0][0]) is kind:
            each = self._pending.popleft()
            if not each[2].done():  # else it was given up meanwhile
                taken.append(each)
        return taken

    async def _process_batch(self, lane: BatchWorker, batch: Sequence[QueuedRequest]) -> None:
        try:
            outputs = await _run_batch(lane, [request for request, *_ in batch])
        except Exception as error:  # noqa: BLE001 - a model is anybody's code; its error is its answer
            for *_, answer in batch:
                if not answer.done():
                    answer.set_exception(error)
            return
        for (_, mark, answer), output in zip(batch, outputs, strict=True):
            mark.stop()
            if not answer.done():
                answer.set_result(output)

    async def _call_in_thread(self, ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        loop = asyncio.get_running_loop()
        call: Any = getattr(self._model, ability)
        return cast(Sequence[Output], await loop.run_in_executor(self._executor, call, batch))

    async def close(self) -> None:
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._model.close()
        if shut := getattr(self._model, "aclose", None):
            await shut()


async def _run_batch(lane: BatchWorker, batch: Sequence[Request]) -> Sequence[Output]:
    outputs = await lane(ABILITY_BY_REQUEST[type(batch[0])], batch)
    if len(outputs) != len(batch):
        raise SampleError(f"the model gave {len(outputs)} answers to {len(batch)} requests")
    return outputs


def measure_audio_seconds(request: Request) -> float | None:
    """How long the sounds of a request are; None where it has none, or one does not tell."""
    sounds = [part for part in list_media(request) if isinstance(part, Audio)]
    try:
        return sum(sound.seconds for sound in sounds) if sounds else None
    except SampleError:
        return None


def _digest_request(request: Request) -> str:
    if isinstance(request, Predict):
        parts: list[Part] = [*request.inputs.values()]
    else:
        parts = [part for turn in request.turns for part in turn.parts]
    return digest_body(dumps([part if isinstance(part, str) else str(part) for part in parts]))
