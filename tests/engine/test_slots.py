"""Slots of models: requests that are sent directly, in batches, or outside of a run."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from auricle import Audio, BatchModel, Generate, Generation, SampleError, Settings, Transient, Turn
from auricle.core.types import Output
from auricle.engine.batch_limits import BatchLimits
from auricle.engine.batching import BATCHES_PER_WINDOW, RunStopped
from auricle.engine.retry import RetryingSender
from auricle.engine.slots import DirectSlot, ModelBatcher, close_model, open_slots, send_all
from auricle.models.base import Model
from auricle.models.call_timer import waiting
from auricle.testing.models import Echo, FakeApi

REQUEST = Generate(turns=(Turn("user", ("hello there",)),))


def text_of(output: Output) -> str:
    assert isinstance(output, Generation)
    return output.text


@pytest.mark.parametrize("model", [Echo(), FakeApi()])
def test_requests_need_no_run(model: Model) -> None:
    outputs = asyncio.run(send_all(model, [REQUEST, Generate(turns=(Turn("user", ("bye",)),))]))
    assert [output.text for output in outputs if isinstance(output, Generation)] == ["hello there", "bye"]


@pytest.mark.parametrize("model", [Echo(), FakeApi()])
def test_a_request_that_fails_does_not_hold_up_the_others(model: Model) -> None:
    lost = Generate(turns=(Turn("user", (Audio("missing.wav"),)),))
    first, second = asyncio.run(send_all(model, [lost, REQUEST]))
    assert isinstance(first, SampleError) == isinstance(model, Echo)  # only batches need the length of the audio
    assert isinstance(second, Generation)
    assert second.text == "hello there"


def test_async_model_has_as_many_slots_as_its_concurrency() -> None:
    assert open_slots(FakeApi(), Settings(concurrency=3)).capacity == 3


def test_an_async_model_alone_has_one_slot() -> None:
    assert DirectSlot(FakeApi()).capacity == 1


def test_batch_model_has_slots_for_two_windows() -> None:
    async def main() -> int:
        slots = open_slots(Echo(), Settings(batch_size=5))
        await slots.close()
        return slots.capacity

    assert asyncio.run(main()) == 2 * 5 * BATCHES_PER_WINDOW


@pytest.mark.parametrize("windows", [True, False])
@pytest.mark.parametrize("model", [Echo(), FakeApi()])
def test_stopped_slots_reject_requests(model: Model, windows: bool) -> None:
    async def main() -> None:
        slots = open_slots(model, Settings(), windows=windows)
        slots.stop()
        try:
            await slots.acquire_slot().send(REQUEST)
        finally:
            await slots.close()

    with pytest.raises(RunStopped):
        asyncio.run(main())


def test_cancelled_error_of_a_model_fails_its_request() -> None:
    class CancelsItself(FakeApi):
        async def generate(self, request: Generate) -> Generation:
            raise asyncio.CancelledError

    with pytest.raises(SampleError, match="the model CancelsItself raised CancelledError"):
        asyncio.run(DirectSlot(CancelsItself()).send(REQUEST))


def test_cancelled_request_stays_cancelled() -> None:
    class Waits(FakeApi):
        async def generate(self, request: Generate) -> Generation:
            await asyncio.Event().wait()
            raise AssertionError

    async def main() -> None:
        await asyncio.wait_for(DirectSlot(Waits()).send(REQUEST), 0.01)

    with pytest.raises(TimeoutError):
        asyncio.run(main())


def test_requests_that_were_not_sent_are_withdrawn_when_the_run_is_stopped() -> None:
    class OneConnection(FakeApi):
        """Sends one request at a time, as a server with a rate limit requires."""

        def __init__(self) -> None:
            super().__init__()
            self.connection = asyncio.Semaphore(1)
            self.may_answer = asyncio.Event()

        async def generate(self, request: Generate) -> Generation:
            with waiting():
                await self.connection.acquire()
            await self.may_answer.wait()
            self.connection.release()
            return await super().generate(request)

    async def main() -> list[Any]:
        model = OneConnection()
        slot = DirectSlot(model, 3)
        sends = [asyncio.ensure_future(RetryingSender(slot, Settings())(REQUEST)) for _ in range(3)]
        await asyncio.sleep(0)
        slot.stop()
        model.may_answer.set()
        return await asyncio.gather(*sends, return_exceptions=True)

    sent, *others = asyncio.run(main())
    assert isinstance(sent, Generation)
    assert [type(error) for error in others] == [RunStopped, RunStopped]


def test_close_model_waits_for_worker_processes() -> None:
    class Pool(BatchModel):
        calls: Sequence[str] = ()

        def close(self) -> None:
            self.calls = (*self.calls, "close")

        async def aclose(self) -> None:
            self.calls = (*self.calls, "aclose")

    model = Pool()
    asyncio.run(close_model(model))
    assert model.calls == ("close", "aclose")


def test_a_request_fails_after_three_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    async def sleep(_seconds: float) -> None: ...

    class Busy(FakeApi):
        async def generate(self, request: Generate) -> Generation:
            self.calls += 1
            raise Transient("busy")

    model = Busy()
    monkeypatch.setattr("auricle.engine.retry.asyncio.sleep", sleep)
    (error,) = asyncio.run(send_all(model, [REQUEST]))
    assert isinstance(error, Transient)
    assert model.calls == 3


def test_the_thread_of_a_model_ends_with_its_slots() -> None:
    threads: list[threading.Thread] = []

    class RecordsThread(Echo):
        def generate(self, batch: Sequence[Generate]) -> list[Generation]:
            threads.append(threading.current_thread())
            return super().generate(batch)

    asyncio.run(send_all(RecordsThread(), [REQUEST]))
    (thread,) = threads
    assert thread.name.startswith("auricle-model")
    assert not thread.is_alive()


def test_limits_of_batches_are_those_of_the_model_and_the_settings() -> None:
    class Limited(Echo):
        batch_size, batch_seconds, sample_rate = 3, 20.0, 8_000

    async def read_limits(settings: Settings) -> BatchLimits:
        slots = open_slots(Limited(), settings)
        assert isinstance(slots, ModelBatcher)
        await slots.close()
        return slots.adaptive_limits.limits

    assert asyncio.run(read_limits(Settings())) == BatchLimits(3, 20.0, 8_000)
    assert asyncio.run(read_limits(Settings(batch_size=5))) == BatchLimits(5, 20.0, 8_000)
