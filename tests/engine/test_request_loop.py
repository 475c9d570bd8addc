"""The loop of runs, judge passes and load tests."""

import asyncio
import gc
import weakref
from collections.abc import AsyncGenerator, Coroutine, Iterator
from typing import Any

import pytest

from auricle import Generate, Settings, Turn
from auricle.core.errors import DataError
from auricle.engine import request_loop
from auricle.engine.batching import RunStopped
from auricle.engine.request_loop import JOBS_PER_YIELD, RequestLoop
from auricle.engine.retry import Slot
from auricle.engine.slots import DirectSlot, open_slots
from auricle.testing.models import Echo, FakeApi

REQUEST = Generate(turns=(Turn("user", ("hello",)),))


class Jobs:
    """Handles jobs and records them."""

    def __init__(self, capacity: int = 3) -> None:
        self.slots = DirectSlot(FakeApi(), capacity)
        self.stop = asyncio.Event()
        self.in_flight: list[int] = []
        self.handled: list[int] = []
        self.cancelled: list[int] = []
        self.loop = RequestLoop(self.slots, self.handle, self.stop, self.in_flight.append)

    async def handle(self, job: int, _slot: Slot) -> None:
        try:
            await self.work(job)
        except asyncio.CancelledError:
            self.cancelled.append(job)
            raise
        self.handled.append(job)

    async def work(self, job: int) -> None:
        await asyncio.sleep(0)


def run(coroutine: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(coroutine, 30))


def test_all_jobs_are_handled_in_order_and_at_most_as_many_at_once_as_there_are_slots() -> None:
    async def main() -> None:
        jobs = Jobs()
        await jobs.loop.run(iter(range(10)))
        assert jobs.handled == list(range(10))
        assert max(jobs.in_flight) == 3
        assert jobs.in_flight[-1] == jobs.loop.in_flight == 0

    run(main())


def test_none_is_not_a_job() -> None:
    async def main() -> None:
        jobs = Jobs()
        await jobs.loop.run(iter([None, 1, None, 2]))
        assert jobs.handled == [1, 2]

    run(main())


def test_stop_lets_jobs_in_flight_finish_and_starts_no_others() -> None:
    class StopsAtFive(Jobs):
        async def work(self, job: int) -> None:
            if job == 5:
                self.stop.set()
            await asyncio.sleep(0.001)

    async def main() -> None:
        jobs = StopsAtFive()
        await jobs.loop.run(iter(range(100)))
        assert {0, 1, 2, 3, 4, 5} <= set(jobs.handled) <= set(range(8))
        assert not jobs.cancelled

    run(main())


def test_stop_is_noticed_although_no_job_awaits_anything() -> None:
    class NeverAwaits(Jobs):
        async def work(self, job: int) -> None: ...

    async def main() -> None:
        jobs = NeverAwaits()
        asyncio.get_running_loop().call_later(0, jobs.stop.set)
        await jobs.loop.run(iter(range(100 * JOBS_PER_YIELD)))
        assert len(jobs.handled) < 10 * JOBS_PER_YIELD

    run(main())


def test_stop_rejects_requests_that_are_not_sent_yet() -> None:
    async def main() -> None:
        sent: list[bool] = []

        async def handle(_job: int, slot: Slot) -> None:
            stop.set()
            await asyncio.sleep(0.01)
            with pytest.raises(RunStopped):
                await slot.send(REQUEST)
            sent.append(False)
            raise RunStopped

        stop = asyncio.Event()
        await RequestLoop(DirectSlot(FakeApi()), handle, stop).run(iter([1, 2]))
        assert sent == [False]

    run(main())


def test_stop_rejects_the_requests_of_a_window_that_is_not_full() -> None:
    async def main() -> None:
        rejected: list[int] = []

        async def handle(job: int, slot: Slot) -> None:
            asyncio.get_running_loop().call_later(0.01, stop.set)
            with pytest.raises(RunStopped):
                await slot.send(REQUEST)
            rejected.append(job)

        stop = asyncio.Event()
        loop = RequestLoop(open_slots(Echo(), Settings()), handle, stop)
        async with loop.open():
            loop.start(1)
        assert rejected == [1]

    run(main())


def test_first_error_is_raised_alone_and_cancels_the_other_jobs() -> None:
    class FailsAtTwo(Jobs):
        async def work(self, job: int) -> None:
            if job == 2:
                raise OSError("disk full")
            await asyncio.Event().wait()

    async def main() -> None:
        jobs = FailsAtTwo()
        with pytest.raises(OSError, match="disk full"):
            await jobs.loop.run(iter(range(10)))
        assert sorted(jobs.cancelled) == [0, 1]

    run(main())


def test_error_of_the_source_is_raised() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise DataError("the file ends in the middle")

    async def main() -> None:
        with pytest.raises(DataError, match="ends in the middle"):
            await Jobs().loop.run(broken())

    run(main())


def test_started_jobs_are_not_limited_by_the_slots() -> None:
    async def main() -> None:
        jobs = Jobs(capacity=1)
        async with jobs.loop.open():
            for job in range(5):
                jobs.loop.start(job)
        assert max(jobs.in_flight) == 5

    run(main())


