"""How much is sent at once, where, and how fast.

Each endpoint has a *gate* that grows while growing helps and shrinks when the server says
it is busy. Whoever wants to send waits for any endpoint with room, so a quick server takes
work from a slow one, and a dead one is left alone for a while.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

INITIAL_LIMIT = 16  # requests at once before anything is known of a server
MAX_LIMIT = 1024
MIN_RATE_GAIN = 1.05  # a step that raises the rate by less did not help
HOLD_EPOCHS = 20  # after a step that did not help, before another is tried
SHRINK_FACTOR = 0.7
BUSY_SHARE, MIN_BUSY_REPLIES = (0.2, 3)  # the share of a round, and the least number, of busy replies that mean it
MAX_FAILURES = 3  # in a row, and an endpoint is taken for dead
PAUSE_SECONDS, MAX_PAUSE_SECONDS = (5.0, 60.0)  # seconds a dead endpoint is left alone; doubled each time
BUSY_PAUSE_SECONDS = 0.05  # seconds a busy server is left alone if it does not say how long
Clock = Callable[[], float]


class AdaptiveLimiter:
    """The most requests one server has at once: more while that helps, fewer when it is busy."""

    def __init__(self, *, adaptive: bool = True, max_limit: float = MAX_LIMIT, clock: Clock = time.monotonic) -> None:
        self.limit = float(INITIAL_LIMIT if adaptive else max_limit)
        self.in_flight = 0
        self.paused_until = 0.0
        self._adaptive = adaptive
        self._clock = clock
        self._epochs_on_hold = 0
        self._stale_requests = 0  # requests sent before the last cut, whose fate says nothing of it
        self._start_epoch(0.0)

    def _start_epoch(self, best_rate: float) -> None:
        """A new epoch, in which a rate is measured."""
        self._epoch_start, self._completed, self._busy_replies, self._was_full = (self._clock(), 0, 0, False)
        self._best_rate = best_rate

    def has_room(self) -> bool:
        room = self.in_flight + 1 <= self.limit
        self._was_full |= not room
        return room and self._clock() >= self.paused_until

    def record_success(self) -> None:
        """One request came back: after a round of them, see whether the last step helped."""
        if self._consume_stale():
            return
        self._completed += 1
        if not self._adaptive or self._completed < 2 * self.limit:
            return
        rate = self._completed / max(1e-6, self._clock() - self._epoch_start)
        self._epochs_on_hold = max(0, self._epochs_on_hold - 1)
        if self._epochs_on_hold or not self._was_full:
            self._start_epoch(0.0)  # nothing to compare with: the next crowded round tries a step
        elif rate > self._best_rate * MIN_RATE_GAIN:
            self.limit = min(float(MAX_LIMIT), self.limit * 2)
            self._start_epoch(rate)
        else:  # as many at once as are of use; look again later
            self.limit = max(1.0, self.limit / 2)
            self._epochs_on_hold = HOLD_EPOCHS
            self._start_epoch(0.0)

    def record_busy(self, retry_after: float | None) -> None:
        """The server has too much to do: if it says so often, send less, and wait as it asks.

        Now and then says nothing: to cut at each would leave a server with one request at a time.
        """
        if not self._adaptive or self._consume_stale():
            return
        self._busy_replies += 1
        if self._busy_replies <= max(MIN_BUSY_REPLIES, BUSY_SHARE * 2 * self.limit):
            return
        self.limit = max(1.0, self.limit * SHRINK_FACTOR)
        self.paused_until = self._clock() + min(retry_after or BUSY_PAUSE_SECONDS, MAX_PAUSE_SECONDS)
        self._epochs_on_hold, self._stale_requests = HOLD_EPOCHS, self.in_flight - 1
        self._start_epoch(0.0)

    def _consume_stale(self) -> bool:
        self._stale_requests, stale = max(0, self._stale_requests - 1), self._stale_requests > 0
        return stale


class RateLimiter:
    """Requests and tokens a minute, spread evenly; tokens are guessed first and corrected after."""

    def __init__(self, rpm: float | None = None, tpm: float | None = None, clock: Clock = time.monotonic) -> None:
        self._seconds_per_request = 60.0 / rpm if rpm else 0.0
        self._seconds_per_token = 60.0 / tpm if tpm else 0.0
        self._clock = clock
        self._next_request_at = self._next_token_at = 0.0
        self._average_tokens = 0.0  # tokens of a request, by experience

    async def wait(self) -> float:
        """Wait for a turn; the tokens that were charged for it, which is what one usually takes."""
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
        """What a request really took, and what it was charged."""
        self._next_token_at += (tokens - charged_tokens) * self._seconds_per_token
        self._average_tokens = 0.8 * self._average_tokens + 0.2 * tokens if self._average_tokens else float(tokens)


@dataclass(slots=True, eq=False)
class Endpoint:
    """One server: where it is, how much it has, and how it does."""

    url: str
    limiter: AdaptiveLimiter
    failures: int = 0
    """In a row."""
    pause_count: int = 0
    paused_until: float = 0.0

    @property
    def host(self) -> str:
        """Its name in messages, without a password."""
        return urlsplit(self.url).netloc.rpartition("@")[2]


@dataclass(eq=False)
class ConnectionPool:
    """Endpoints that share the work: whoever has room takes the next request.

    Those who wait are served in order. While there is room and somebody waits, somebody has
    been woken: whoever enters, leaves or gives up passes the turn on.
    """

    endpoints: Sequence[Endpoint]
    clock: Clock = time.monotonic
    _waiters: deque[asyncio.Future[None]] = field(default_factory=deque)
    _timer: asyncio.TimerHandle | None = None

    async def acquire(self) -> Endpoint:
        chosen = None if self._waiters else self._pick_endpoint()
        came_back = False
        while chosen is None:
            await self._wait_turn(at_front=came_back)
            chosen, came_back = self._pick_endpoint(), True
        chosen.limiter.in_flight += 1
        self._wake_if_room()
        return chosen

    def release(self, endpoint: Endpoint) -> None:
        endpoint.limiter.in_flight -= 1
        self._wake_next()

    def record_success(self, endpoint: Endpoint) -> None:
        self.record_reachable(endpoint)
        endpoint.limiter.record_success()

    def record_reachable(self, endpoint: Endpoint) -> None:
        """It lives, whatever it said."""
        endpoint.failures = endpoint.pause_count = 0
        endpoint.paused_until = 0.0

    def record_failure(self, endpoint: Endpoint) -> None:
        """A request failed for no fault of its own; after a few in a row the endpoint rests.

        Otherwise one that fails at once would always have room, and draw all the work.
        """
        now = self.clock()
        if endpoint.paused_until > now:
            return  # sent before the rest began
        endpoint.failures += 1
        if endpoint.failures >= MAX_FAILURES and len(self.endpoints) > 1:
            endpoint.paused_until = now + min(PAUSE_SECONDS * 2**endpoint.pause_count, MAX_PAUSE_SECONDS)
            endpoint.pause_count += 1
            endpoint.failures = MAX_FAILURES - 1  # one more after the rest, and it rests again

    def _pick_endpoint(self) -> Endpoint | None:
        """The endpoint with the most room among those that live; among all, if none does."""
        if len(self.endpoints) == 1:
            only = self.endpoints[0]
            return only if only.limiter.has_room() else None
        now = self.clock()
        alive = [each for each in self.endpoints if each.paused_until <= now]
        free = [each for each in alive or self.endpoints if each.limiter.has_room()]
        return max(free, key=lambda each: each.limiter.limit - each.limiter.in_flight, default=None)

    async def _wait_turn(self, *, at_front: bool) -> None:
        """Wait until somebody leaves, or until a closed gate or a resting endpoint opens."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._waiters.appendleft if at_front else self._waiters.append)(turn)
        self._set_timer()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                with suppress(ValueError):  # passed over already
                    self._waiters.remove(turn)
            else:  # woken, and gone before its turn
                self._wake_next()
            raise

    def _set_timer(self) -> None:
        """One timer for all who wait: the soonest time at which something opens by itself."""
        now = self.clock()
        times = (max(each.limiter.paused_until, each.paused_until) for each in self.endpoints)
        soonest = min((each - now for each in times if each > now), default=None)
        if self._pick_endpoint():  # it opened just now, and the timer that was to tell may be the old one
            soonest = 0.0
        if self._timer:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = None if soonest is None else loop.call_later(soonest, self._wake_next)

    def _wake_if_room(self) -> None:
        """Wake the next if there is room for it as well."""
        if self._waiters:
            (self._wake_next if self._pick_endpoint() else self._set_timer)()

    def _wake_next(self) -> None:
        while self._waiters:
            turn = self._waiters.popleft()
            if not turn.done():
                turn.set_result(None)
                return
