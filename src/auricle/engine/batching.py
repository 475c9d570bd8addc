"""Many awaiting callers, one list at a time.

A *lane* takes a list of requests of one kind and returns as many outputs: a local
model in a thread is one lane, a Ray actor is another. More lanes, more machines;
nothing above this module can tell.

Callers sit in *windows*, a fixed number of samples in data order. When every caller of a
window that is not finished waits for an answer, what they ask is sorted by length and cut
into batches, longest first. So a batch depends on the data and not on timing, little is
padded, and a batch too large for memory shows at the start. While lanes work on one window
the next fills, and other threads decode its first batches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from auricle.audio import Audio
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import ABILITY, Ability, Generate, Output, Part, Predict, Request
from auricle.engine.batch_limits import AUTO_MOST, Limits, Sizes, out_of_memory

Lane: TypeAlias = Callable[[Ability, Sequence[Request]], Awaitable[Sequence[Output]]]

LOOKAHEAD = 8
"""Batches a lane has in each window; sorting more of them saves little more padding."""
TEXT_RATE = 100.0
"""Characters that weigh as much as a second of sound, where there is no sound."""


class Gone(SpecError):
    """A lane has ended for good. Others take its work; the last one's end is the run's."""


class Stopped(Exception):
    """The run is being stopped: nothing is wrong with the request, it was not sent."""


@dataclass(slots=True, eq=False)
class Waiting:
    """A request, its length, the seat that asked, and the answer it awaits."""

    request: Request
    length: float
    answer: asyncio.Future[Output]
    seat: Seat


@dataclass(slots=True, eq=False)
class Window:
    """Samples that are batched together."""

    seats: int = 0
    quiet: int = 0
    """Seats that can do nothing but wait for this window to be cut."""
    full: bool = False
    waiting: list[Waiting] = field(default_factory=list)

    @property
    def ready(self) -> bool:
        return self.full and bool(self.waiting) and self.quiet == self.seats


class Batcher:
    """Seats samples in windows, cuts their requests into batches and deals these to lanes."""

    def __init__(self, lanes: Sequence[Lane], limits: Limits, *, growing: bool = False) -> None:
        self.sizes = Sizes(limits, growing=growing)
        self.window_size = (AUTO_MOST if growing else LOOKAHEAD * limits.size) * len(lanes)
        self._window = Window()
        self._loop = asyncio.get_running_loop()
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="auricle-decode")
        self._cut: asyncio.Queue[list[Waiting]] = asyncio.Queue()
        self._decoded: asyncio.Queue[list[Waiting]] = asyncio.Queue(maxsize=len(lanes))
        self._stopping = False
        self._living = len(lanes)
        self._workers = [
            asyncio.create_task(self._decode()),
            *(asyncio.create_task(self._work(lane)) for lane in lanes),
        ]

    def seat(self) -> Seat:
        """A place for the next sample, in data order."""
        window = self._window
        window.seats += 1
        if window.seats == self.window_size:
            self.seal()
        return Seat(self, window)

    def seal(self) -> None:
        """No more samples come for now: what is seated is a window, however small."""
        window, self._window = self._window, Window()
        window.full = True
        self.settle(window)

    def settle(self, window: Window) -> None:
        """Cut the window if all its callers wait, once whoever asks in this tick has asked."""
        if window.ready:
            self._loop.call_soon(self._cut_window, window)

    def stop(self) -> None:
        """Let what is running finish and turn everyone else away."""
        self._stopping = True

    @property
    def stopping(self) -> bool:
        return self._stopping

    def promise(self) -> asyncio.Future[Output]:
        return self._loop.create_future()

    async def seconds(self, sounds: Sequence[Audio]) -> float:
        """How long sounds last together; their headers are read in another thread."""
        return await self._loop.run_in_executor(self._threads, total_seconds, sounds)

    async def close(self) -> None:
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _cut_window(self, window: Window) -> None:
        if not window.ready:  # cut already, or somebody asked for more meanwhile
            return
        waiting, window.waiting = window.waiting, []
        for each in waiting:
            each.seat.sent()
        for kind in dict.fromkeys(type(each.request) for each in waiting):
            self._cut.put_nowait(by_length([w for w in waiting if type(w.request) is kind]))

    async def _decode(self) -> None:
        """Keep as many decoded batches ready as there are lanes, and no more."""
        while True:
            group = await self._cut.get()
            while group:
                # Cut as late as can be: by now the limits may be others.
                size = first(group, self.sizes.limits)
                batch, group = group[:size], group[size:]
                if (rate := self.sizes.limits.sample_rate) and not self._stopping:
                    batch = await self._load(batch, rate)
                if batch:
                    await self._decoded.put(batch)

    async def _load(self, batch: list[Waiting], rate: int) -> list[Waiting]:
        """The batch with its sounds in memory, without those that cannot be decoded."""
        loads = (
            self._loop.run_in_executor(self._threads, loaded, each.request, rate) for each in batch
        )
        requests = await asyncio.gather(*loads, return_exceptions=True)
        whole: list[Waiting] = []
        for each, request in zip(batch, requests, strict=True):
            if isinstance(request, BaseException):
                fail(each, request)
            else:
                whole.append(replace(each, request=request))
        return whole

    async def _work(self, lane: Lane) -> None:
        while True:
            batch = await self._decoded.get()
            if self._stopping:
                for each in batch:
                    fail(each, Stopped())
                continue
            try:
                for part in cut(batch, self.sizes.limits):  # they may have shrunk meanwhile
                    await self._serve(lane, part)
            except Gone as gone:
                self._living -= 1
                self._hand_on([each for each in batch if not each.answer.done()], gone)
                return

    def _hand_on(self, batch: list[Waiting], gone: Gone) -> None:
        """Another lane takes what this one leaves; if there is none, that is the end."""
        if self._living:
            self._cut.put_nowait(batch)
            return
        for each in batch:
            fail(each, gone)

    async def _serve(self, lane: Lane, batch: Sequence[Waiting]) -> None:
        """Answer a batch. If it fails, halve it until the bad request stands alone."""
        try:
            outputs = await _answers(lane, ABILITY[type(batch[0].request)], batch)
        except Gone:
            raise
        except Exception as error:  # noqa: BLE001 - handed to whoever awaits the answer
            if len(batch) == 1:
                fail(batch[0], error)
                return
            if out_of_memory(error):
                self.sizes.too_large(len(batch), len(batch) * batch[0].length)
            half = len(batch) // 2
            await self._serve(lane, batch[:half])
            await self._serve(lane, batch[half:])
            return
        self.sizes.answered(len(batch))
        for each, output in zip(batch, outputs, strict=True):
            if not each.answer.done():
                each.answer.set_result(output)


class Seat:
    """One sample's place in a window; asking is all its holder does with it."""

    __slots__ = ("_batcher", "_open", "_queued", "_quiet", "_window")

    def __init__(self, batcher: Batcher, window: Window) -> None:
        self._batcher = batcher
        self._window = window
        self._open = self._queued = 0  # requests without an answer; of these, not yet in a batch
        self._quiet = False

    async def ask(self, request: Request) -> Output:
        if self._batcher.stopping:
            raise Stopped
        self._open += 1
        try:
            sounds, length = weigh(request)
            if sounds:
                length = await self._batcher.seconds(sounds)
            answer = self._batcher.promise()
            self._window.waiting.append(Waiting(request, length, answer, self))
            self._queued += 1
            self._note()
            return await answer
        finally:
            self._open -= 1
            self._note()

    def sent(self) -> None:
        """One of this seat's requests went into a batch."""
        self._queued -= 1
        self._note()

    def leave(self) -> None:
        """The sample is finished, or away for a while: the window does not wait for it."""
        self._window.seats -= 1
        self._batcher.settle(self._window)

    def back(self) -> None:
        """The sample returns after being away."""
        self._window.seats += 1

    def _note(self) -> None:
        quiet = 0 < self._queued == self._open
        if quiet is not self._quiet:
            self._window.quiet += 1 if quiet else -1
            self._quiet = quiet
        if quiet:
            self._batcher.settle(self._window)


