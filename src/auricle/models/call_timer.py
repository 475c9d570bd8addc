"""Time the calls of a model: how long the model worked on a request, apart from how long the request waited.

The sender of a request sets `CALL_TIMER`. Whatever delays the request on its way to the model (a rate limit, a queue,
a worker that is loading) does so inside `waiting`, or in `hold` if it is a lock; whatever times the call itself, such
as a batcher or another process, records the time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar


class CallTimer:
    """Times one request, from when it is made to its answer.

    Only its last attempt is time of the model; earlier attempts and the backoff between them are time of waiting.
    """

    __slots__ = ("_call", "_requested_at", "_started_at", "_waited", "is_waiting", "model_seconds", "wait_seconds")

    def __init__(self) -> None:
        self.is_waiting = False
        """Whether the request has not been sent to the model yet."""
        self._requested_at = time.perf_counter()
        self.model_seconds = self.wait_seconds = 0.0
        self.start()

    def start(self) -> None:
        """Start an attempt."""
        self._started_at = time.perf_counter()
        self._waited = 0.0
        self._call: tuple[float, int, float] | None = None

    def add_wait(self, seconds: float) -> None:
        """Count a part of the attempt as time of waiting."""
        self._waited += seconds

    def record_call(self, seconds: float, requests: int = 1) -> None:
        """Record the duration of the call, measured where it was made, and how many requests share it."""
        # The requests of a batch may be resumed only after the next batch, so its end is noted here.
        self._call = seconds, requests, time.perf_counter()

    def stop(self) -> None:
        """Set the time that the model took, or this request's share of it, and the time of waiting."""
        now = time.perf_counter()
        call_seconds, requests, ended_at = self._call or (max(0.0, now - self._started_at - self._waited), 1, now)
        self.model_seconds = call_seconds / requests
        self.wait_seconds = max(0.0, ended_at - self._requested_at - call_seconds)


CALL_TIMER: ContextVar[CallTimer | None] = ContextVar("call_timer", default=None)
"""The timer of the request that is being sent; None outside of runs."""


def start_call_timer() -> CallTimer:
    """Return the timer of a new request. It stays set until the next request of the same task."""
    timer = CallTimer()
    CALL_TIMER.set(timer)
    return timer


def record_call(seconds: float | None) -> None:
    """Record the duration of the current call, if it was measured."""
    if seconds is not None and (timer := CALL_TIMER.get()):
        timer.record_call(seconds)


@contextmanager
def waiting() -> Iterator[None]:
    """Count the time inside the block as time of waiting."""
    timer = CALL_TIMER.get()
    if timer is None:
        yield
        return
    started_at, timer.is_waiting = time.perf_counter(), True
    try:
        yield
    finally:
        timer.is_waiting = False
        timer.add_wait(time.perf_counter() - started_at)


@asynccontextmanager
async def hold(lock: asyncio.Lock | asyncio.Semaphore) -> AsyncIterator[None]:
    """Hold a lock, or a place of a semaphore, inside the block; the time until it is free is time of waiting."""
    with waiting():
        await lock.acquire()
    try:
        yield
    finally:
        lock.release()
