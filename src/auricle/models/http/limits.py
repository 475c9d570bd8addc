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

FIRST = 16  # requests at once before anything is known of a server
MOST = 1024
HELPS = 1.05  # a step that raises the rate by less did not help
EPOCHS_HELD = 20  # after a step that did not help, before another is tried
SHRINK = 0.7
OFTEN, FEW = 0.2, 3  # the share of a round, and the least number, of busy replies that mean it
FAILURES = 3  # in a row, and an endpoint is taken for dead
REST, LONGEST_REST = 5.0, 60.0  # seconds a dead endpoint is left alone; doubled each time
BREATH = 0.05  # seconds a busy server is left alone if it does not say how long
Clock = Callable[[], float]


class Gate:
    """The most requests one server has at once: more while that helps, fewer when it is busy."""

    def __init__(
        self, *, adaptive: bool = True, most: float = MOST, clock: Clock = time.monotonic
    ) -> None:
        self.limit = float(FIRST if adaptive else most)
        self.inside = 0
        self.closed_until = 0.0
        self._adaptive = adaptive
        self._clock = clock
        self._held = 0
        self._stale = 0  # requests sent before the last cut, whose fate says nothing of it
        self._begin(0.0)

    def _begin(self, best: float) -> None:
        """A new epoch, in which a rate is measured."""
        self._since, self._done, self._busy, self._crowded = self._clock(), 0, 0, False
        self._best = best

    def has_room(self) -> bool:
        room = self.inside + 1 <= self.limit
        self._crowded |= not room
        return room and self._clock() >= self.closed_until

    def answered(self) -> None:
        """One request came back: after a round of them, see whether the last step helped."""
        if self._is_stale():
            return
        self._done += 1
        if not self._adaptive or self._done < 2 * self.limit:
            return
        rate = self._done / max(1e-6, self._clock() - self._since)
        self._held = max(0, self._held - 1)
        if self._held or not self._crowded:
            self._begin(0.0)  # nothing to compare with: the next crowded round tries a step
        elif rate > self._best * HELPS:
            self.limit = min(float(MOST), self.limit * 2)
            self._begin(rate)
        else:  # as many at once as are of use; look again later
            self.limit = max(1.0, self.limit / 2)
            self._held = EPOCHS_HELD
            self._begin(0.0)

    def busy(self, retry_after: float | None) -> None:
        """The server has too much to do: if it says so often, send less, and wait as it asks.

        Now and then says nothing: to cut at each would leave a server with one request at a time.
        """
        if not self._adaptive or self._is_stale():
            return
        self._busy += 1
        if self._busy <= max(FEW, OFTEN * 2 * self.limit):
            return
        self.limit = max(1.0, self.limit * SHRINK)
        self.closed_until = self._clock() + min(retry_after or BREATH, LONGEST_REST)
        self._held, self._stale = EPOCHS_HELD, self.inside - 1
        self._begin(0.0)

    def _is_stale(self) -> bool:
        self._stale, stale = max(0, self._stale - 1), self._stale > 0
        return stale


class Pace:
    """Requests and tokens a minute, spread evenly; tokens are guessed first and corrected after."""

    def __init__(
        self, rpm: float | None = None, tpm: float | None = None, clock: Clock = time.monotonic
    ) -> None:
        self._request = 60.0 / rpm if rpm else 0.0
        self._token = 60.0 / tpm if tpm else 0.0
        self._clock = clock
        self._next_request = self._next_token = 0.0
        self._usual = 0.0  # tokens of a request, by experience

    async def wait(self) -> float:
        """Wait for a turn; the tokens that were charged for it, which is what one usually takes."""
        if not self._request and not self._token:
            return 0.0
        now, charged = self._clock(), self._usual
        due = max(now, self._next_request, self._next_token)
        self._next_request = max(now, self._next_request) + self._request
        self._next_token = max(now, self._next_token) + charged * self._token
        if due > now:
            await asyncio.sleep(due - now)
        return charged

    def spent(self, tokens: float, charged: float) -> None:
        """What a request really took, and what it was charged."""
        self._next_token += (tokens - charged) * self._token
        self._usual = 0.8 * self._usual + 0.2 * tokens if self._usual else float(tokens)


