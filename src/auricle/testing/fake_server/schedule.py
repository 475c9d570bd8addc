"""Schedule of the fake server: every event has an absolute time, so that delays do not accumulate."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import cycle
from typing import NamedTuple

from auricle.testing.fake_server.script import Script

CONTENT_KINDS = ("reasoning", "text", "audio")
"""Kinds of chunks that have content."""


class StreamChunk(NamedTuple):
    """Bytes of a stream, when to send them, and what they contain."""

    due: float
    """Seconds of work after the answer begins; in a planned response, a time of the monotonic clock."""
    kind: str
    """`role`, `keep_alive`, `reasoning`, `text`, `audio` or `end`."""
    data: bytes
    audio_seconds: float = 0.0
    """Length of its audio."""


class ServerSchedule:
    """Slots in which requests are served, and the stall during which all work pauses.

    A slot is assigned on arrival, for the time that the whole answer takes. It stays taken if the client disconnects.
    """

    def __init__(self, script: Script) -> None:
        self._stall = (script.stall_at, script.stall_seconds)
        self._slot_free_times = [0.0] * (script.slots or 0)
        self._first_arrival: float | None = None

    def start_clock(self, now: float) -> None:
        """Start the clock of the stall with the first request."""
        if self._first_arrival is None:
            self._first_arrival = now

    def assign_slot(self, arrival: float, work_seconds: float) -> float:
        """Assign a slot for `work_seconds` and return when the request gets it."""
        if not self._slot_free_times:
            return arrival
        begin_time = max(arrival, heappop(self._slot_free_times))
        heappush(self._slot_free_times, self.finish_time(begin_time, work_seconds))
        return begin_time

    def finish_time(self, begin_time: float, work_seconds: float) -> float:
        """Return when work that begins at `begin_time` is done, including the stall."""
        start, end = self._stall_interval()
        if begin_time >= end or begin_time + work_seconds < start:
            return begin_time + work_seconds
        return end + work_seconds - max(0.0, start - begin_time)

    def _stall_interval(self) -> tuple[float, float]:
        delay, seconds = self._stall
        if delay is None or self._first_arrival is None:
            return math.inf, math.inf
        return self._first_arrival + delay, self._first_arrival + delay + seconds

    def insert_keep_alives(
        self, chunks: Sequence[StreamChunk], arrival: float, interval: float, events: Sequence[bytes]
    ) -> Iterator[StreamChunk]:
        """Yield planned chunks, with events in turn in silences that are longer than `interval`; none in the stall."""
        stall_start, stall_end = self._stall_interval()
        last, event = arrival, cycle(events)
        for chunk in chunks:
            for count in range(1, math.ceil((chunk.due - last) / interval)):
                keep_alive = StreamChunk(last + count * interval, "keep_alive", next(event))
                if not stall_start <= keep_alive.due < stall_end:
                    yield keep_alive
            yield chunk
            last = chunk.due


async def sleep_until(due: float) -> None:
    if (remaining := due - time.monotonic()) > 0:
        await asyncio.sleep(remaining)


async def iterate_when_due(chunks: Sequence[StreamChunk]) -> AsyncIterator[Sequence[StreamChunk]]:
    """Wait until each chunk is due, and yield it together with all others that are due by then."""
    start = 0
    while start < len(chunks):
        await sleep_until(chunks[start].due)
        now = time.monotonic()
        end = start + 1
        while end < len(chunks) and chunks[end].due <= now:
            end += 1
        yield chunks[start:end]
        start = end


def first_half(chunks: Sequence[StreamChunk]) -> Sequence[StreamChunk]:
    """Return the chunks up to half of the content."""
    content_indices = [index for index, chunk in enumerate(chunks) if chunk.kind in CONTENT_KINDS]
    first_indices = content_indices[: round(len(content_indices) / 2)]
    return chunks[: first_indices[-1] + 1] if first_indices else chunks[:1]


@dataclass(slots=True)
class ResponseTimes:
    """When a request arrived and the parts of its response were sent, on this machine's monotonic clock.

    The names are those of the client's measures, which are later by the time on the network. None means never.
    """

    arrival: float
    begun: float | None = None
    """When it got its slot."""
    first_byte: float | None = None
    first_token: float | None = None
    first_content: float | None = None
    first_audio: float | None = None
    last_content: float | None = None
    done: float | None = None
    gaps: list[float] = field(default_factory=list)
    spoken: list[tuple[float, float]] = field(default_factory=list)

    def record_sent(self, chunks: Sequence[StreamChunk], now: float) -> None:
        """Record that chunks were sent together."""
        self.first_byte = self.first_byte or now
        for chunk in chunks:
            if chunk.kind in CONTENT_KINDS:
                self._record_content(chunk, now)

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
