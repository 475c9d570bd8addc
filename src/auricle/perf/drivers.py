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
from auricle.core.types import ABILITY, Ability, Generate, Output, Part, Predict, Request, media
from auricle.engine.batching import Lane, loaded
from auricle.models import AsyncModel, BatchModel, Model
from auricle.models.http.client import HttpModel
from auricle.models.http.timing import Mark
from auricle.perf.body_store import Place, Spool, digest


@dataclass(frozen=True, slots=True)
class Ready:
    """A request that can be sent without more ado."""

    request: Request
    digest: str
    place: Place | None = None
    seconds: float | None = None
    """How long its sounds are; None where it has none, or one does not tell."""

    @property
    def size(self) -> int | None:
        return self.place.size if self.place else None


class Driver(Protocol):
    """Whoever makes requests ready, and sends them."""

    @property
    def full(self) -> bool: ...
    def ready(self, request: Request) -> Ready: ...
    async def fire(self, ready: Ready, mark: Mark) -> Output: ...
    async def close(self) -> None: ...


def driver(model: Model, batch_size: int | None) -> Driver:
    if isinstance(model, HttpModel):
        model.unbounded()
        return Wire(model)
    if isinstance(model, AsyncModel):
        return Direct(model)
    return Queue(model, batch_size or model.batch_size)


class Direct:
    """A model that takes one request and many at once: nothing can be prepared for it."""

    full = False

    def __init__(self, model: AsyncModel) -> None:
        self._model = model

    def ready(self, request: Request) -> Ready:
        return Ready(request, _digest(request), seconds=heard(request))

    async def fire(self, ready: Ready, mark: Mark) -> Output:
        mark.begin()
        answer = getattr(self._model, ABILITY[type(ready.request)])
        output = cast(Output, await answer(ready.request))
        mark.end()
        return output

    async def close(self) -> None:
        await self._model.close()


class Wire:
    """A model behind an API: bodies are bytes before the clock starts."""

    def __init__(self, model: HttpModel) -> None:
        self._model = model
        self._spool = Spool()
        self._direct = Direct(model)

    @property
    def full(self) -> bool:
        return self._spool.full

    def ready(self, request: Request) -> Ready:
        if not isinstance(request, Generate):
            return self._direct.ready(request)
        place = self._spool.put(self._model.prepare(request))
        return Ready(request, place.digest, place, heard(request))

    async def fire(self, ready: Ready, mark: Mark) -> Output:
        if ready.place is None:
            return await self._direct.fire(ready, mark)
        return await self._model.exchange(self._spool.get(ready.place), mark)

    async def close(self) -> None:
        self._spool.close()
        await self._model.close()


Waiting: TypeAlias = tuple[Request, Mark, "asyncio.Future[Output]"]


class Queue:
    """A batch model: whoever waits when a lane is free goes into its next batch, in order."""

    full = False

    def __init__(self, model: BatchModel, batch_size: int) -> None:
        self._model = model
        self._size = batch_size
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="auricle-model")
        self._waiting: deque[Waiting] = deque()
        own: Sequence[Lane] | None = getattr(model, "lanes", None)
        self._lanes = own or [self._in_thread]
        self._news = asyncio.Event()
        self._workers = [asyncio.create_task(self._work(lane)) for lane in self._lanes]

    def ready(self, request: Request) -> Ready:
        rate = self._model.sample_rate
        whole = loaded(request, rate) if rate else request
        return Ready(whole, _digest(request), seconds=heard(request))

    async def fire(self, ready: Ready, mark: Mark) -> Output:
        mark.begin()
        answer: asyncio.Future[Output] = asyncio.get_running_loop().create_future()
        self._waiting.append((ready.request, mark, answer))
        self._news.set()
        return await answer

    async def _work(self, lane: Lane) -> None:
        while True:
            while not self._waiting:
                self._news.clear()
                await self._news.wait()
            batch = self._next()
            if batch:
                await self._serve(lane, batch)

    def _next(self) -> list[Waiting]:
        """The longest waiting, and as many of its kind behind it as make a batch."""
        kind = type(self._waiting[0][0])
        taken: list[Waiting] = []
        while self._waiting and len(taken) < self._size and type(self._waiting[0][0]) is kind:
            each = self._waiting.popleft()
            if not each[2].done():  # else it was given up meanwhile
                taken.append(each)
        return taken

    async def _serve(self, lane: Lane, batch: Sequence[Waiting]) -> None:
        try:
            outputs = await _answers(lane, [request for request, *_ in batch])
        except Exception as error:  # noqa: BLE001 - handed to all who wait for this batch
            for *_, answer in batch:
                if not answer.done():
                    answer.set_exception(error)
            return
        for (_, mark, answer), output in zip(batch, outputs, strict=True):
            mark.end()
            if not answer.done():
                answer.set_result(output)

    async def _in_thread(self, ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        loop = asyncio.get_running_loop()
        call: Any = getattr(self._model, ability)
        return cast(Sequence[Output], await loop.run_in_executor(self._thread, call, batch))

    async def close(self) -> None:
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._model.close()
        if shut := getattr(self._model, "shut", None):
            await shut()


async def _answers(lane: Lane, batch: Sequence[Request]) -> Sequence[Output]:
    outputs = await lane(ABILITY[type(batch[0])], batch)
    if len(outputs) != len(batch):
        raise SampleError(f"the model gave {len(outputs)} answers to {len(batch)} requests")
    return outputs


def heard(request: Request) -> float | None:
    """How long the sounds of a request are; None where it has none, or one does not tell."""
    sounds = [part for part in media(request) if isinstance(part, Audio)]
    try:
        return sum(sound.seconds for sound in sounds) if sounds else None
    except SampleError:
        return None


def _digest(request: Request) -> str:
    if isinstance(request, Predict):
        parts: list[Part] = [*request.inputs.values()]
    else:
        parts = [part for turn in request.turns for part in turn.parts]
    return digest(dumps([part if isinstance(part, str) else str(part) for part in parts]))
