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
from auricle.core.types import ABILITY_BY_REQUEST, Ability, Generate, Output, Part, Predict, Request
from auricle.engine.batch_limits import MAX_AUTO_BATCH_SIZE, AdaptiveBatchLimits, BatchLimits, is_out_of_memory

BatchWorker: TypeAlias = Callable[[Ability, Sequence[Request]], Awaitable[Sequence[Output]]]

BATCHES_PER_WINDOW = 8
"""Batches a lane has in each window; sorting more of them saves little more padding."""
CHARACTERS_PER_SECOND = 100.0
"""Characters that weigh as much as a second of sound, where there is no sound."""


class WorkerLost(SpecError):
    """A lane has ended for good. Others take its work; the last one's end is the run's."""


class RunStopped(Exception):
    """The run is being stopped: nothing is wrong with the request, it was not sent."""


@dataclass(slots=True, eq=False)
class PendingRequest:
    """A request, its length, the seat that asked, and the answer it awaits."""

    request: Request
    length: float
    future: asyncio.Future[Output]
    slot: BatchSlot


@dataclass(slots=True, eq=False)
class Window:
    """Samples that are batched together."""

    slots: int = 0
    blocked_slots: int = 0
    """Seats that can do nothing but wait for this window to be cut."""
    is_full: bool = False
    pending: list[PendingRequest] = field(default_factory=list)

    @property
    def is_ready(self) -> bool:
        return self.is_full and bool(self.pending) and self.blocked_slots == self.slots


class Batcher:
    """Seats samples in windows, cuts their requests into batches and deals these to lanes."""

    def __init__(self, workers: Sequence[BatchWorker], limits: BatchLimits, *, auto_grow: bool = False) -> None:
        self.adaptive_limits = AdaptiveBatchLimits(limits, auto_grow=auto_grow)
        self.window_size = (MAX_AUTO_BATCH_SIZE if auto_grow else BATCHES_PER_WINDOW * limits.size) * len(workers)
        self._window = Window()
        self._loop = asyncio.get_running_loop()
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="auricle-decode")
        self._cut_groups: asyncio.Queue[list[PendingRequest]] = asyncio.Queue()
        self._decoded_batches: asyncio.Queue[list[PendingRequest]] = asyncio.Queue(maxsize=len(workers))
        self._is_stopping = False
        self._live_workers = len(workers)
        self._tasks = [
            asyncio.create_task(self._decode_loop()),
            *(asyncio.create_task(self._worker_loop(lane)) for lane in workers),
        ]

    def acquire_slot(self) -> BatchSlot:
        """A place for the next sample, in data order."""
        window = self._window
        window.slots += 1
        if window.slots == self.window_size:
            self.close_window()
        return BatchSlot(self, window)

    def close_window(self) -> None:
        """No more samples come for now: what is seated is a window, however small."""
        window, self._window = self._window, Window()
        window.is_full = True
        self.cut_if_ready(window)

    def cut_if_ready(self, window: Window) -> None:
        """Cut the window if all its callers wait, once whoever asks in this tick has asked."""
        if window.is_ready:
            self._loop.call_soon(self._cut_window, window)

    def stop(self) -> None:
        """Let what is running finish and turn everyone else away."""
        self._is_stopping = True

    @property
    def is_stopping(self) -> bool:
        return self._is_stopping

    def create_future(self) -> asyncio.Future[Output]:
        return self._loop.create_future()

    async def measure_seconds(self, sounds: Sequence[Audio]) -> float:
        """How long sounds last together; their headers are read in another thread."""
        return await self._loop.run_in_executor(self._threads, total_seconds, sounds)

    async def close(self) -> None:
        for worker in self._tasks:
            worker.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _cut_window(self, window: Window) -> None:
        if not window.is_ready:  # cut already, or somebody asked for more meanwhile
            return
        waiting, window.pending = window.pending, []
        for each in waiting:
            each.slot.mark_batched()
        for kind in dict.fromkeys(type(each.request) for each in waiting):
            self._cut_groups.put_nowait(sort_by_length([w for w in waiting if type(w.request) is kind]))

    async def _decode_loop(self) -> None:
        """Keep as many decoded batches ready as there are lanes, and no more."""
        while True:
            group = await self._cut_groups.get()
            while group:
                # Cut as late as can be: by now the limits may be others.
                size = first_batch_size(group, self.adaptive_limits.limits)
                batch, group = group[:size], group[size:]
                if (rate := self.adaptive_limits.limits.sample_rate) and not self._is_stopping:
                    batch = await self._decode_batch(batch, rate)
                if batch:
                    await self._decoded_batches.put(batch)

    async def _decode_batch(self, batch: list[PendingRequest], sample_rate: int) -> list[PendingRequest]:
        """The batch with its sounds in memory, without those that cannot be decoded."""
        loads = (
            self._loop.run_in_executor(self._threads, decode_request_audio, each.request, sample_rate) for each in batch
        )
        requests = await asyncio.gather(*loads, return_exceptions=True)
        whole: list[PendingRequest] = []
        for each, request in zip(batch, requests, strict=True):
            if isinstance(request, BaseException):
                set_error(each, request)
            else:
                whole.append(replace(each, request=request))
        return whole

    async def _worker_loop(self, worker: BatchWorker) -> None:
        while True:
            batch = await self._decoded_batches.get()
            if self._is_stopping:
                for each in batch:
                    set_error(each, RunStopped())
                continue
            try:
                for part in split_into_batches(batch, self.adaptive_limits.limits):  # they may have shrunk meanwhile
                    await self._run_batch(worker, part)
            except WorkerLost as gone:
                self._live_workers -= 1
                self._reassign([each for each in batch if not each.future.done()], gone)
                return

    def _reassign(self, batch: list[PendingRequest], error: WorkerLost) -> None:
        """Another lane takes what this one leaves; if there is none, that is the end."""
        if self._live_workers:
            self._cut_groups.put_nowait(batch)
            return
        for each in batch:
            set_error(each, error)

    async def _run_batch(self, worker: BatchWorker, batch: Sequence[PendingRequest]) -> None:
        """Answer a batch. If it fails, halve it until the bad request stands alone."""
        try:
            outputs = await _call_worker(worker, ABILITY_BY_REQUEST[type(batch[0].request)], batch)
        except WorkerLost:
            raise
        except Exception as error:  # noqa: BLE001 - a model is anybody's code; its error is its answer
            if len(batch) == 1:
                set_error(batch[0], error)
                return
            if is_out_of_memory(error):
                self.adaptive_limits.record_out_of_memory(len(batch), len(batch) * batch[0].length)
            half = len(batch) // 2
            await self._run_batch(worker, batch[:half])
            await self._run_batch(worker, batch[half:])
            return
        self.adaptive_limits.record_success(len(batch))
        for each, output in zip(batch, outputs, strict=True):
            if not each.future.done():
                each.future.set_result(output)


