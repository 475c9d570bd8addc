"""Blocking calls in the event loop or in threads, depending on how long they take."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from auricle.core import adaptive_executor
from auricle.core.adaptive_executor import CALLS_BETWEEN_TRIALS, AdaptiveExecutor


class Clock:
    """Advances only when a slow call moves it."""

    now = 0.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clock, "now", 0.0)
    monkeypatch.setattr(adaptive_executor, "time", Clock())


@pytest.fixture
def executor() -> Iterator[AdaptiveExecutor]:
    executor = AdaptiveExecutor(4, "test")
    yield executor
    executor.close()


def name_thread() -> str:
    return threading.current_thread().name


def call_slowly() -> str:
    Clock.now += 0.02
    return name_thread()


async def call_in_turn(executor: AdaptiveExecutor, *calls: Callable[[], str]) -> list[bool]:
    """Return for each call whether it ran in the event loop."""
    return [await executor.run(call) == name_thread() for call in calls]


async def after_a_slow_call(executor: AdaptiveExecutor, coroutine: Coroutine[Any, Any, Any]) -> Any:
    await executor.run(call_slowly)
    return await coroutine


def test_short_calls_run_in_the_event_loop(executor: AdaptiveExecutor) -> None:
    assert all(asyncio.run(call_in_turn(executor, *[name_thread] * 100)))


def test_after_a_slow_call_the_next_ones_run_in_threads(executor: AdaptiveExecutor) -> None:
    assert asyncio.run(call_in_turn(executor, *[call_slowly] * 3)) == [True, False, False]


def test_calls_return_to_the_event_loop_when_they_are_short_again(executor: AdaptiveExecutor) -> None:
    calls = [call_slowly, *[name_thread] * (CALLS_BETWEEN_TRIALS + 1)]
    assert asyncio.run(call_in_turn(executor, *calls)) == [True, *[False] * CALLS_BETWEEN_TRIALS, True]


def test_calls_that_stay_slow_are_not_tried_again_in_the_event_loop(executor: AdaptiveExecutor) -> None:
    calls = [call_slowly] * (CALLS_BETWEEN_TRIALS + 3)
    assert sum(asyncio.run(call_in_turn(executor, *calls))) == 1


def test_slow_calls_run_at_the_same_time(executor: AdaptiveExecutor) -> None:
    barrier = threading.Barrier(4, timeout=10)

    def meet(_: int) -> bool:
        return barrier.wait() >= 0

    assert asyncio.run(after_a_slow_call(executor, executor.map(meet, range(4)))) == [True] * 4


@pytest.mark.parametrize("is_slow", [False, True])
def test_a_map_returns_errors_in_the_place_of_results(executor: AdaptiveExecutor, is_slow: bool) -> None:
    def halve(value: int) -> int:
        if value % 2:
            raise ValueError(value)
        return value // 2

    mapping = executor.map(halve, [2, 3, 4])
    first, second, third = asyncio.run(after_a_slow_call(executor, mapping) if is_slow else mapping)
    assert (first, third) == (1, 2)
    assert isinstance(second, ValueError)
