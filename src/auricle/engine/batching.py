"""Collect the requests of many samples into batches.

A *worker* takes a list of requests of one kind and returns as many outputs: a local model in a
thread is a worker, and so is a process or a Ray actor.

Samples are grouped into *windows* of a fixed size, in data order. When every unfinished sample of a
window waits for an answer, the requests are sorted by length and split into batches, longest first.
Batches therefore depend on the data and not on timing or on the number of workers, need little
padding, and run out of memory at the start if at all. While workers process some windows the next one
fills, and the audio of its first batches is decoded.

A model that keeps the order of the data gets its requests in that order. Its batches contain samples
of one subset only, and one request of each.

A load test has no windows: a free worker takes the requests that wait, which are decoded already.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import TypeAlias

from auricle.core.adaptive_executor import AdaptiveExecutor
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import ABILITY_BY_REQUEST, Ability, Call, Output, Part, Predict, Request
from auricle.engine.batch_limits import MAX_AUTO_BATCH_SIZE, AdaptiveBatchLimits, BatchLimits, is_out_of_memory
from auricle.media import Audio
from auricle.models.call_timer import CALL_TIMER, CallTimer, start_call_timer

BatchWorker: TypeAlias = Callable[[Ability, Sequence[Request]], Awaitable[Sequence[Output]]]

BATCHES_PER_WINDOW = 8
"""Batches in each window; sorting more of them saves little more padding."""
CHARACTERS_PER_SECOND = 100.0
"""Characters that count as one second of audio, to compare texts by length."""


class WorkerLost(SpecError):
    """A worker cannot be restarted. Other workers take over; without any, the run stops."""


class RunStopped(Exception):
    """The request was not sent because the run is being stopped."""


@dataclass(slots=True, eq=False)
class PendingRequest:
    """A request that waits for its output."""

    request: Request
    length: float
    """Seconds of audio, or the equivalent for text."""
    future: asyncio.Future[Output]
    slot: BatchSlot
    number: int = 0
    """How many requests the sample sent before this one."""
    timer: CallTimer | None = None


@dataclass(slots=True, eq=False)
class Window:
    """Samples that are batched together."""

    places: int = 0
    """Samples of the data that belong to this window, whether or not they send a request."""
    subset: object = None
    slots: int = 0
    blocked_slots: int = 0
    """Slots that can only wait for this window to be split into batches."""
    is_full: bool = False
    pending: list[PendingRequest] = field(default_factory=list)

    @property
    def is_ready(self) -> bool:
        return self.is_full and self.blocked_slots == self.slots


class Batcher:
    """Collects requests into batches and passes these to workers.

    Args:
        workers: What answers batches.
        limits: Limits of a batch.
        auto_grow: Whether to enlarge batches until memory is half full.
        windows: Whether to group samples into windows, or else to batch the requests that wait. Without windows, a
            batch that fails is not split, because a load test sends each request once.
        keep_order: Whether batches follow the order of the data instead of the lengths of the requests.
    """

    def __init__(
        self,
        workers: Sequence[BatchWorker],
        limits: BatchLimits,
        *,
        auto_grow: bool = False,
        windows: bool = True,
        keep_order: bool = False,
    ) -> None:
        self.adaptive_limits = AdaptiveBatchLimits(limits, auto_grow=auto_grow)
        self.window_size = MAX_AUTO_BATCH_SIZE if auto_grow else BATCHES_PER_WINDOW * limits.size
        self._has_windows = windows
        self._keep_order = keep_order
        self._window = Window()
        self._uncut: deque[Window] = deque()
        """Full windows that were never split; they are split in the order of the data first."""
        self._slot_numbers = count()
        self._waiting: deque[PendingRequest] = deque()
        self._request_waits = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._executor = AdaptiveExecutor(4, "auricle-decode")
        self._cut_groups: asyncio.Queue[list[PendingRequest]] = asyncio.Queue()
        self._decoded_batches: asyncio.Queue[list[PendingRequest]] = asyncio.Queue(maxsize=len(workers))
        self._is_stopping = False
        self._live_workers = len(workers)
        self._tasks = [
            asyncio.create_task(self._decode_loop()),
            *(asyncio.create_task(self._worker_loop(worker)) for worker in workers),
        ]

    def acquire_slot(self, subset: object = None) -> BatchSlot:
        """Return a slot for the next sample, in data order."""
        if not self._has_windows:
            return WaitingSlot(self, Window(), 0)
        if self._keep_order and subset != self._window.subset:
            self.close_window()
            self._window.subset = subset
        window = self._window
        window.slots += 1
        slot = BatchSlot(self, window, next(self._slot_numbers))
        self.skip_sample()
        return slot

    def skip_sample(self) -> None:
        """Count a sample; those that are not sent, too, so that a resumed run has the windows of the first pass."""
        self._window.places += 1
        if self._window.places == self.window_size:
            self.close_window()

    def close_window(self) -> None:
        """Close the current window because no more samples follow for now."""
        window, self._window = self._window, Window(subset=self._window.subset)
        window.is_full = True
        self._uncut.append(window)
        self.cut_if_ready(window)

    def cut_if_ready(self, window: Window) -> None:
        """Split the window if all its samples wait, after other callbacks of this loop iteration."""
        if window.is_ready:
            self._loop.call_soon(self._cut_ready_windows, window)

    def stop(self) -> None:
        """Let running batches finish and reject all other requests."""
        self._is_stopping = True

    @property
    def is_stopping(self) -> bool:
        return self._is_stopping

    async def measure_request(self, request: Request, slot: BatchSlot) -> PendingRequest:
        """Return a request with its length; the headers of audio files may be read in another thread."""
        number = next(slot.sent)
        clips, length = measure_parts(request)
        if clips:
            length = await self._executor.run(total_seconds, clips)
        return PendingRequest(request, length, self._loop.create_future(), slot, number, CALL_TIMER.get())

    def add_waiting(self, pending: PendingRequest) -> None:
        """Let the next free worker take a request."""
        self._waiting.append(pending)
        self._request_waits.set()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._executor.close()

    def _cut_ready_windows(self, window: Window) -> None:
        """Split a window, unless an earlier one was never split, and the windows that waited for it."""
        if window not in self._uncut:
            self._cut_window(window)
        while self._uncut and self._uncut[0].is_ready:
            self._cut_window(self._uncut.popleft())

    def _cut_window(self, window: Window) -> None:
        if not window.is_ready:  # a sample has sent another request
            return
        batchable, window.pending = window.pending, []
        for pending in batchable:
            pending.slot.mark_batched()
        groups: dict[object, list[PendingRequest]] = {}
        for pending in sorted(batchable, key=lambda pending: (pending.slot.number, pending.number)):
            number = pending.number if self._keep_order else 0
            groups.setdefault((type(pending.request), number), []).append(pending)
        for group in groups.values():
            self._cut_groups.put_nowait(group if self._keep_order else sort_by_length(group))

    async def _decode_loop(self) -> None:
        """Keep as many decoded batches ready as there are workers."""
        while True:
            group = await self._cut_groups.get()
            while group:
                # As late as possible, because the limits may change.
                size = first_batch_size(group, self.adaptive_limits.limits)
                batch, group = group[:size], group[size:]
                if (rate := self.adaptive_limits.limits.sample_rate) and not self._is_stopping:
                    batch = await self._decode_batch(batch, rate)
                if batch:
                    await self._decoded_batches.put(batch)

    async def _decode_batch(self, batch: list[PendingRequest], sample_rate: int) -> list[PendingRequest]:
        """Return the batch with decoded audio; requests that cannot be decoded fail."""
        decode = partial(decode_request_audio, sample_rate=sample_rate)
        requests = await self._executor.map(decode, [pending.request for pending in batch])
        decoded: list[PendingRequest] = []
        for pending, request in zip(batch, requests, strict=True):
            if isinstance(request, BaseException):
                set_error(pending, request)
            else:
                decoded.append(replace(pending, request=request))
        return decoded

    async def _worker_loop(self, worker: BatchWorker) -> None:
        while True:
            batch = await (self._decoded_batches.get() if self._has_windows else self._take_waiting())
            if self._is_stopping:
                for pending in batch:
                    set_error(pending, RunStopped())
                continue
            try:
                for part in split_into_batches(batch, self.adaptive_limits.limits):  # limits may have shrunk
                    await self._run_batch(worker, part)
            except WorkerLost as error:
                self._live_workers -= 1
                self._reassign([pending for pending in batch if not pending.future.done()], error)
                return

    async def _take_waiting(self) -> list[PendingRequest]:
        """Take the request that has waited longest and the following ones of the same type, up to the batch size."""
        while not self._waiting:
            self._request_waits.clear()
            await self._request_waits.wait()
        kind = type(self._waiting[0].request)
        taken: list[PendingRequest] = []
        while self._waiting and len(taken) < self.adaptive_limits.limits.size:
            if type(self._waiting[0].request) is not kind:
                break
            pending = self._waiting.popleft()
            if not pending.future.done():  # it may have been cancelled
                taken.append(pending)
        return taken

    def _reassign(self, batch: list[PendingRequest], error: WorkerLost) -> None:
        """Pass a lost worker's requests to the others; if there are none, the requests fail."""
        if self._live_workers and self._has_windows:
            self._cut_groups.put_nowait(batch)
            return
        for pending in batch:
            set_error(pending, error)

    async def _run_batch(self, worker: BatchWorker, batch: Sequence[PendingRequest]) -> None:
        """Run a batch. If it fails, halve it until the request that causes the failure is isolated."""
        try:
            outputs = await _call_worker(worker, batch)
        except WorkerLost:
            raise
        except Exception as error:  # noqa: BLE001 - a model may raise anything
            if len(batch) == 1 or not self._has_windows:
                for pending in batch:
                    set_error(pending, error)
                return
            if is_out_of_memory(error):
                self.adaptive_limits.record_out_of_memory(len(batch), len(batch) * batch[0].length)
            half = len(batch) // 2
            await self._run_batch(worker, batch[:half])
            await self._run_batch(worker, batch[half:])
            return
        self.adaptive_limits.record_success(len(batch))
        for pending, output in zip(batch, outputs, strict=True):
            if not pending.future.done():
                pending.future.set_result(output)


