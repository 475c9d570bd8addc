"""Run blocking calls in the event loop while they are short, and in threads otherwise."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

MAX_INLINE_SECONDS = 0.002
"""Average duration up to which calls run in the event loop."""
MAX_TRIAL_SECONDS = 0.01
"""Duration in a thread, where waiting for the interpreter lock counts, above which a call is not tried in the loop."""
CALLS_BETWEEN_TRIALS = 32
AVERAGE_WEIGHT = 1 / 8  # a single call that the operating system interrupts does not matter

T = TypeVar("T")
R = TypeVar("R")


class AdaptiveExecutor:
    """Runs blocking calls of one kind, such as reading audio files.

    A call of a fraction of a millisecond is faster in the event loop: passing it to a thread and back takes longer, and
    the two threads then wait for each other's interpreter lock. Longer calls and slow storage need threads.

    Args:
        max_threads: Maximum calls at the same time.
        name: Prefix of the names of the threads.
    """

    def __init__(self, max_threads: int, name: str) -> None:
        self._threads = ThreadPoolExecutor(max_threads, thread_name_prefix=name)
        self._calls_until_trial = 0
        self._average = MAX_INLINE_SECONDS
        self._shortest_in_thread = 0.0  # the first call is tried in the event loop

    async def run(self, function: Callable[..., T], *arguments: object) -> T:
        """Return the result of one call."""
        if self._runs_inline():
            return self._call_inline(function, *arguments)
        return await self._call_in_thread(function, *arguments)

    async def map(self, function: Callable[[T], R], items: Sequence[T]) -> list[R | BaseException]:
        """Return the result of a call for each item, or the error it raised."""
        results: list[R | BaseException] = []
        for position, item in enumerate(items):
            if not self._runs_inline():
                calls = (self._call_in_thread(function, remaining) for remaining in items[position:])
                return [*results, *await asyncio.gather(*calls, return_exceptions=True)]
            try:
                results.append(self._call_inline(function, item))
            except Exception as error:  # noqa: BLE001 - returned to the caller
                results.append(error)
        return results

    def close(self) -> None:
        """Cancel the calls that have not started."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _runs_inline(self) -> bool:
        if not self._calls_until_trial and self._shortest_in_thread > MAX_TRIAL_SECONDS:
            self._use_threads()
        return not self._calls_until_trial

    def _use_threads(self) -> None:
        self._calls_until_trial = CALLS_BETWEEN_TRIALS
        self._average = MAX_INLINE_SECONDS
        self._shortest_in_thread = math.inf

    def _call_inline(self, function: Callable[..., T], *arguments: object) -> T:
        started_at = time.perf_counter()
        try:
            return function(*arguments)
        finally:
            self._average += (time.perf_counter() - started_at - self._average) * AVERAGE_WEIGHT
            if self._average > MAX_INLINE_SECONDS:
                self._use_threads()

    async def _call_in_thread(self, function: Callable[..., T], *arguments: object) -> T:
        self._calls_until_trial = max(0, self._calls_until_trial - 1)
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._call_timed, function, *arguments)

    def _call_timed(self, function: Callable[..., T], *arguments: object) -> T:
        started_at = time.perf_counter()
        try:
            return function(*arguments)
        finally:
            self._shortest_in_thread = min(self._shortest_in_thread, time.perf_counter() - started_at)
