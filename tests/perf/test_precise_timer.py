import asyncio
import time

import pytest

from auricle.perf import precise_timer
from auricle.perf.precise_timer import PreciseTimer


def wait_several_times(timer: PreciseTimer, *delays: float) -> list[float]:
    """Return how late the timer returns after each delay."""

    async def wait() -> list[float]:
        lateness = []
        for delay in delays:
            when = time.monotonic() + delay
            await timer.wait_until(when)
            lateness.append(time.monotonic() - when)
        return lateness

    return asyncio.run(wait())


@pytest.mark.parametrize("has_timers", [True, False])
def test_timer_never_returns_early(has_timers: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not has_timers:
        monkeypatch.setattr(precise_timer, "_load_library", lambda: None)
    timer = PreciseTimer()
    assert has_timers or not timer.is_precise
    lateness = wait_several_times(timer, 0.02, 0.0005, 0.011)
    timer.close()
    assert min(lateness) > -0.001  # a loop may end a sleep within its clock's resolution
    assert max(lateness) < 2.0


def test_time_that_has_passed_is_not_waited_for() -> None:
    timer = PreciseTimer()
    assert wait_several_times(timer, -5.0)[0] >= 5.0
    timer.close()


def test_timer_can_be_cancelled_and_used_again() -> None:
    async def cancel_and_wait() -> bool:
        timer = PreciseTimer()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(timer.wait_until(time.monotonic() + 60), 0.01)
        when = time.monotonic() + 0.01
        await timer.wait_until(when)
        timer.close()
        timer.close()
        return time.monotonic() >= when - 0.001

    assert asyncio.run(cancel_and_wait())
