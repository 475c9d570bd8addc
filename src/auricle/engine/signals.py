"""Stop a command on Ctrl-C or SIGTERM: gracefully on the first signal, at once on the second."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

SIGNALS = (signal.SIGINT, signal.SIGTERM)
SHOW_CURSOR = "\x1b[?25h"


class InterruptHandler:
    """The signal handler of a command. The first signal raises `KeyboardInterrupt`; a second one ends the process.

    It does so without a traceback and in any phase, even within a library: what is on disk is always complete or can
    be resumed, so nothing has to be cleaned up.
    """

    def __init__(self) -> None:
        self._received = signal.SIGINT

    @property
    def exit_status(self) -> int:
        """130 after Ctrl-C and 143 after SIGTERM, as shells report them."""
        return 128 + self._received

    def install(self) -> None:
        with suppress(ValueError):  # not the main thread
            for number in SIGNALS:
                signal.signal(number, self)

    def uninstall(self) -> None:
        """Let further signals end the process at once."""
        with suppress(ValueError):
            for number in SIGNALS:
                signal.signal(number, signal.SIG_DFL)

    def record(self, number: int) -> None:
        """Record the first signal."""
        self._received = signal.Signals(number)
        self.uninstall()
        sys.unraisablehook = lambda _: None  # an interrupted destructor would print a traceback
        if sys.stderr.isatty():
            sys.stderr.write(SHOW_CURSOR)  # progress bars hide it

    def __call__(self, number: int, _frame: Any) -> None:
        self.record(number)
        raise KeyboardInterrupt


@contextmanager
def stop_on_interrupt(stop: asyncio.Event) -> Iterator[None]:
    """Set `stop` on the first Ctrl-C or SIGTERM, so that requests in flight may finish.

    A second signal ends a command at once. In other programs it is handled as it was before this block.
    """
    from asyncio import get_running_loop

    loop = get_running_loop()
    previous = {number: signal.getsignal(number) for number in SIGNALS}

    def request_stop(number: signal.Signals) -> None:
        stop.set()
        restore_handlers()
        if isinstance(handler := previous[number], InterruptHandler):
            handler.record(number)

    def restore_handlers() -> None:
        for number, handler in previous.items():
            with suppress(RuntimeError, ValueError, NotImplementedError):
                if loop.remove_signal_handler(number):
                    signal.signal(number, handler)

    for number in SIGNALS:
        with suppress(RuntimeError, ValueError, NotImplementedError):  # not the main thread
            loop.add_signal_handler(number, request_stop, number)
    try:
        yield
    finally:
        restore_handlers()
