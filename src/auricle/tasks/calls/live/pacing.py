"""What the caller sends, as the model takes it, and how late it is."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence

import numpy as np

from auricle.core.calls import FRAME_SECONDS, AudioFrame, CallerInput, Pacing

BURST_FRAMES = 5


class InputStream(AsyncIterator[CallerInput]):
    """Passes the caller's inputs to the model, and measures how late it takes each frame.

    Frames are put when they are due. A model, or an event loop, that is behind takes the frames that wait for it at
    once: none is dropped, and later ones keep their due times.

    Args:
        loop: The event loop, whose clock is used.
        on_first_take: Called when the model asks for an input for the first time.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, on_first_take: Callable[[], None] = lambda: None) -> None:
        self._loop = loop
        self._on_first_take: Callable[[], None] | None = on_first_take
        self._queue: deque[tuple[float, CallerInput]] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._closed = False
        self._lateness: list[float] = []

    def put(self, item: CallerInput, due: float) -> None:
        """Add an input that is due at a time of the event loop's clock."""
        self._queue.append((due, item))
        self._wake()

    def close(self) -> None:
        """End the stream: what the model has not taken is dropped, and counted as late until now."""
        now = self._loop.time()
        self._lateness += (now - due for due, item in self._queue if isinstance(item, AudioFrame))
        self._queue.clear()
        self._closed = True
        self._wake()

    def summarise(self) -> Pacing | None:
        return summarise_lateness(self._lateness)

    async def __anext__(self) -> CallerInput:
        if self._on_first_take is not None:
            self._on_first_take()
            self._on_first_take = None
        while not self._queue:
            if self._closed:
                raise StopAsyncIteration
            self._waiter = self._loop.create_future()
            await self._waiter
        due, item = self._queue.popleft()
        if isinstance(item, AudioFrame):
            self._lateness.append(self._loop.time() - due)
        return item

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


def summarise_lateness(lateness: Sequence[float]) -> Pacing | None:
    """Summarise the lateness of frames in seconds; None if no frame was sent."""
    if not lateness:
        return None
    late = np.array(lateness)
    p50, p99 = np.quantile(late, [0.5, 0.99]).tolist()
    in_burst = late > BURST_FRAMES * FRAME_SECONDS
    bursts = int(in_burst[0]) + int(np.sum(in_burst[1:] & ~in_burst[:-1]))
    return Pacing(frames=len(late), p50=p50, p99=p99, max=float(late.max()), bursts=bursts)
