"""Process jobs concurrently: the loop of runs, judge passes and load tests.

These differ in where their jobs come from and in how one job is handled.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator
from contextlib import aclosing, asynccontextmanager
from typing import Any, Generic, TypeVar

from auricle.engine.batching import RunStopped
from auricle.engine.retry import Slot
from auricle.engine.slots import Slots

CHECK_SECONDS = 1.0
JOBS_PER_YIELD = 256
"""Jobs processed without awaiting before other coroutines get a turn."""

Job = TypeVar("Job")


class RequestLoop(Generic[Job]):
    """Processes jobs until there are no more or a stop is requested; the first error ends it.

    Args:
        slots: Where requests are sent; closed at the end.
        handle: Processes one job with its slot. What raises `RunStopped` was not sent.
        stop: When set, requests in flight may finish and no further ones are sent.
        on_in_flight: Called with the number of jobs in flight when it changes.
        check: Called every second; an error that it raises ends the loop even if no job finishes.
        get_subset: Returns the subset of the data that a job belongs to.
    """

    def __init__(
        self,
        slots: Slots,
        handle: Callable[[Job, Slot], Coroutine[Any, Any, None]],
        stop: asyncio.Event,
        on_in_flight: Callable[[int], None] = lambda _: None,
        check: Callable[[], None] = lambda: None,
        get_subset: Callable[[Job], object] = lambda _: None,
    ) -> None:
        self._slots = slots
        self._handle = handle
        self._stop = stop
        self._on_in_flight = on_in_flight
        self._check = check
        self._get_subset = get_subset
        self._group = asyncio.TaskGroup()
        self._tasks: set[asyncio.Task[None]] = set()
        self._taken = 0
        self.in_flight = 0

    async def run(self, jobs: Iterator[Job | None]) -> None:
        """Process jobs in order, as many at a time as there are slots; None is passed over."""
        async with self.open():
            for _ in range(self._slots.capacity):  # a task per slot is faster than a task per job
                self._start(self._process_all(jobs))

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Allow `start` and `start_sequence` inside the block, and wait at its end until their jobs are finished."""
        watchers = [asyncio.create_task(watch()) for watch in (self._drain_when_stopped, self._check_periodically)]
        try:
            async with self._group:
                yield
        except BaseExceptionGroup as errors:  # such as unreadable data or a full disk
            raise errors.exceptions[0] from errors
        finally:
            for watcher in watchers:
                watcher.cancel()
            await self._slots.close()

    def start(self, job: Job) -> None:
        """Process a job now, whatever the number of jobs in flight."""
        self._start(self._process(job))

    def start_sequence(self, jobs: AsyncGenerator[Job, None]) -> None:
        """Process one job after the other, each when it arrives."""
        self._start(self._process_arrivals(jobs))

    async def wait(self, seconds: float | None) -> None:
        """Wait until all jobs are finished, a stop is requested, or the time is up."""
        stopped: asyncio.Future[Any] = asyncio.create_task(self._stop.wait())
        finished: asyncio.Future[Any] = asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.wait([stopped, finished], timeout=seconds, return_when="FIRST_COMPLETED")
        stopped.cancel()

    async def drain(self, grace: float) -> None:
        """Give jobs in flight some seconds to finish, and cancel the rest."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=grace)
        for task in self._tasks:
            task.cancel()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._group.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _process_all(self, jobs: Iterator[Job | None]) -> None:
        """Process one job after the other from the iterator that all tasks share."""
        while not self._stop.is_set():
            try:
                job = next(jobs)
            except StopIteration:
                break
            if job is None:
                self._slots.skip_sample()
            else:
                await self._process(job)
            self._taken += 1
            if self._taken % JOBS_PER_YIELD == 0:
                await asyncio.sleep(0)
        self._slots.close_window()

    async def _process_arrivals(self, jobs: AsyncGenerator[Job, None]) -> None:
        async with aclosing(jobs):
            async for job in jobs:
                await self._process(job)

    async def _process(self, job: Job) -> None:
        # Nothing was awaited since the job was taken, so slots are in the order of the jobs.
        slot = self._slots.acquire_slot(self._get_subset(job))
        self.in_flight += 1
        self._on_in_flight(self.in_flight)
        try:
            await self._handle(job, slot)
        except RunStopped:
            pass  # the next pass sends it
        finally:
            slot.release()
            self.in_flight -= 1
            self._on_in_flight(self.in_flight)

    async def _drain_when_stopped(self) -> None:
        await self._stop.wait()
        self._slots.stop()
        self._slots.close_window()

    async def _check_periodically(self) -> None:
        try:
            while True:
                await asyncio.sleep(CHECK_SECONDS)
                self._check()
        except Exception as error:  # noqa: BLE001 - raised inside the group, which cancels all jobs
            self._start(_raise(error))


async def _raise(error: Exception) -> None:
    raise error