@dataclass(slots=True, eq=False)
class Endpoint:
    """One server: where it is, how much it has, and how it does."""

    url: str
    gate: Gate
    failures: int = 0
    """In a row."""
    rests: int = 0
    resting_until: float = 0.0

    @property
    def host(self) -> str:
        """Its name in messages, without a password."""
        return urlsplit(self.url).netloc.rpartition("@")[2]


@dataclass(eq=False)
class Pool:
    """Endpoints that share the work: whoever has room takes the next request.

    Those who wait are served in order. While there is room and somebody waits, somebody has
    been woken: whoever enters, leaves or gives up passes the turn on.
    """

    endpoints: Sequence[Endpoint]
    clock: Clock = time.monotonic
    _waiting: deque[asyncio.Future[None]] = field(default_factory=deque)
    _timer: asyncio.TimerHandle | None = None

    async def enter(self) -> Endpoint:
        chosen = None if self._waiting else self._free()
        came_back = False
        while chosen is None:
            await self._turn(first=came_back)
            chosen, came_back = self._free(), True
        chosen.gate.inside += 1
        self._pass_on()
        return chosen

    def leave(self, endpoint: Endpoint) -> None:
        endpoint.gate.inside -= 1
        self._wake()

    def answered(self, endpoint: Endpoint) -> None:
        self.reached(endpoint)
        endpoint.gate.answered()

    def reached(self, endpoint: Endpoint) -> None:
        """It lives, whatever it said."""
        endpoint.failures = endpoint.rests = 0
        endpoint.resting_until = 0.0

    def lost(self, endpoint: Endpoint) -> None:
        """A request failed for no fault of its own; after a few in a row the endpoint rests.

        Otherwise one that fails at once would always have room, and draw all the work.
        """
        now = self.clock()
        if endpoint.resting_until > now:
            return  # sent before the rest began
        endpoint.failures += 1
        if endpoint.failures >= FAILURES and len(self.endpoints) > 1:
            endpoint.resting_until = now + min(REST * 2**endpoint.rests, LONGEST_REST)
            endpoint.rests += 1
            endpoint.failures = FAILURES - 1  # one more after the rest, and it rests again

    def _free(self) -> Endpoint | None:
        """The endpoint with the most room among those that live; among all, if none does."""
        if len(self.endpoints) == 1:
            only = self.endpoints[0]
            return only if only.gate.has_room() else None
        now = self.clock()
        alive = [each for each in self.endpoints if each.resting_until <= now]
        free = [each for each in alive or self.endpoints if each.gate.has_room()]
        return max(free, key=lambda each: each.gate.limit - each.gate.inside, default=None)

    async def _turn(self, *, first: bool) -> None:
        """Wait until somebody leaves, or until a closed gate or a resting endpoint opens."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._waiting.appendleft if first else self._waiting.append)(turn)
        self._set_timer()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                with suppress(ValueError):  # passed over already
                    self._waiting.remove(turn)
            else:  # woken, and gone before its turn
                self._wake()
            raise

    def _set_timer(self) -> None:
        """One timer for all who wait: the soonest time at which something opens by itself."""
        now = self.clock()
        times = (max(each.gate.closed_until, each.resting_until) for each in self.endpoints)
        soonest = min((each - now for each in times if each > now), default=None)
        if self._free():  # it opened just now, and the timer that was to tell may be the old one
            soonest = 0.0
        if self._timer:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = None if soonest is None else loop.call_later(soonest, self._wake)

    def _pass_on(self) -> None:
        """Wake the next if there is room for it as well."""
        if self._waiting:
            (self._wake if self._free() else self._set_timer)()

    def _wake(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