class BatchSlot:
    """One sample's place in a window."""

    __slots__ = ("_batcher", "_is_blocked", "_unanswered", "_unbatched", "_window", "number", "sent")

    def __init__(self, batcher: Batcher, window: Window, number: int) -> None:
        self._batcher = batcher
        self._window = window
        self.number = number
        self.sent = count()
        self._unanswered = self._unbatched = 0  # requests without output; those not yet in a batch
        self._is_blocked = False

    async def send(self, request: Request) -> Output:
        if self._batcher.is_stopping:
            raise RunStopped
        self._unanswered += 1
        try:
            pending = await self._batcher.measure_request(request, self)
            self._window.pending.append(pending)
            self._unbatched += 1
            self._update_blocked()
            return await pending.future
        finally:
            self._unanswered -= 1
            self._update_blocked()

    def mark_batched(self) -> None:
        """Record that one of this slot's requests is now in a batch."""
        self._unbatched -= 1
        self._update_blocked()

    def release(self) -> None:
        """Stop the window from waiting for this sample: it is finished or waits before a retry."""
        self._window.slots -= 1
        self._batcher.cut_if_ready(self._window)

    def reacquire(self) -> None:
        """Let the window wait for this sample again."""
        self._window.slots += 1

    def _update_blocked(self) -> None:
        is_blocked = 0 < self._unbatched == self._unanswered
        if is_blocked is not self._is_blocked:
            self._window.blocked_slots += 1 if is_blocked else -1
            self._is_blocked = is_blocked
        if is_blocked:
            self._batcher.cut_if_ready(self._window)


