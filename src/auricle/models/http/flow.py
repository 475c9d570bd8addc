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
from dataclasses import dataclass, field

FIRST = 16  # requests at once before anything is known of a server
MOST = 1024
HELPS = 1.05  # a step that raises the rate by less did not help
EPOCHS_HELD = 20  # after a step that did not help, before another is tried
SHRINK = 0.7
FAILURES = 3  # lost connections in a row that make an endpoint dead
REST, LONGEST_REST = 5.0, 60.0  # seconds a dead endpoint is left alone; doubled each time
Clock = Callable[[], float]


class Gate:
    """The most requests one server has at once: more while that helps, fewer when it is busy."""

    def __init__(self, *, adaptive: bool = True, clock: Clock = time.monotonic) -> None:
        self.limit = float(FIRST if adaptive else MOST)
        self.inside = 0
        self.closed_until = 0.0
        self._adaptive = adaptive
        self._clock = clock
        self._held = 0
        self._begin(0.0)

    def _begin(self, best: float) -> None:
        """A new epoch, in which a rate is measured."""
        self._since, self._done, self._crowded = self._clock(), 0, False
        self._best, self._last_limit = best, self.limit

    def has_room(self) -> bool:
        room = self.inside < int(self.limit)
        self._crowded |= not room
        return room and self._clock() >= self.closed_until

    def answered(self) -> None:
        """One request came back: after a round of them, see whether the last step helped."""
        self._done += 1
        if not self._adaptive or self._done < 2 * self.limit:
            return
        rate = self._done / max(1e-6, self._clock() - self._since)
        self._held = max(0, self._held - 1)
        if self._held or not self._crowded:
            self._begin(max(rate, self._best) if self._held else rate)
        elif rate > self._best * HELPS:
            self.limit = min(float(MOST), self.limit * 2)
            self._begin(rate)
        else:  # as many at once as are of use; look again later
            self.limit = max(float(FIRST), self.limit / 2)
            self._held = EPOCHS_HELD
            self._begin(rate)

    def busy(self, retry_after: float | None) -> None:
        """The server has too much to do: send less, and nothing before it wants to be asked."""
        if not self._adaptive:
            return
        now = self._clock()
        if now >= self.closed_until:  # one cut for all that were refused together
            self.limit = max(1.0, self.limit * SHRINK)
            self._held = EPOCHS_HELD
            self._begin(0.0)
            self.closed_until = now + min(retry_after or 0.05, LONGEST_REST)


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

    async def wait(self) -> None:
        """Wait for a turn, and be charged for what a request usually takes."""
        if not self._request and not self._token:
            return
        now = self._clock()
        due = max(now, self._next_request, self._next_token)
        self._next_request = max(now, self._next_request) + self._request
        self._next_token = max(now, self._next_token) + self._usual * self._token
        if due > now:
            await asyncio.sleep(due - now)

    def spent(self, tokens: float) -> None:
        """What a request really took."""
        self._next_token += (tokens - self._usual) * self._token
        self._usual = 0.8 * self._usual + 0.2 * tokens if self._usual else float(tokens)


@dataclass(slots=True, eq=False)
class Endpoint:
    """One server: where it is, how much it has, and how it does."""

    url: str
    gate: Gate
    lost: int = 0
    """Connections lost in a row."""
    rests: int = 0
    resting_until: float = 0.0


@dataclass(eq=False)
class Pool:
    """Endpoints that share the work: whoever has room takes the next request."""

    endpoints: Sequence[Endpoint]
    clock: Clock = time.monotonic
    _waiting: deque[asyncio.Future[None]] = field(default_factory=deque)

    async def enter(self) -> Endpoint:
        while (chosen := self._free()) is None:
            await self._turn()
        chosen.gate.inside += 1
        return chosen

    def leave(self, endpoint: Endpoint) -> None:
        endpoint.gate.inside -= 1
        self._wake()

    def answered(self, endpoint: Endpoint) -> None:
        endpoint.lost = endpoint.rests = 0
        endpoint.gate.answered()

    def lost(self, endpoint: Endpoint) -> None:
        """A connection failed; after a few in a row the endpoint is left alone for a while."""
        endpoint.lost += 1
        if endpoint.lost >= FAILURES and len(self.endpoints) > 1:
            rest = min(REST * 2**endpoint.rests, LONGEST_REST)
            endpoint.resting_until = self.clock() + rest
            endpoint.rests += 1
            endpoint.lost = FAILURES - 1  # one more failure after the rest, and it rests again

    def _free(self) -> Endpoint | None:
        """The endpoint with the most room among those that live; among all, if none does."""
        if len(self.endpoints) == 1:
            only = self.endpoints[0]
            return only if only.gate.has_room() else None
        now = self.clock()
        alive = [each for each in self.endpoints if each.resting_until <= now]
        free = [each for each in alive or self.endpoints if each.gate.has_room()]
        return max(free, key=lambda each: each.gate.limit - each.gate.inside, default=None)

    async def _turn(self) -> None:
        """Wait until somebody leaves, or until a closed gate or a resting endpoint opens."""
        loop, now = asyncio.get_running_loop(), self.clock()
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        times = (max(e.gate.closed_until, e.resting_until) for e in self.endpoints)
        soonest = min((each - now for each in times if each > now), default=None)
        timer = loop.call_later(soonest, self._wake) if soonest is not None else None
        try:
            await turn
        finally:
            if timer:
                timer.cancel()
            if turn in self._waiting:
                self._waiting.remove(turn)

    def _wake(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
