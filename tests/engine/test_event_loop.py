"""Run coroutines with and without an event loop."""

import asyncio

from auricle.engine.event_loop import run_async


async def answer() -> int:
    await asyncio.sleep(0)
    return 42


def test_a_coroutine_is_run_to_its_end() -> None:
    assert run_async(answer()) == 42


def test_a_running_event_loop_does_not_prevent_it() -> None:
    async def main() -> int:
        return run_async(answer())

    assert asyncio.run(main()) == 42
