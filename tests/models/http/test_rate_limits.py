"""Limits on concurrency and rate, and the choice of endpoint, with a manual clock."""

import asyncio
import math
import time
from typing import Any

import pytest

from auricle.models.http.rate_limits import (
    BUSY_SHARE,
    HOLD_EPOCHS,
    INITIAL_LIMIT,
    MAX_FAILURES,
    MAX_PAUSE_SECONDS,
    MIN_BUSY_REPLIES,
    PAUSE_SECONDS,
    QUOTA_SECONDS,
    AdaptiveLimiter,
    ConnectionPool,
    Endpoint,
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
    """Complete whole epochs of requests at `rate` per second while the limiter is full."""
    for _ in range(number):
        size = math.ceil(2 * gate.limit)
        gate.in_flight = int(gate.limit)
        gate.has_room()  # one request is turned away
        clock.now += size / rate
        for _ in range(size):
            gate.record_success()


def burst(gate: Any, wait: Any) -> None:
    """Record as many busy replies as it takes to lower the limit."""
    for _ in range(int(max(MIN_BUSY_REPLIES, BUSY_SHARE * 2 * gate.limit)) + 1):
        gate.record_busy(wait)


@pytest.fixture
def slept(clock: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Replace sleeping by advancing the clock, and record the durations."""
    naps = []

    async def sleep(seconds: Any) -> None:
        naps.append(seconds)
        clock.now += seconds

    monkeypatch.setattr("auricle.models.http.rate_limits.asyncio.sleep", sleep)
    return naps


def pool_of(*limits: Any, clock: Any = time.monotonic) -> Any:
    """Build a pool with one endpoint per limit, named a, b, c."""
    endpoints = []
    for name, limit in zip("abc", limits, strict=False):
        gate = AdaptiveLimiter(clock=clock)
        gate.limit = float(limit)
        endpoints.append(Endpoint(f"http://{name}/v1", gate))
    return ConnectionPool(endpoints, clock)


def entered(pool: Any, number: Any) -> Any:
    """Acquire this many times and return the names of the endpoints."""

    async def main() -> Any:
        return "".join([(await pool.acquire()).host for _ in range(number)])

    return asyncio.run(main())


async def turns(number: int = 10) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


def fail(pool: Any, endpoint: Any, times: Any = MAX_FAILURES) -> None:
    for _ in range(times):
        pool.record_failure(endpoint)


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


def test_limit_is_kept_before_the_next_step(clock: Any) -> None:
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
    burst(gate, QUOTA_SECONDS)
    assert not gate.has_room()
    clock.now += MAX_PAUSE_SECONDS
    assert gate.has_room()


def test_quota_that_is_used_up_for_hours_is_no_pause(clock: Any) -> None:
    gate = AdaptiveLimiter(clock=clock)
    burst(gate, float("inf"))
    assert gate.has_room()
    assert gate.limit == pytest.approx(INITIAL_LIMIT * 0.7)


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
        for item in charged:
            pace.record_usage(10, item)
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


def test_host_has_no_password() -> None:
    assert Endpoint("http://me:secret@host:80/v1", AdaptiveLimiter()).host == "host:80"


def test_request_goes_to_the_endpoint_with_most_room() -> None:
    assert entered(pool_of(1, 3), 4) == "bbab"


def test_requests_without_a_limit_are_spread_over_endpoints() -> None:
    assert entered(pool_of("inf", "inf"), 4) == "abab"


def test_failing_endpoint_is_paused(clock: Any) -> None:
    pool = pool_of(4, 2, clock=clock)
    fail(pool, pool.endpoints[0])
    assert entered(pool, 2) == "bb"
    clock.now += PAUSE_SECONDS
    assert entered(pool, 2) == "aa"


def test_failures_during_a_pause_do_not_extend_it(clock: Any) -> None:
    pool = pool_of(4, 4, clock=clock)
    fail(pool, pool.endpoints[0], 50)
    assert pool.endpoints[0].paused_until == clock.now + PAUSE_SECONDS


def test_consecutive_pauses_grow_up_to_a_limit(clock: Any) -> None:
    pool = pool_of(4, 4, clock=clock)
    first, rests = pool.endpoints[0], []
    fail(pool, first, MAX_FAILURES - 1)
    for _ in range(6):
        pool.record_failure(first)
        rests.append(first.paused_until - clock.now)
        clock.now = first.paused_until
    assert rests == [5.0, 10.0, 20.0, 40.0, MAX_PAUSE_SECONDS, MAX_PAUSE_SECONDS]


def test_success_ends_a_pause(clock: Any) -> None:
    pool = pool_of(4, 4, clock=clock)
    first = pool.endpoints[0]
    fail(pool, first)
    pool.record_success(first)
    assert (first.failures, first.pause_count, first.paused_until) == (0, 0, 0.0)


def test_all_endpoints_are_tried_if_all_are_paused(clock: Any) -> None:
    pool = pool_of(1, 1, clock=clock)
    for item in pool.endpoints:
        fail(pool, item)
    assert sorted(entered(pool, 2)) == ["a", "b"]


def test_single_endpoint_is_never_paused(clock: Any) -> None:
    pool = pool_of(1, clock=clock)
    fail(pool, pool.endpoints[0], 10)
    assert entered(pool, 1) == "a"


async def full_pool(waiters: int) -> Any:
    """Return a pool with one slot, its endpoint in use, and the tasks that wait for it."""
    pool = pool_of(1)
    only = await pool.acquire()
    tasks = [asyncio.create_task(pool.acquire()) for _ in range(waiters)]
    await turns()
    return pool, only, tasks


def test_waiters_are_served_in_order() -> None:
    async def main() -> None:
        pool, order = pool_of(1), []
        only = await pool.acquire()

        async def one(name: Any) -> None:
            order.append((name, await pool.acquire())[0])
            await turns(2)
            pool.release(only)

        tasks = [asyncio.create_task(one(at)) for at in range(20)]
        await turns()
        pool.release(only)
        await asyncio.gather(*tasks)
        assert order == list(range(20))
        assert only.limiter.in_flight == 0

    asyncio.run(main())


def test_raised_limit_is_used_immediately() -> None:
    async def main() -> None:
        pool, only, tasks = await full_pool(8)
        only.limiter.limit = 6.0
        pool.release(only)
        await turns(20)
        assert sum(task.done() for task in tasks) == 6
        only.limiter.limit = 8.0
        pool.release(only)
        await asyncio.gather(*tasks)

    asyncio.run(main())


def test_new_request_queues_behind_waiters() -> None:
    async def main() -> None:
        pool, only, early = await full_pool(2)
        only.limiter.limit = 2.0
        late = asyncio.create_task(pool.acquire())
        await turns()
        pool.release(only)
        await asyncio.gather(*early)
        assert not late.done()
        pool.release(only)
        await late

    asyncio.run(main())


def test_waiters_wake_when_a_busy_pause_ends() -> None:
    async def main() -> None:
        pool = pool_of(3)
        only = pool.endpoints[0]
        only.limiter.paused_until = time.monotonic() + 0.02
        only.limiter.limit = 3.0
        async with asyncio.timeout(2):
            await asyncio.gather(*[pool.acquire() for _ in range(3)])

    asyncio.run(main())


def test_waiters_wake_when_the_pause_began_after_they_queued() -> None:
    async def main() -> None:
        pool, only, tasks = await full_pool(2)
        only.limiter.paused_until = time.monotonic() + 0.02
        only.limiter.limit = 2.0
        pool.release(only)  # no request is in flight, and the limiter is paused
        async with asyncio.timeout(2):
            await asyncio.gather(*tasks)

    asyncio.run(main())


def test_waiters_wake_when_an_endpoint_pause_ends() -> None:
    async def main() -> None:
        pool = pool_of(1, 1)
        first, second = pool.endpoints
        first.paused_until = time.monotonic() + 0.02
        assert await pool.acquire() is second
        async with asyncio.timeout(2):
            assert await pool.acquire() is first

    asyncio.run(main())


def test_every_end_of_a_pause_wakes_a_waiter() -> None:
    async def main() -> None:
        pool = pool_of(1, 1)
        now = time.monotonic()
        for item, until in zip(pool.endpoints, (0.02, 0.06), strict=True):
            item.limiter.paused_until = now + until
        async with asyncio.timeout(2):
            result = await asyncio.gather(pool.acquire(), pool.acquire())
        assert {item.host for item in result} == {"a", "b"}

    asyncio.run(main())


def test_cancelled_waiter_leaves_nothing_behind() -> None:
    async def main() -> None:
        pool, only, tasks = await full_pool(3)
        tasks[0].cancel()
        await turns()
        pool.release(only)
        assert await tasks[1] is only
        pool.release(only)
        assert await tasks[2] is only
        pool.release(only)
        assert only.limiter.in_flight == 0

    asyncio.run(main())


@pytest.mark.parametrize("closed", [False, True])
def test_waiter_cancelled_after_waking_wakes_the_next(closed: bool) -> None:
    async def main() -> None:
        pool, only, tasks = await full_pool(2)
        if closed:
            only.limiter.paused_until = time.monotonic() + 0.02
        pool.release(only)  # wakes the first, which has not run yet
        tasks[0].cancel()
        async with asyncio.timeout(2):
            assert await tasks[1] is only
        assert tasks[0].cancelled()
        assert only.limiter.in_flight == 1

    asyncio.run(main())


def test_waiter_cancelled_before_waking_is_skipped() -> None:
    async def main() -> None:
        pool, only, tasks = await full_pool(2)
        tasks[0].cancel()
        pool.release(only)
        assert await tasks[1] is only
        assert tasks[0].cancelled()

    asyncio.run(main())


def test_no_slot_is_lost_under_random_cancellation() -> None:
    async def main() -> None:
        pool = pool_of(3, 2)

        async def one(at: Any) -> None:
            endpoint = await pool.acquire()
            try:
                if at % 7 == 0:
                    endpoint.limiter.paused_until = time.monotonic() + 0.001
                await asyncio.sleep(0.0005 * (at % 3))
            finally:
                pool.release(endpoint)

        tasks = [asyncio.create_task(one(at)) for at in range(300)]
        for at, task in enumerate(tasks[::5]):
            asyncio.get_running_loop().call_later(0.0003 * (at * 7 % 40), task.cancel)
        async with asyncio.timeout(5):
            await asyncio.gather(*tasks, return_exceptions=True)
        assert [item.limiter.in_flight for item in pool.endpoints] == [0, 0]

    asyncio.run(main())


def test_pause_ending_on_arrival_admits_all_waiters(clock: Any) -> None:
    """Resetting the timer must not cancel a wake-up that is due."""
    pool = pool_of(4, clock=clock)
    pool.endpoints[0].limiter.paused_until = clock.now + 0.01

    async def main() -> None:
        waiting = asyncio.create_task(pool.acquire())
        await turns()
        clock.now += 0.01  # due, and the timer has not been heard yet
        coming = asyncio.create_task(pool.acquire())
        await asyncio.wait_for(asyncio.gather(waiting, coming), 5)

    asyncio.run(main())
    assert pool.endpoints[0].limiter.in_flight == 2