def by_length(waiting: Sequence[Waiting]) -> list[Waiting]:
    return sorted(waiting, key=lambda each: -each.length)


def first(group: Sequence[Waiting], limits: Limits) -> int:
    """How many of a group, longest first, are one batch within the limits once padded."""
    size = min(limits.size, len(group))
    if limits.seconds is not None and group[0].length > 0:
        size = min(size, int(limits.seconds / group[0].length))
    return max(1, size)


def cut(waiting: Sequence[Waiting], limits: Limits) -> Iterator[list[Waiting]]:
    """Batches in order of length, longest first, each within the limits once padded."""
    group = by_length(waiting)
    while group:
        size = first(group, limits)
        yield group[:size]
        group = group[size:]


async def _answers(lane: Lane, ability: Ability, batch: Sequence[Waiting]) -> Sequence[Output]:
    outputs = await lane(ability, [each.request for each in batch])
    if len(outputs) != len(batch):
        raise SampleError(f"the model gave {len(outputs)} answers to {len(batch)} requests")
    return outputs


def fail(waiting: Waiting, error: BaseException) -> None:
    if not waiting.answer.done():
        waiting.answer.set_exception(error)


def total_seconds(sounds: Sequence[Audio]) -> float:
    return sum(sound.seconds for sound in sounds)


def weigh(request: Request) -> tuple[list[Audio], float]:
    """The sounds of a request, and what its words weigh in seconds."""
    if isinstance(request, Predict):
        parts: list[Part] = list(request.inputs.values())
    else:
        parts = [part for turn in request.turns for part in turn.parts]
    sounds: list[Audio] = []
    letters = 0
    for part in parts:
        if isinstance(part, str):
            letters += len(part)
        elif isinstance(part, Audio):
            sounds.append(part)
    return sounds, letters / TEXT_RATE


def loaded(request: Request, rate: int) -> Request:
    """The same request with its sounds decoded."""
    if isinstance(request, Predict):
        return replace(request, inputs={n: _load(p, rate) for n, p in request.inputs.items()})
    turns = tuple(
        replace(turn, parts=tuple(_load(part, rate) for part in turn.parts))
        for turn in request.turns
    )
    if isinstance(request, Generate):
        return replace(request, turns=turns)
    return replace(request, turns=turns)


def _load(part: Part, rate: int) -> Part:
    return part.loaded(rate) if isinstance(part, Audio) else part
