"""Time of the model and time of waiting, on a clock that tests advance."""

import asyncio
from typing import Any

import pytest

from auricle.core.calls import CallRecording
from auricle.core.types import Call
from auricle.engine.retry import RetryingSender
from auricle.engine.settings import Settings
from auricle.engine.slots import DirectSlot
from auricle.models.base import SessionModel
from auricle.models.call_timer import CALL_TIMER, CallTimer, record_call, waiting
from auricle.models.http import rate_limits
from auricle.models.openai import OpenAI
from auricle.models.sessions.recognisers import StreamingRecogniser
from auricle.models.sessions.turn_taking import TurnTakingModel
from tests.support.clocks import FakeClock
from tests.support.http_servers import CannedServer, Handler, chat, closing_model, http_reply, question, serving


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    return FakeClock(monkeypatch)


def times(timer: CallTimer) -> tuple[float, float]:
    timer.stop()
    return round(timer.model_seconds, 6), round(timer.wait_seconds, 6)


def test_time_in_a_queue_is_not_time_of_the_model(clock: FakeClock) -> None:
    timer = CallTimer()
    CALL_TIMER.set(timer)
    with waiting():
        clock.advance(30.0)
    clock.advance(2.0)
    with waiting():
        clock.advance(5.0)
    clock.advance(1.0)
    assert times(timer) == (3.0, 35.0)


def test_only_the_last_attempt_is_time_of_the_model(clock: FakeClock) -> None:
    timer = CallTimer()
    clock.advance(4.0)  # the first attempt
    clock.advance(8.0)  # backoff
    timer.start()
    clock.advance(2.0)
    assert times(timer) == (2.0, 12.0)


def test_a_request_gets_its_share_of_a_batch_and_waits_only_before_it(clock: FakeClock) -> None:
    timer = CallTimer()
    clock.advance(10.0)
    timer.record_call(6.0, requests=4)
    assert times(timer) == (1.5, 4.0)


def test_a_call_that_another_process_timed_counts_as_it_was_measured_there(clock: FakeClock) -> None:
    timer = CallTimer()
    CALL_TIMER.set(timer)
    record_call(None)
    clock.advance(5.0)
    record_call(3.0)
    assert times(timer) == (3.0, 2.0)


def test_what_follows_a_recorded_call_is_not_waiting(clock: FakeClock) -> None:
    timer = CallTimer()
    clock.advance(5.0)
    timer.record_call(2.0, 2)
    clock.advance(6.0)
    assert times(timer) == (1.0, 3.0)


def test_without_a_timer_nothing_is_recorded() -> None:
    CALL_TIMER.set(None)
    record_call(1.0)
    with waiting():
        pass
    assert CALL_TIMER.get() is None


def test_a_rate_limit_of_an_api_is_waiting_and_a_slow_server_is_not(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auricle.models.http.rate_limits.asyncio.sleep", clock.sleep)
    limiter = rate_limits.RateLimiter(rpm=2, clock=lambda: clock.now)

    def answer_slowly(handler: Handler) -> None:
        clock.advance(4.0)
        http_reply(body=chat())(handler)

    async def main(url: str) -> list[tuple[float, float]]:
        async with closing_model(OpenAI(base_url=url, model="m")) as model:
            model._rate_limiter = limiter
            senders = [RetryingSender(DirectSlot(model), Settings()) for _ in range(3)]
            for sender in senders:
                await sender(question())
            return [(sender.model_seconds, sender.wait_seconds) for sender in senders]

    with serving(CannedServer([answer_slowly])) as server:
        assert asyncio.run(main(server.url)) == [(4.0, 0.0), (4.0, 26.0), (4.0, 26.0)]


@pytest.mark.parametrize("kind", [StreamingRecogniser, TurnTakingModel])
def test_a_call_that_waits_until_another_has_ended_takes_no_time_of_the_model(
    kind: Any, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def take_two_seconds(*_: object) -> CallRecording:
        await asyncio.sleep(0)  # the others are sent meanwhile
        clock.advance(2.0)
        return CallRecording(events=(), caller=(), agent=(), seconds=2.0, finish="completed")

    monkeypatch.setattr(SessionModel, "call", take_two_seconds)
    monkeypatch.setattr(kind, "__abstractmethods__", frozenset())

    async def main() -> list[tuple[float, float]]:
        slot = DirectSlot(kind(calls=1))
        senders = [RetryingSender(slot, Settings()) for _ in range(3)]
        await asyncio.gather(*(sender(Call(steps=())) for sender in senders))
        return [(sender.model_seconds, sender.wait_seconds) for sender in senders]

    assert asyncio.run(main()) == [(2.0, 0.0), (2.0, 2.0), (2.0, 4.0)]
