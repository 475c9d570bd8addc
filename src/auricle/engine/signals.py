"""Stop a run gracefully on Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def stop_on_interrupt(stop: asyncio.Event, *signals: signal.Signals) -> Iterator[None]:
    """Set `stop` on the first signal; a second one interrupts immediately.

    Args:
        stop: Event to set; requests in flight may then finish.
        signals: Signals to handle. Default: SIGINT.
    """
    loop = asyncio.get_running_loop()
    handled = signals or (signal.SIGINT,)

    def request_stop() -> None:
        stop.set()
        remove_handlers()

    def remove_handlers() -> None:
        for number in handled:
            with suppress(RuntimeError, ValueError, NotImplementedError):
                loop.remove_signal_handler(number)

    for number in handled:
        with suppress(RuntimeError, ValueError, NotImplementedError):  # not the main thread
            loop.add_signal_handler(number, request_stop)
    try:
        yield
    finally:
        remove_handlers()
