"""Send one request: look it up in the cache, retry transient errors, abort when every request fails."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from auricle.core.calls import CallRecording
from auricle.core.errors import (
    AllRequestsFailed,
    AudioError,
    Rejected,
    Skipped,
    SpecError,
    Transient,
    Unreachable,
    describe,
)
from auricle.core.types import Call, Output, Request
from auricle.engine.batching import RunStopped
from auricle.engine.outputs import normalise_output
from auricle.engine.settings import Cache, Settings
from auricle.media import Audio, Video
from auricle.models.call_timer import CallTimer, start_call_timer

FAIL_FAST_AFTER = 20
"""Identical failures, with no success yet, after which the run is aborted."""
PASSING_ERRORS = (AudioError, Skipped, Transient, SpecError, RunStopped)
"""Errors of a sample, of a moment or of the run, which do not show that every other request would fail too."""
MAX_RETRY_AFTER = 300.0
"""Longest `Retry-After` in seconds that is honoured, and longest time without an answer that a busy server gets."""


class Slot(Protocol):
    """What one sample uses to send its requests."""

    async def send(self, request: Request) -> Output: ...
    def release(self) -> None:
        """Called when the sample is finished or waits before a retry."""

    def reacquire(self) -> None:
        """Called when the sample continues after a wait."""


class FailFast:
    """Ends a run that makes no progress: its first requests fail with the same error, or a quota is used up.

    Args:
        stop: Set when the quota is used up; samples that wait for a retry then end at once.
        clock: Returns the time in seconds.
    """

    def __init__(self, stop: asyncio.Event | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.stop = stop or asyncio.Event()
        self.stop_reason = ""
        """Why the run was stopped; empty if it was not."""
        self._clock = clock
        self._failure_counts: Counter[str] = Counter()
        self._has_success = False
        self._busy_replies = 0
        self._busy_since = 0.0

    def record_success(self) -> None:
        self._has_success = True
        self._busy_replies = 0

    def record_failure(self, error: Exception) -> None:
        """Count a failure that concerns the server or the model rather than the sample.

        Raises:
            AllRequestsFailed: after `FAIL_FAST_AFTER` identical failures.
            RunStopped: if the server asks to wait too long.
        """
        if isinstance(error, Transient) and error.retry_after is not None:
            self._record_busy(error, error.retry_after)
        is_of_server = isinstance(error, (Unreachable, Rejected))
        if self._has_success or (isinstance(error, PASSING_ERRORS) and not is_of_server):
            return
        message = str(error).partition(" from ")[0][:8] if is_of_server else str(error)
        cause = f"{type(error).__name__} {message}"
        self._failure_counts[cause] += 1
        if len(self._failure_counts) == 1 and self._failure_counts[cause] >= FAIL_FAST_AFTER:
            raise AllRequestsFailed(
                f"The first {FAIL_FAST_AFTER} requests failed with the same error: {describe(error).rstrip('.')}. "
                "No request succeeded. Fix the cause and run the same command again."
            ) from error

    def _record_busy(self, error: Transient, wait: float) -> None:
        """Stop the run if the server asks to wait for long, or has refused everything for as long."""
        now = self._clock()
        if not self._busy_replies:
            self._busy_since = now
        self._busy_replies += 1
        elapsed = now - self._busy_since + wait
        is_persistent = self._busy_replies >= FAIL_FAST_AFTER and elapsed > MAX_RETRY_AFTER
        if wait > MAX_RETRY_AFTER or is_persistent:
            reason = f"Retry-After: {wait:,.0f} s" if wait > MAX_RETRY_AFTER else f"{self._busy_replies} times in a row"
            self.stop_reason = f"the quota of the server is used up ({reason}): {str(error).rstrip('.')}"
            self.stop.set()
            raise RunStopped from error

    async def sleep(self, seconds: float) -> None:
        """Wait before a retry; raise `RunStopped` as soon as the run is being stopped."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.stop.wait(), seconds)
            raise RunStopped


