"""A timer that wakes a coroutine at a time of the monotonic clock.

Event loops round the time that they sleep up to a millisecond. On Linux, a timer of the kernel wakes them on time.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
import time
from typing import Any

_CLOCK_MONOTONIC, _ABSOLUTE_TIME = 1, 1
_NONBLOCK_CLOSE_ON_EXEC = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


class _TimeSpec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _TimerSpec(ctypes.Structure):
    _fields_ = (("interval", _TimeSpec), ("value", _TimeSpec))


class PreciseTimer:
    """Wakes one coroutine at a time; with `asyncio.sleep` where the system has no such timer."""

    def __init__(self) -> None:
        self._library = _load_library()
        self._descriptor = -1
        if self._library is not None:
            self._descriptor = self._library.timerfd_create(_CLOCK_MONOTONIC, _NONBLOCK_CLOSE_ON_EXEC)

    @property
    def is_precise(self) -> bool:
        return self._descriptor >= 0

    async def wait_until(self, when: float) -> None:
        """Return at a time of the monotonic clock, or at once if it has passed."""
        remaining = when - time.monotonic()
        if remaining <= 0:
            return
        if not self.is_precise or not self._set_time(when):
            await asyncio.sleep(remaining)
            return
        loop = asyncio.get_running_loop()
        expired: asyncio.Future[None] = loop.create_future()
        loop.add_reader(self._descriptor, _finish, expired)
        try:
            await expired
        finally:
            loop.remove_reader(self._descriptor)

    def _set_time(self, when: float) -> bool:
        """Set the timer; setting it also discards an earlier expiry."""
        assert self._library is not None
        nanoseconds = max(1, round(when * 1e9))
        value = _TimerSpec(value=_TimeSpec(*divmod(nanoseconds, 1_000_000_000)))
        result: int = self._library.timerfd_settime(self._descriptor, _ABSOLUTE_TIME, ctypes.byref(value), None)
        return result == 0

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1


def _finish(expired: asyncio.Future[None]) -> None:
    if not expired.done():
        expired.set_result(None)


def _load_library() -> Any | None:
    """Return the C library if it has timers with a file descriptor."""
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None, use_errno=True)
    return library if hasattr(library, "timerfd_create") else None