def test_sequence_handles_one_job_after_the_other() -> None:
    async def arrivals(first: int) -> AsyncGenerator[int, None]:
        for job in range(first, first + 3):
            yield job

    async def main() -> None:
        jobs = Jobs()
        async with jobs.loop.open():
            jobs.loop.start_sequence(arrivals(0))
            jobs.loop.start_sequence(arrivals(10))
            await jobs.loop.wait(None)
            assert sorted(jobs.handled) == [0, 1, 2, 10, 11, 12]
        assert max(jobs.in_flight) == 2

    run(main())


@pytest.mark.parametrize("stops", [True, False])
def test_drain_cancels_jobs_that_outlast_the_grace_period(stops: bool) -> None:
    class WaitsForEver(Jobs):
        async def work(self, job: int) -> None:
            if job:
                await asyncio.Event().wait()

    async def main() -> None:
        jobs = WaitsForEver()
        async with jobs.loop.open():
            jobs.loop.start(0)
            jobs.loop.start(1)
            if stops:
                jobs.stop.set()
            await jobs.loop.wait(None if stops else 0.01)
            await jobs.loop.drain(0.01)
        assert (jobs.handled, jobs.cancelled) == ([0], [1])

    run(main())


def test_failing_check_ends_the_loop_although_no_job_finishes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_loop, "CHECK_SECONDS", 0.01)

    async def main() -> None:
        def check() -> None:
            raise DataError("the journal is gone")

        async def never(_job: int, _slot: Slot) -> None:
            await asyncio.get_running_loop().create_future()

        loop = RequestLoop(DirectSlot(FakeApi(), 3), never, asyncio.Event(), check=check)
        with pytest.raises(DataError, match="the journal is gone"):
            await loop.run(iter(range(10)))

    run(main())


def test_every_change_of_the_number_in_flight_is_reported() -> None:
    async def main() -> None:
        jobs = Jobs(capacity=1)
        await jobs.loop.run(iter(range(2)))
        assert jobs.in_flight == [1, 0, 1, 0]

    run(main())


def test_the_first_of_several_errors_is_raised() -> None:
    class FailsTwice(Jobs):
        async def work(self, job: int) -> None:
            if job:
                raise OSError("first")
            try:
                await asyncio.Event().wait()
            finally:
                raise ValueError("second, while being cancelled")

    async def main() -> None:
        with pytest.raises(OSError, match="first"):
            await FailsTwice().loop.run(iter(range(2)))

    run(main())


def test_nothing_runs_after_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_loop, "CHECK_SECONDS", 0.001)
    events: list[str] = []

    class RecordingSlots(DirectSlot):
        async def close(self) -> None:
            events.append("closed")

    async def main() -> None:
        jobs = Jobs()
        loop = RequestLoop(RecordingSlots(FakeApi(), 3), jobs.handle, jobs.stop, check=lambda: events.append("check"))
        async with loop.open():
            loop.start(1)
            await loop.wait(10)
            await asyncio.sleep(0.01)
        assert "check" in events
        assert events[-1] == "closed"
        await asyncio.sleep(0.01)
        assert events[-1] == "closed"
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


def test_drain_lets_jobs_finish_within_the_grace_period() -> None:
    class TakesAMoment(Jobs):
        async def work(self, job: int) -> None:
            await asyncio.sleep(0.01)

    async def main() -> None:
        jobs = TakesAMoment()
        async with jobs.loop.open():
            jobs.loop.start(0)
            await jobs.loop.drain(10.0)
            assert jobs.handled == [0]
            await jobs.loop.drain(10.0)  # without any job

    run(main())


@pytest.mark.thorough
def test_finished_jobs_are_forgotten() -> None:
    tasks: list[weakref.ref[Any]] = []

    class RecordsTasks(Jobs):
        async def work(self, job: int) -> None:
            tasks.append(weakref.ref(asyncio.current_task()))

    async def main() -> None:
        jobs = RecordsTasks()
        async with jobs.loop.open():
            jobs.loop.start(0)
            await jobs.loop.wait(10.0)
            await asyncio.sleep(0)
            gc.collect()
            assert [task() for task in tasks] == [None]

    run(main())


def test_failed_job_is_reported_once() -> None:
    unhandled: list[dict[str, Any]] = []

    class Fails(Jobs):
        async def work(self, job: int) -> None:
            raise OSError("disk full")

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: unhandled.append(context))
        jobs = Fails()
        async with jobs.loop.open():
            jobs.loop.start(0)
            await jobs.loop.wait(10.0)

    with pytest.raises(OSError, match="disk full"):
        asyncio.run(main())
    gc.collect()
    assert unhandled == []


def test_giving_others_a_turn_takes_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_loop, "JOBS_PER_YIELD", 2)
    sleep = asyncio.sleep
    pauses: list[float] = []

    async def record_pause(seconds: float) -> None:
        pauses.append(seconds)
        await sleep(0 if seconds == 0 else 3600)

    async def main() -> None:
        jobs = Jobs()
        monkeypatch.setattr(asyncio, "sleep", record_pause)
        await jobs.loop.run(iter(range(4)))

    run(main())
    assert set(pauses) == {0, request_loop.CHECK_SECONDS}
