"""Servers that share the work, and those who wait for one: in order, and nobody forgotten."""

import asyncio
import time
from typing import Any

import pytest

from auricle.models.http.limits import (
    MAX_FAILURES,
    MAX_PAUSE_SECONDS,
    PAUSE_SECONDS,
    AdaptiveLimiter,
    ConnectionPool,
    Endpoint,
)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> Any:
        return self.now


@pytest.fixture
def clock() -> Any:
    return Clock()


def pool_of(*limits: Any, clock: Any = time.monotonic) -> Any:
    """A pool with one endpoint for each limit, named a, b, c."""
    endpoints = []
    for name, limit in zip("abc", limits, strict=False):
        gate = AdaptiveLimiter(clock=clock)
        gate.limit = float(limit)
        endpoints.append(Endpoint(f"http://{name}/v1", gate))
    return ConnectionPool(endpoints, clock)


def entered(pool: Any, number: Any) -> Any:
    """Enter as often as that; the names of where."""

    async def main() -> Any:
        return "".join([(await pool.acquire()).host for _ in range(number)])

    return asyncio.run(main())


async def turns(number: int = 10) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


def fail(pool: Any, endpoint: Any, times: Any = MAX_FAILURES) -> None:
    for _ in range(times):
        pool.record_failure(endpoint)


def test_host_has_no_password() -> None:
    assert Endpoint("http://me:secret@host:80/v1", AdaptiveLimiter()).host == "host:80"


def test_request_goes_to_the_endpoint_with_most_room() -> None:
    assert entered(pool_of(1, 3), 4) == "bbab"


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
    for each in pool.endpoints:
        fail(pool, each)
    assert sorted(entered(pool, 2)) == ["a", "b"]


def test_single_endpoint_is_never_paused(clock: Any) -> None:
    pool = pool_of(1, clock=clock)
    fail(pool, pool.endpoints[0], 10)
    assert entered(pool, 1) == "a"


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
        pool = pool_of(1)
        only = await pool.acquire()
        tasks = [asyncio.create_task(pool.acquire()) for _ in range(8)]
        await turns()
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
        pool = pool_of(1)
        only = await pool.acquire()
        early = [asyncio.create_task(pool.acquire()) for _ in range(2)]
        await turns()
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
        pool = pool_of(1)
        only = await pool.acquire()
        tasks = [asyncio.create_task(pool.acquire()) for _ in range(2)]
        await turns()
        only.limiter.paused_until = time.monotonic() + 0.02
        only.limiter.limit = 2.0
        pool.release(only)  # nobody is inside now, and the gate is closed
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
        for each, until in zip(pool.endpoints, (0.02, 0.06), strict=True):
            each.limiter.paused_until = now + until
        async with asyncio.timeout(2):
            found = await asyncio.gather(pool.acquire(), pool.acquire())
        assert {each.host for each in found} == {"a", "b"}

    asyncio.run(main())


def test_cancelled_waiter_leaves_nothing_behind() -> None:
    async def main() -> None:
        pool = pool_of(1)
        only = await pool.acquire()
        tasks = [asyncio.create_task(pool.acquire()) for _ in range(3)]
        await turns()
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
        pool = pool_of(1)
        only = await pool.acquire()
        tasks = [asyncio.create_task(pool.acquire()) for _ in range(2)]
        await turns()
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
        pool = pool_of(1)
        only = await pool.acquire()
        tasks = [asyncio.create_task(pool.acquire()) for _ in range(2)]
        await turns()
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
        assert [each.limiter.in_flight for each in pool.endpoints] == [0, 0]

    asyncio.run(main())


def test_pause_ending_on_arrival_admits_all_waiters(clock: Any) -> None:
    """Whoever sets the timer anew must not take away the wake-up that was due."""
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
