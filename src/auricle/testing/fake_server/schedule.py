"""When the server does what: by the clock and from a request's arrival, so nothing adds up."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from heapq import heappop, heappush
from typing import Any, NamedTuple

from auricle.testing.fake_server.script import Script

SAID = ("reasoning", "text", "audio")
"""What pieces must be to hold something of an answer."""


class Piece(NamedTuple):
    """Some bytes of a stream, when they are to leave, and what of an answer they hold."""

    at: float
    """Seconds of work after the answer began; once it is planned, of the monotonic clock."""
    kind: str
    """`role`, `alive`, `reasoning`, `text`, `audio` or `end`."""
    data: bytes
    seconds: float = 0.0
    """How long it sounds."""


class Timetable:
    """The server's day: how many are served at once, and when all work rests.

    Turns are given on arrival and for as long as the whole answer takes, as that is known then.
    One whose client leaves keeps its turn.
    """

    def __init__(self, script: Script) -> None:
        self._stall = (script.stall_at, script.stall_seconds)
        self._free = [0.0] * (script.slots or 0)
        self._opened: float | None = None

    def open(self, now: float) -> None:
        """The first request that comes sets the clock of the stall."""
        if self._opened is None:
            self._opened = now

    def begin(self, arrival: float, work: float) -> float:
        """When a request has its turn, which it then has for so many seconds of work."""
        if not self._free:
            return arrival
        begun = max(arrival, heappop(self._free))
        heappush(self._free, self.after(begun, work))
        return begun

    def after(self, begun: float, work: float) -> float:
        """The time at which so much is done of what was begun then."""
        start, end = self._stalled()
        if begun >= end or begun + work < start:
            return begun + work
        return end + work - max(0.0, start - begun)

    def rests(self, at: float) -> bool:
        start, end = self._stalled()
        return start <= at < end

    def _stalled(self) -> tuple[float, float]:
        at, seconds = self._stall
        if at is None or self._opened is None:
            return math.inf, math.inf
        return self._opened + at, self._opened + at + seconds


def with_signs_of_life(
    pieces: Sequence[Piece], arrival: float, every: float, signs: Sequence[bytes]
) -> Iterator[Piece]:
    """Fill the times in which nothing is said; `pieces` have their times of the clock."""
    last, told = arrival, 0
    for piece in pieces:
        for count in range(1, math.ceil((piece.at - last) / every)):
            yield Piece(last + count * every, "alive", signs[told % len(signs)])
            told += 1
        yield piece
        last = piece.at


async def until(at: float) -> None:
    if (left := at - time.monotonic()) > 0:
        await asyncio.sleep(left)


async def moments(pieces: Sequence[Piece]) -> AsyncIterator[Sequence[Piece]]:
    """Wait for the time of each piece; what is due by then comes with it."""
    at = 0
    while at < len(pieces):
        await until(pieces[at].at)
        now = time.monotonic()
        end = at + 1
        while end < len(pieces) and pieces[end].at <= now:
            end += 1
        yield pieces[at:end]
        at = end


def half(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """As much of a stream as says half of what it has to say."""
    said = [at for at, piece in enumerate(pieces) if piece.kind in SAID]
    kept = said[: round(len(said) * 0.5)]
    return pieces[: kept[-1] + 1] if kept else pieces[:1]


@dataclass(slots=True)
class Times:
    """When a request came and its reply left, in seconds of this machine's monotonic clock.

    Named as a client names its own: what it measures is these, and the way. None is never.
    """

    arrival: float
    begun: float | None = None
    """When it had its turn."""
    first_byte: float | None = None
    first_token: float | None = None
    first_content: float | None = None
    first_audio: float | None = None
    last_content: float | None = None
    done: float | None = None
    gaps: list[float] = field(default_factory=list)
    spoken: list[tuple[float, float]] = field(default_factory=list)

    def left(self, pieces: Sequence[Piece], now: float) -> None:
        """Pieces leave, all at once."""
        self.first_byte = self.first_byte or now
        for piece in pieces:
            if piece.kind in SAID:
                self._said(piece, now)

    def _said(self, piece: Piece, now: float) -> None:
        if self.first_token is None:
            self.first_token = now
        elif self.last_content is not None:
            self.gaps.append(now - self.last_content)
        if piece.kind != "reasoning":
            self.first_content = self.first_content or now
        if piece.kind == "audio":
            self.first_audio = self.first_audio or now
            self.spoken.append((now, piece.seconds))
        self.last_content = now

    def document(self) -> dict[str, Any]:
        return asdict(self)
