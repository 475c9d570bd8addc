"""Stopping on Ctrl-C."""

import asyncio
import os
import signal

from auricle.engine.signals import stop_on_interrupt


def test_first_signal_sets_the_event_and_restores_the_default() -> None:
    async def main() -> tuple[bool, bool]:
        stop = asyncio.Event()
        with stop_on_interrupt(stop, signal.SIGUSR1):
            os.kill(os.getpid(), signal.SIGUSR1)
            await asyncio.wait_for(stop.wait(), 5)
            removed = not asyncio.get_running_loop().remove_signal_handler(signal.SIGUSR1)
        return stop.is_set(), removed

    assert asyncio.run(main()) == (True, True)


def test_handlers_are_removed_after_the_block() -> None:
    async def main() -> bool:
        with stop_on_interrupt(asyncio.Event(), signal.SIGUSR1):
            pass
        return asyncio.get_running_loop().remove_signal_handler(signal.SIGUSR1)

    assert asyncio.run(main()) is False