class WaitingSlot(BatchSlot):
    """A slot outside of windows: its requests wait for the next free worker."""

    __slots__ = ()

    async def send(self, request: Request) -> Output:
        if self._batcher.is_stopping:
            raise RunStopped
        pending = await self._batcher.measure_request(request, self)
        self._batcher.add_waiting(pending)
        return await pending.future


def sort_by_length(pending: Sequence[PendingRequest]) -> list[PendingRequest]:
    return sorted(pending, key=lambda request: -request.length)


def first_batch_size(group: Sequence[PendingRequest], limits: BatchLimits) -> int:
    """Return how many of the first requests of a group fit in one padded batch."""
    size = min(limits.size, len(group))
    if limits.seconds is None:
        return size
    longest = 0.0
    for index, pending in enumerate(group[:size]):
        longest = max(longest, pending.length)
        if index and longest * (index + 1) > limits.seconds:
            return index
    return size


def split_into_batches(group: Sequence[PendingRequest], limits: BatchLimits) -> Iterator[Sequence[PendingRequest]]:
    """Split requests, in their order, into batches that stay within the limits when padded."""
    while group:
        size = first_batch_size(group, limits)
        yield group[:size]
        group = group[size:]


async def _call_worker(worker: BatchWorker, batch: Sequence[PendingRequest]) -> Sequence[Output]:
    requests = [pending.request for pending in batch]
    timer = start_call_timer()
    try:
        outputs = await worker(ABILITY_BY_REQUEST[type(requests[0])], requests)
    finally:
        timer.stop()
        for pending in batch:
            if pending.timer:
                pending.timer.record_call(timer.model_seconds, len(batch))
    check_output_count(outputs, len(batch))
    return outputs


def check_output_count(outputs: Sequence[Output], requests: int) -> None:
    """Raise `SampleError` unless there is one output per request."""
    if len(outputs) != requests:
        raise SampleError(f"the model returned {len(outputs)} outputs for {requests} requests")


def set_error(pending: PendingRequest, error: BaseException) -> None:
    if not pending.future.done():
        pending.future.set_exception(error)


def total_seconds(clips: Sequence[Audio]) -> float:
    return sum(clip.seconds for clip in clips)


def measure_parts(request: Request) -> tuple[list[Audio], float]:
    """Return the audio of a request, and the length of its text in equivalent seconds."""
    clips: list[Audio] = []
    characters = 0
    for part in request.parts:
        if isinstance(part, str):
            characters += len(part)
        elif isinstance(part, Audio):
            clips.append(part)
    return clips, characters / CHARACTERS_PER_SECOND


def decode_request_audio(request: Request, sample_rate: int) -> Request:
    """Return the request with its audio decoded."""
    if isinstance(request, Call):  # its audio is decoded frame by frame
        return request
    if isinstance(request, Predict):
        return replace(request, inputs={name: _decode_part(part, sample_rate) for name, part in request.inputs.items()})
    turns = tuple(
        replace(turn, parts=tuple(_decode_part(part, sample_rate) for part in turn.parts)) for turn in request.turns
    )
    return replace(request, turns=turns)


def _decode_part(part: Part, sample_rate: int) -> Part:
    return part.load(sample_rate) if isinstance(part, Audio) else part