class RetryingSender:
    """Sends the requests of one sample, with caching and exponential backoff.

    Args:
        slot: Where requests are sent.
        settings: Number of attempts, backoff and cache.
        fail_fast: Aborts the run when every request fails; shared by all samples.
        has_media: Whether the sample has media, so that its requests may contain audio.
    """

    __slots__ = (
        *("_fail_fast", "_has_media", "_lookups", "_settings", "_slot"),
        *("attempts", "cache_hits", "has_sent_audio", "model_seconds", "wait_seconds"),
    )

    def __init__(
        self, slot: Slot, settings: Settings, fail_fast: FailFast | None = None, *, has_media: bool = True
    ) -> None:
        self._slot = slot
        self._settings = settings
        self._fail_fast = fail_fast
        self._has_media = has_media
        self._lookups = asyncio.Lock()
        self.attempts = 1
        self.cache_hits = 0
        self.has_sent_audio: bool | None = None
        """Whether a request contained audio or video; None before the first request."""
        self.model_seconds = self.wait_seconds = 0.0
        """Time that the model took, and time that requests waited, summed over the requests."""

    def __call__(self, request: Request) -> Awaitable[Output]:
        if self._has_media and not self.has_sent_audio:
            self.has_sent_audio = any(isinstance(part, (Audio, Video)) for part in request.parts)
        cache = None if isinstance(request, Call) else self._settings.cache  # no two calls are the same
        return self._send_timed(request) if cache is None else self._send_unless_cached(request, cache)

    async def _send_unless_cached(self, request: Request, cache: Cache) -> Output:
        async with self._lookups:  # one at a time, so that requests are sent in their order
            cached_output = await asyncio.to_thread(cache.get, request)
        if cached_output:
            self.cache_hits += 1
            return cached_output
        output = await self._send_timed(request)
        await asyncio.to_thread(cache.put, request, output)
        return output

    async def _send_timed(self, request: Request) -> Output:
        timer = start_call_timer()
        try:
            return await self._call_again_if_dropped(request, timer)
        finally:
            timer.stop()
            self.model_seconds += timer.model_seconds
            self.wait_seconds += timer.wait_seconds

    async def _call_again_if_dropped(self, request: Request, timer: CallTimer) -> Output:
        """Send a request, and again if it is a call that the agent drops, as often as the settings allow."""
        output = await self._send_with_retries(request, timer)
        for drops in range(1, self._settings.retry_dropped + 1):
            if not (isinstance(output, CallRecording) and output.is_dropped):
                break
            self.attempts += 1
            output = await self._send_with_retries(request, timer)
            if isinstance(output, CallRecording):
                output = replace(output, earlier_drops=drops)
        return output

    async def _send_with_retries(self, request: Request, timer: CallTimer) -> Output:
        for attempt in range(1, self._settings.max_attempts + 1):
            timer.start()
            try:
                output = normalise_output(request, await self._slot.send(request))
            except Exception as error:
                if self._fail_fast:
                    self._fail_fast.record_failure(error)
                if not isinstance(error, Transient) or attempt == self._settings.max_attempts:
                    raise
                backoff = self._settings.initial_backoff * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)
                retry_after = error.retry_after or 0.0
                if retry_after > MAX_RETRY_AFTER:
                    raise
                await self._back_off(max(backoff, retry_after * random.uniform(1.0, 1.2)))
                self.attempts = max(self.attempts, attempt + 1)
            else:
                if self._fail_fast:
                    self._fail_fast.record_success()
                return output
        raise AssertionError("the last attempt returns or raises")

    async def _back_off(self, seconds: float) -> None:
        self._slot.release()
        try:
            await (self._fail_fast.sleep if self._fail_fast else asyncio.sleep)(seconds)
        finally:
            self._slot.reacquire()
