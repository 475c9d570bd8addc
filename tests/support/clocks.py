"""A clock that only tests advance."""

from __future__ import annotations

import asyncio

import pytest


class FakeClock:
    """Stands for `time.perf_counter`; sleeping advances it instead of waiting."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr("time.perf_counter", lambda: self.now)

    def advance(self, seconds: float) -> None:
        self.now += seconds

    async def sleep(self, seconds: float) -> None:
        self.advance(seconds)
        await _yield_to_other_tasks()


async def _yield_to_other_tasks() -> None:
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(future.set_result, None)
    await future
