"""How much is sent at once, where and how fast, mostly by a clock that the test turns."""

import asyncio
import math
from typing import Any

import pytest

from auricle.models.http.limits import (
    BUSY_SHARE,
    HOLD_EPOCHS,
    INITIAL_LIMIT,
    MAX_PAUSE_SECONDS,
    MIN_BUSY_REPLIES,
    AdaptiveLimiter,
    RateLimiter,
)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> Any:
        return self.now


@pytest.fixture
def clock() -> Any:
    return Clock()


def rounds(gate: Any, clock: Any, rate: Any, number: int = 1) -> None:
    """Let a crowded gate answer whole rounds of requests, at `rate` a second."""
    for _ in range(number):
        size = math.ceil(2 * gate.limit)
        gate.in_flight = int(gate.limit)
        gate.has_room()  # somebody is turned away
        clock.now += size / rate
        for _ in range(size):
            gate.record_success()


# --- the gate --------------------------------------------------------------------


def test_limit_grows_while_throughput_grows(clock: Any) -> None:
    gate = AdaptiveLimiter(clock=clock)
    for at in range(4):
        rounds(gate, clock, rate=100 * 2**at)
    assert gate.limit == INITIAL_LIMIT * 2**4


def test_step_without_gain_is_undone(clock: Any) -> None:
    gate = AdaptiveLimiter(clock=clock)
    rounds(gate, clock, rate=100)
    assert gate.limit == 2 * INITIAL_LIMIT
    rounds(gate, clock, rate=101)
    assert gate.limit == INITIAL_LIMIT


def test_limit_is_held_before_the_next_step(clock: Any) -> None:
    gate = AdaptiveLimiter(clock=clock)
    rounds(gate, clock, rate=100, number=2)
    rounds(gate, clock, rate=100, number=HOLD_EPOCHS - 1)
    assert gate.limit == INITIAL_LIMIT
    rounds(gate, clock, rate=100)
    assert gate.limit == 2 * INITIAL_LIMIT
    rounds(gate, clock, rate=200)
    assert gate.limit == 4 * INITIAL_LIMIT


def test_limit_that_is_not_reached_stays(clock: Any) -> None:
    gate = AdaptiveLimiter(clock=clock)
    for _ in range(100):
        clock.now += 0.01
        gate.record_success()
    assert gate.limit == INITIAL_LIMIT


def burst(gate: Any, wait: Any) -> None:
    """As many busy replies as it takes for the gate to believe them."""
    for _ in range(int(max(MIN_BUSY_REPLIES, BUSY_SHARE * 2 * gate.limit)) + 1):
        gate.record_busy(wait)


def test_frequent_busy_replies_lower_the_limit(clock: Any) -> None:
    gate = AdaptiveLimiter(clock=clock)
    burst(gate, 1.0)
    assert gate.limit == pytest.approx(INITIAL_LIMIT * 0.7)
    burst(gate, 1.0)
    assert gate.limit == pytest.approx(INITIAL_LIMIT * 0.49)


def test_occasional_busy_replies_keep_the_limit(clock: Any) -> None:
    gate = AdaptiveLimiter(clock=clock)
    for _ in range(50):
        gate.record_busy(1.0)
        for _ in range(11):
            clock.now += 0.01
            gate.record_success()
    assert gate.limit == INITIAL_LIMIT
    assert gate.has_room()


def test_replies_to_earlier_requests_do_not_lower_the_limit_again(clock: Any) -> None:
    gate = AdaptiveLimiter(clock=clock)
    gate.in_flight = 16
    for _ in range(16):
        gate.record_busy(None)
        gate.in_flight -= 1
    assert gate.limit == pytest.approx(INITIAL_LIMIT * 0.7)


def test_limit_never_falls_below_one(clock: Any) -> None:
    gate = AdaptiveLimiter(clock=clock)
    for _ in range(50):
        burst(gate, None)
        clock.now += 1.0
    assert gate.limit == 1.0
    assert gate.has_room()


def test_busy_pause_lasts_as_long_as_retry_after(clock: Any) -> None:
    gate = AdaptiveLimiter(clock=clock)
    burst(gate, 3.0)
    clock.now += 2.9
    assert not gate.has_room()
    clock.now += 0.2
    assert gate.has_room()


def test_busy_pause_is_capped(clock: Any) -> None:
    gate = AdaptiveLimiter(clock=clock)
    burst(gate, float("inf"))
    clock.now += MAX_PAUSE_SECONDS
    assert gate.has_room()


def test_limit_recovers_gradually_after_a_burst(clock: Any) -> None:
    gate = AdaptiveLimiter(clock=clock)
    for _ in range(5):
        burst(gate, None)
        clock.now += 1.0
    small = gate.limit
    rounds(gate, clock, rate=100, number=HOLD_EPOCHS)
    assert gate.limit == 2 * small
    rounds(gate, clock, rate=100)
    assert gate.limit == small


def test_non_adaptive_limiter_admits_all(clock: Any) -> None:
    gate = AdaptiveLimiter(adaptive=False, clock=clock)
    gate.record_busy(100.0)
    rounds(gate, clock, rate=1)
    gate.in_flight = 500
    assert gate.has_room()


# --- the pace --------------------------------------------------------------------


@pytest.fixture
def slept(clock: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sleeping turns the clock, and is noted."""
    naps = []

    async def sleep(seconds: Any) -> None:
        naps.append(seconds)
        clock.now += seconds

    monkeypatch.setattr("auricle.models.http.limits.asyncio.sleep", sleep)
    return naps


def test_requests_are_spread_evenly_over_a_minute(clock: Any, slept: Any) -> None:
    pace = RateLimiter(rpm=120, clock=clock)

    async def main() -> Any:
        return [(await pace.wait(), clock.now)[1] for _ in range(4)]

    assert asyncio.run(main()) == [100.0, 100.5, 101.0, 101.5]


def test_no_rate_limit_means_no_waiting(clock: Any, slept: Any) -> None:
    pace = RateLimiter(clock=clock)
    asyncio.run(pace.wait())
    pace.record_usage(1e9, 0.0)
    asyncio.run(pace.wait())
    assert slept == []


def test_used_tokens_delay_the_next_request(clock: Any, slept: Any) -> None:
    pace = RateLimiter(tpm=60, clock=clock)

    async def main() -> None:
        pace.record_usage(10, await pace.wait())
        await pace.wait()

    asyncio.run(main())
    assert slept == [10.0]


def test_every_request_of_a_burst_is_charged(clock: Any, slept: Any) -> None:
    pace = RateLimiter(tpm=60, clock=clock)

    async def main() -> None:
        charged = [await pace.wait() for _ in range(5)]  # nothing is known of them yet
        for each in charged:
            pace.record_usage(10, each)
        await pace.wait()

    asyncio.run(main())
    assert slept == [50.0]


def test_wrong_token_estimate_is_corrected(clock: Any, slept: Any) -> None:
    pace = RateLimiter(tpm=60, clock=clock)

    async def main() -> None:
        pace.record_usage(10, await pace.wait())
        charged = await pace.wait()
        assert charged == 10.0
        pace.record_usage(1, charged)
        await pace.wait()

    asyncio.run(main())
    assert slept == [10.0, 1.0]


def test_idle_time_is_not_accumulated(clock: Any, slept: Any) -> None:
    pace = RateLimiter(rpm=60, clock=clock)

    async def main() -> None:
        await pace.wait()
        clock.now += 100.0
        await pace.wait()
        await pace.wait()

    asyncio.run(main())
    assert slept == [1.0]