class BatchSlot:
    """One sample's place in a window; asking is all its holder does with it."""

    __slots__ = ("_batcher", "_is_blocked", "_unanswered", "_unbatched", "_window")

    def __init__(self, batcher: Batcher, window: Window) -> None:
        self._batcher = batcher
        self._window = window
        self._unanswered = self._unbatched = 0  # requests without an answer; of these, not yet in a batch
        self._is_blocked = False

    async def send(self, request: Request) -> Output:
        if self._batcher.is_stopping:
            raise RunStopped
        self._unanswered += 1
        try:
            sounds, length = measure_parts(request)
            if sounds:
                length = await self._batcher.measure_seconds(sounds)
            answer = self._batcher.create_future()
            self._window.pending.append(PendingRequest(request, length, answer, self))
            self._unbatched += 1
            self._update_blocked()
            return await answer
        finally:
            self._unanswered -= 1
            self._update_blocked()

    def mark_batched(self) -> None:
        """One of this seat's requests went into a batch."""
        self._unbatched -= 1
        self._update_blocked()

    def release(self) -> None:
        """The sample is finished, or away for a while: the window does not wait for it."""
        self._window.slots -= 1
        self._batcher.cut_if_ready(self._window)

    def reacquire(self) -> None:
        """The sample returns after being away."""
        self._window.slots += 1

    def _update_blocked(self) -> None:
        quiet = 0 < self._unbatched == self._unanswered
        if quiet is not self._is_blocked:
            self._window.blocked_slots += 1 if quiet else -1
            self._is_blocked = quiet
        if quiet:
            self._batcher.cut_if_ready(self._window)


def sort_by_length(pending: Sequence[PendingRequest]) -> list[PendingRequest]:
    return sorted(pending, key=lambda each: -each.length)


def first_batch_size(group: Sequence[PendingRequest], limits: BatchLimits) -> int:
    """How many of a group, longest first, are one batch within the limits once padded."""
    size = min(limits.size, len(group))
    if limits.seconds is not None and group[0].length > 0:
        size = min(size, int(limits.seconds / group[0].length))
    return max(1, size)


def split_into_batches(pending: Sequence[PendingRequest], limits: BatchLimits) -> Iterator[list[PendingRequest]]:
    """Batches in order of length, longest first, each within the limits once padded."""
    group = sort_by_length(pending)
    while group:
        size = first_batch_size(group, limits)
        yield group[:size]
        group = group[size:]


async def _call_worker(worker: BatchWorker, ability: Ability, batch: Sequence[PendingRequest]) -> Sequence[Output]:
    outputs = await worker(ability, [each.request for each in batch])
    if len(outputs) != len(batch):
        raise SampleError(f"the model gave {len(outputs)} answers to {len(batch)} requests")
    return outputs


def set_error(pending: PendingRequest, error: BaseException) -> None:
    if not pending.future.done():
        pending.future.set_exception(error)


def total_seconds(sounds: Sequence[Audio]) -> float:
    return sum(sound.seconds for sound in sounds)


def measure_parts(request: Request) -> tuple[list[Audio], float]:
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
    return sounds, letters / CHARACTERS_PER_SECOND


def decode_request_audio(request: Request, sample_rate: int) -> Request:
    """The same request with its sounds decoded."""
    if isinstance(request, Predict):
        return replace(request, inputs={n: _decode_part(p, sample_rate) for n, p in request.inputs.items()})
    turns = tuple(
        replace(turn, parts=tuple(_decode_part(part, sample_rate) for part in turn.parts)) for turn in request.turns
    )
    if isinstance(request, Generate):
        return replace(request, turns=turns)
    return replace(request, turns=turns)


def _decode_part(part: Part, sample_rate: int) -> Part:
    return part.load(sample_rate) if isinstance(part, Audio) else part
