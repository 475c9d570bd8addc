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

CONTENT_KINDS = ("reasoning", "text", "audio")
"""What pieces must be to hold something of an answer."""


class StreamChunk(NamedTuple):
    """Some bytes of a stream, when they are to leave, and what of an answer they hold."""

    due: float
    """Seconds of work after the answer began; once it is planned, of the monotonic clock."""
    kind: str
    """`role`, `alive`, `reasoning`, `text`, `audio` or `end`."""
    data: bytes
    audio_seconds: float = 0.0
    """How long it sounds."""


class ServerSchedule:
    """The server's day: how many are served at once, and when all work rests.

    Turns are given on arrival and for as long as the whole answer takes, as that is known then.
    One whose client leaves keeps its turn.
    """

    def __init__(self, script: Script) -> None:
        self._stall = (script.stall_at, script.stall_seconds)
        self._slot_free_times = [0.0] * (script.slots or 0)
        self._first_arrival: float | None = None

    def start_clock(self, now: float) -> None:
        """The first request that comes sets the clock of the stall."""
        if self._first_arrival is None:
            self._first_arrival = now

    def assign_slot(self, arrival: float, work_seconds: float) -> float:
        """When a request has its turn, which it then has for so many seconds of work."""
        if not self._slot_free_times:
            return arrival
        begun = max(arrival, heappop(self._slot_free_times))
        heappush(self._slot_free_times, self.finish_time(begun, work_seconds))
        return begun

    def finish_time(self, begin_time: float, work_seconds: float) -> float:
        """The time at which so much is done of what was begun then."""
        start, end = self._stall_interval()
        if begin_time >= end or begin_time + work_seconds < start:
            return begin_time + work_seconds
        return end + work_seconds - max(0.0, start - begin_time)

    def is_stalled(self, timestamp: float) -> bool:
        start, end = self._stall_interval()
        return start <= timestamp < end

    def _stall_interval(self) -> tuple[float, float]:
        at, seconds = self._stall
        if at is None or self._first_arrival is None:
            return math.inf, math.inf
        return self._first_arrival + at, self._first_arrival + at + seconds


def insert_keep_alives(
    chunks: Sequence[StreamChunk], arrival: float, interval: float, keep_alive_events: Sequence[bytes]
) -> Iterator[StreamChunk]:
    """Fill the times in which nothing is said; `pieces` have their times of the clock."""
    last, told = arrival, 0
    for piece in chunks:
        for count in range(1, math.ceil((piece.due - last) / interval)):
            yield StreamChunk(last + count * interval, "alive", keep_alive_events[told % len(keep_alive_events)])
            told += 1
        yield piece
        last = piece.due


async def sleep_until(due: float) -> None:
    if (left := due - time.monotonic()) > 0:
        await asyncio.sleep(left)


async def iterate_when_due(chunks: Sequence[StreamChunk]) -> AsyncIterator[Sequence[StreamChunk]]:
    """Wait for the time of each piece; what is due by then comes with it."""
    at = 0
    while at < len(chunks):
        await sleep_until(chunks[at].due)
        now = time.monotonic()
        end = at + 1
        while end < len(chunks) and chunks[end].due <= now:
            end += 1
        yield chunks[at:end]
        at = end


def first_half(chunks: Sequence[StreamChunk]) -> Sequence[StreamChunk]:
    """As much of a stream as says half of what it has to say."""
    said = [at for at, piece in enumerate(chunks) if piece.kind in CONTENT_KINDS]
    kept = said[: round(len(said) * 0.5)]
    return chunks[: kept[-1] + 1] if kept else chunks[:1]


@dataclass(slots=True)
class ResponseTimes:
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

    def record_sent(self, chunks: Sequence[StreamChunk], now: float) -> None:
        """Pieces leave, all at once."""
        self.first_byte = self.first_byte or now
        for piece in chunks:
            if piece.kind in CONTENT_KINDS:
                self._record_content(piece, now)

    def _record_content(self, chunk: StreamChunk, now: float) -> None:
        if self.first_token is None:
            self.first_token = now
        elif self.last_content is not None:
            self.gaps.append(now - self.last_content)
        if chunk.kind != "reasoning":
            self.first_content = self.first_content or now
        if chunk.kind == "audio":
            self.first_audio = self.first_audio or now
            self.spoken.append((now, chunk.audio_seconds))
        self.last_content = now

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
