"""What Ctrl-C means to a run: an end, but a tidy one."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def stop_on_interrupt(stop: asyncio.Event, *signals: signal.Signals) -> Iterator[None]:
    """The first Ctrl-C (or other signal) lets what is running finish; the second does not wait."""
    loop = asyncio.get_running_loop()
    known = signals or (signal.SIGINT,)

    def first() -> None:
        stop.set()
        forget()

    def forget() -> None:
        for each in known:
            with suppress(RuntimeError, ValueError, NotImplementedError):
                loop.remove_signal_handler(each)

    for each in known:
        with suppress(RuntimeError, ValueError, NotImplementedError):  # not the main thread
            loop.add_signal_handler(each, first)
    try:
        yield
    finally:
        forget()
