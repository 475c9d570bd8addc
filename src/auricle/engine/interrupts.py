"""Stop a command on Ctrl-C or SIGTERM: gracefully on the first signal, at once on the second."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from auricle.core.errors import ExitStatus

if TYPE_CHECKING:
    import asyncio

SIGNALS = (signal.SIGINT, signal.SIGTERM)
TERMINATION_SECONDS = 20.0
"""Seconds after SIGTERM in which requests in flight may finish."""
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


def end_at_once(reason: str) -> None:
    """End this command, whose main thread does not return from user code; what is on disk can be resumed."""
    sys.stderr.write(f"auricle: {reason} Completed samples are saved: run the same command again to resume.\n")
    sys.stderr.flush()
    os._exit(ExitStatus.ERROR)


def restore_handlers(previous: Mapping[signal.Signals, Any], current: Callable[[int, Any], None]) -> None:
    """Install earlier handlers again, where the current one is still in place."""
    for number, handler in previous.items():
        with suppress(TypeError, ValueError):  # not the main thread, or a handler that is not of Python
            if signal.getsignal(number) is current:
                signal.signal(number, handler)


@contextmanager
def stop_on_interrupt(stop: asyncio.Event) -> Iterator[None]:
    """Set `stop` on the first Ctrl-C or SIGTERM, so that requests in flight may finish.

    A second signal ends a command at once, and so does SIGTERM after a while. In other programs it is handled as it
    was before this block.
    """
    from asyncio import get_running_loop

    from auricle.core.user_code import WATCH

    loop = get_running_loop()
    previous: dict[signal.Signals, Any] = {number: signal.getsignal(number) for number in SIGNALS}

    def request_stop(number: int, _frame: Any) -> None:
        WATCH.is_stopping = True
        loop.call_soon_threadsafe(stop.set)
        restore_handlers(previous, request_stop)
        if isinstance(handler := previous[signal.Signals(number)], InterruptHandler):
            handler.record(number)
            if number == signal.SIGTERM:  # who sent it is likely to wait, but not for long
                timer.start()

    if any(isinstance(handler, InterruptHandler) for handler in previous.values()):
        WATCH.on_stuck = end_at_once
    timer = threading.Timer(TERMINATION_SECONDS, os.kill, (os.getpid(), signal.SIGTERM))
    timer.daemon = True
    # Not by the event loop, which user code may block: the second signal has to be received then, too.
    for number in SIGNALS:
        with suppress(ValueError):  # not the main thread
            signal.signal(number, request_stop)
    try:
        yield
    finally:
        timer.cancel()
        restore_handlers(previous, request_stop)
