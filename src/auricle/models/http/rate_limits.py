"""Limits on concurrency and request rate, and the choice of endpoint.

Each endpoint has a limiter that raises its limit while that increases throughput and lowers it when the server
reports that it is busy. A request goes to the endpoint with the most room, so fast servers get more work than slow
ones, and servers that fail are paused.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

INITIAL_LIMIT = 16  # requests in flight before anything is known about the server
MAX_LIMIT = 1024
MIN_RATE_GAIN = 1.05  # a step with a smaller gain did not help
HOLD_EPOCHS = 20  # epochs before the next step, after one that did not help
SHRINK_FACTOR = 0.7
BUSY_SHARE, MIN_BUSY_REPLIES = (0.2, 3)  # share of an epoch, and minimum number, of busy replies that lower the limit
MAX_FAILURES = 3  # consecutive failures before an endpoint is paused
PAUSE_SECONDS, MAX_PAUSE_SECONDS = (5.0, 60.0)  # first pause, doubled each time, and longest pause
QUOTA_SECONDS = 300.0  # a longer Retry-After means a used-up quota, which no pause restores
BUSY_PAUSE_SECONDS = 0.05  # used if a busy server sends no Retry-After
Clock = Callable[[], float]


class AdaptiveLimiter:
    """Limits the requests in flight at one server, and adapts the limit to its throughput."""

    def __init__(self, *, adaptive: bool = True, max_limit: float = MAX_LIMIT, clock: Clock = time.monotonic) -> None:
        self.limit = float(INITIAL_LIMIT if adaptive else max_limit)
        self.in_flight = 0
        self.paused_until = 0.0
        self._adaptive = adaptive
        self._clock = clock
        self._epochs_on_hold = 0
        self._stale_requests = 0  # sent before the limit was last lowered, so their outcome does not reflect it
        self._start_epoch(0.0)

    def _start_epoch(self, best_rate: float) -> None:
        """Start an epoch, over which the request rate is measured."""
        self._epoch_start, self._completed, self._busy_replies, self._was_full = (self._clock(), 0, 0, False)
        self._best_rate = best_rate

    def has_room(self) -> bool:
        below_limit = self.in_flight + 1 <= self.limit
        self._was_full |= not below_limit
        return below_limit and self._clock() >= self.paused_until

    def record_success(self) -> None:
        """Count a completed request; at the end of an epoch, raise or lower the limit."""
        if self._consume_stale():
            return
        self._completed += 1
        if not self._adaptive or self._completed < 2 * self.limit:
            return
        rate = self._completed / max(1e-6, self._clock() - self._epoch_start)
        self._epochs_on_hold = max(0, self._epochs_on_hold - 1)
        if self._epochs_on_hold or not self._was_full:
            self._start_epoch(0.0)  # no comparable rate: try a step after the next full epoch
        elif rate > self._best_rate * MIN_RATE_GAIN:
            self.limit = min(float(MAX_LIMIT), self.limit * 2)
            self._start_epoch(rate)
        else:  # the last step did not help: undo it and try again later
            self.limit = max(1.0, self.limit / 2)
            self._epochs_on_hold = HOLD_EPOCHS
            self._start_epoch(0.0)

    def record_busy(self, retry_after: float | None) -> None:
        """Count a busy reply; after several, lower the limit and pause as long as the server asks.

        Occasional busy replies are ignored, otherwise the limit would fall to one request at a time.
        """
        if not self._adaptive or self._consume_stale():
            return
        self._busy_replies += 1
        if self._busy_replies <= max(MIN_BUSY_REPLIES, BUSY_SHARE * 2 * self.limit):
            return
        self.limit = max(1.0, self.limit * SHRINK_FACTOR)
        if (retry_after or 0.0) <= QUOTA_SECONDS:
            self.paused_until = self._clock() + min(retry_after or BUSY_PAUSE_SECONDS, MAX_PAUSE_SECONDS)
        self._epochs_on_hold, self._stale_requests = HOLD_EPOCHS, self.in_flight - 1
        self._start_epoch(0.0)

    def _consume_stale(self) -> bool:
        self._stale_requests, stale = max(0, self._stale_requests - 1), self._stale_requests > 0
        return stale


class RateLimiter:
    """Spreads requests and tokens evenly over a minute. Tokens are estimated first and corrected later."""

    def __init__(self, rpm: float | None = None, tpm: float | None = None, clock: Clock = time.monotonic) -> None:
        self._seconds_per_request = 60.0 / rpm if rpm else 0.0
        self._seconds_per_token = 60.0 / tpm if tpm else 0.0
        self._clock = clock
        self._next_request_at = self._next_token_at = 0.0
        self._average_tokens = 0.0  # moving average per request

    async def wait(self) -> float:
        """Wait until the next request may be sent and return the tokens charged for it."""
        if not self._seconds_per_request and not self._seconds_per_token:
            return 0.0
        now, charged = self._clock(), self._average_tokens
        due = max(now, self._next_request_at, self._next_token_at)
        self._next_request_at = max(now, self._next_request_at) + self._seconds_per_request
        self._next_token_at = max(now, self._next_token_at) + charged * self._seconds_per_token
        if due > now:
            await asyncio.sleep(due - now)
        return charged

    def record_usage(self, tokens: float, charged_tokens: float) -> None:
        """Correct the charge for a request with its actual token count."""
        self._next_token_at += (tokens - charged_tokens) * self._seconds_per_token
        self._average_tokens = 0.8 * self._average_tokens + 0.2 * tokens if self._average_tokens else float(tokens)


@dataclass(slots=True, eq=False)
class Endpoint:
    """One server with its limiter and its health."""

    url: str
    limiter: AdaptiveLimiter
    failures: int = 0
    """Consecutive failures."""
    pause_count: int = 0
    paused_until: float = 0.0

    @property
    def room(self) -> tuple[float, int]:
        """Return how many requests may be added; endpoints without a limit are compared by those in flight."""
        return self.limiter.limit - self.limiter.in_flight, -self.limiter.in_flight

    @property
    def host(self) -> str:
        """Return the host name for messages, without a password."""
        return urlsplit(self.url).netloc.rpartition("@")[2]


@dataclass(eq=False)
class ConnectionPool:
    """Endpoints that share the work; each request goes to the one with the most room.

    Waiting requests are served in order. While there is room and a request waits, one waiter has been woken: acquiring,
    releasing and cancelling each wake the next one.
    """

    endpoints: Sequence[Endpoint]
    clock: Clock = time.monotonic
    _waiters: deque[asyncio.Future[None]] = field(default_factory=deque)
    _timer: asyncio.TimerHandle | None = None

    async def acquire(self) -> Endpoint:
        endpoint = None if self._waiters else self._pick_endpoint()
        woken = False
        while endpoint is None:
            await self._wait_turn(at_front=woken)
            endpoint, woken = self._pick_endpoint(), True
        endpoint.limiter.in_flight += 1
        self._wake_if_room()
        return endpoint

    def release(self, endpoint: Endpoint) -> None:
        endpoint.limiter.in_flight -= 1
        self._wake_next()

    def record_success(self, endpoint: Endpoint) -> None:
        self.record_reachable(endpoint)
        endpoint.limiter.record_success()

    def record_reachable(self, endpoint: Endpoint) -> None:
        """Mark an endpoint as reachable, whatever its status."""
        endpoint.failures = endpoint.pause_count = 0
        endpoint.paused_until = 0.0

    def record_failure(self, endpoint: Endpoint) -> None:
        """Count a server failure; after several in a row, pause the endpoint.

        Otherwise an endpoint that fails immediately would always have room and attract all requests.
        """
        now = self.clock()
        if endpoint.paused_until > now:
            return  # sent before the pause began
        endpoint.failures += 1
        if endpoint.failures >= MAX_FAILURES and len(self.endpoints) > 1:
            endpoint.paused_until = now + min(PAUSE_SECONDS * 2**endpoint.pause_count, MAX_PAUSE_SECONDS)
            endpoint.pause_count += 1
            endpoint.failures = MAX_FAILURES - 1  # a single failure after the pause starts the next one

    def _pick_endpoint(self) -> Endpoint | None:
        """Return the available endpoint with the most room; consider paused ones only if all are paused."""
        if len(self.endpoints) == 1:
            only = self.endpoints[0]
            return only if only.limiter.has_room() else None
        now = self.clock()
        available = [endpoint for endpoint in self.endpoints if endpoint.paused_until <= now]
        with_room = [endpoint for endpoint in available or self.endpoints if endpoint.limiter.has_room()]
        return max(with_room, key=lambda endpoint: endpoint.room, default=None)

    async def _wait_turn(self, *, at_front: bool) -> None:
        """Wait until a request is released, or a pause ends."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._waiters.appendleft if at_front else self._waiters.append)(waiter)
        self._set_timer()
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.cancelled():
                with suppress(ValueError):  # already removed
                    self._waiters.remove(waiter)
            else:  # woken and cancelled at the same time: wake another
                self._wake_next()
            raise

    def _set_timer(self) -> None:
        """Set one timer for all waiters, for the earliest end of a pause."""
        now = self.clock()
        resume_times = (max(endpoint.limiter.paused_until, endpoint.paused_until) for endpoint in self.endpoints)
        delay = min((resume_time - now for resume_time in resume_times if resume_time > now), default=None)
        if self._pick_endpoint():  # a pause ended just now; its timer may already have been replaced
            delay = 0.0
        if self._timer:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = None if delay is None else loop.call_later(delay, self._wake_next)

    def _wake_if_room(self) -> None:
        """Wake the next waiter if there is room for it."""
        if self._waiters:
            (self._wake_next if self._pick_endpoint() else self._set_timer)()

    def _wake_next(self) -> None:
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return
