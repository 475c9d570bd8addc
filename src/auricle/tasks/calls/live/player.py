"""A simulated player: which of the agent's audio was played to the caller, and when.

Models send speech much faster than it sounds. The player starts with the first audio of a response (or `prebuffer`
seconds after it), pauses when it has nothing to play, and drops what it has not played when the caller barges in.
Because audio arrives in order, the time of every sample is known when it arrives, and nothing has to run meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from auricle.core.calls import Event, EventKind, Span, Truncate
from auricle.media.audible import MIN_PAUSE_SECONDS, find_audible

if TYPE_CHECKING:
    from numpy import int16
    from numpy.typing import NDArray

MERGE_SECONDS = 0.3
"""Shorter silences of the agent are pauses inside a span of speech."""


@dataclass(slots=True)
class _Chunk:
    """Audio with its place on the agent's track, in samples."""

    item: str
    start: int
    end: int
    samples: NDArray[int16] | None
    is_cut: bool = False


class Player:
    """Plays the agent's audio on the clock of a call.

    Args:
        rate: Sample rate of the audio.
        prebuffer: Seconds between the arrival of the first audio of a response and its playback.
        keep_audio: Whether the track is kept.

    Examples:
        >>> player = Player(rate=1000)
        >>> player.add("answer", np.full(2000, 900, np.int16), at=1.0)
        >>> player.flush(at=2.5)
        [Truncate(item='answer', seconds=1.5)]
        >>> player.spans
        [(1.0, 2.5)]
    """

    def __init__(self, rate: int, *, prebuffer: float = 0.0, keep_audio: bool = True) -> None:
        self._rate = rate
        self._prebuffer = round(prebuffer * rate)
        self._keep_audio = keep_audio
        self._chunks: list[_Chunk] = []
        self._audible: list[tuple[int, int]] = []
        self._cursor = 0
        self._in_response = False
        self._continues = False
        self._events: list[Event] = []
        self.spans: list[tuple[float, float]] = []
        """Audible speech, joined over silences shorter than `MERGE_SECONDS`; may extend into the future."""
        self.pauses: list[tuple[float, float]] = []
        """The silences inside spans."""

    @property
    def end(self) -> float:
        """When the player has nothing more to play."""
        return self._cursor / self._rate

    def start_response(self) -> None:
        self._in_response, self._continues = True, False

    def end_response(self) -> None:
        self._in_response = self._continues = False

    def add(self, item: str, samples: NDArray[int16], at: float) -> None:
        """Play audio that arrives at a time, after all audio that arrived before."""
        if not len(samples):
            return
        start = self._choose_start(item, max(0, round(at * self._rate)))
        self._cursor = start + len(samples)
        self._chunks.append(_Chunk(item, start, self._cursor, samples if self._keep_audio else None))
        for first, last in find_audible(samples, self._rate):
            self._add_audible(start + first, start + last)
        self._continues = self._in_response

    def flush(self, at: float) -> list[Truncate]:
        """Drop what has not been played at a time; return how much was played of each item that lost audio."""
        position = round(at * self._rate)
        dropped = self._measure_audible_after(position)
        played = [Truncate(item, self.count_played(item)) for item in self._cut(position)]
        for item, seconds in ((cut.item, cut.seconds) for cut in played):
            data = {"audible_dropped": dropped[item] / self._rate}
            self._events.append(
                Event(at=at, side="played", kind=EventKind.PLAYBACK_FLUSHED, item=item, seconds=seconds, data=data)
            )
        self._continues = False
        return played

    def stop(self, at: float) -> None:
        """End playback with the call; an item of which only silence is left has been played to its end."""
        position = int(at * self._rate)
        lost = self._measure_audible_after(position)
        cut = self._cut(position)
        for chunk in self._chunks:
            if chunk.item in cut and not lost[chunk.item]:
                chunk.is_cut = False

    def count_played(self, item: str) -> float:
        """Return how many seconds of an item are played, up to what has arrived so far."""
        return sum(chunk.end - chunk.start for chunk in self._chunks if chunk.item == item) / self._rate

    def make_track(self, seconds: float) -> NDArray[int16]:
        """Return the agent's track as played, with silence where nothing was."""
        track = np.zeros(round(seconds * self._rate), np.int16)
        for chunk in self._chunks:
            if chunk.samples is not None and chunk.start < len(track):
                track[chunk.start : chunk.end] = chunk.samples[: len(track) - chunk.start]
        return track

    def list_spans(self) -> tuple[Span, ...]:
        return tuple(Span(start=start, end=end, kind="agent") for start, end in self.spans)

    def list_events(self) -> list[Event]:
        """Return when playback of items started, ended, was flushed or ran dry."""
        return [*self._events, *self._list_playback()]

    def _choose_start(self, item: str, arrival: int) -> int:
        if arrival < self._cursor:
            return self._cursor
        if not self._continues:
            return arrival + self._prebuffer
        if arrival > self._cursor:
            pause = (arrival - self._cursor) / self._rate
            self._events.append(Event(at=self.end, side="played", kind=EventKind.UNDERRUN, item=item, seconds=pause))
        return arrival

    def _add_audible(self, start: int, end: int) -> None:
        if self._audible and start - self._audible[-1][1] < MIN_PAUSE_SECONDS * self._rate:
            start = self._audible.pop()[0]
            self.spans[-1] = (self.spans[-1][0], end / self._rate)
        elif self._audible and (start - self._audible[-1][1]) < MERGE_SECONDS * self._rate:
            self.pauses.append((self._audible[-1][1] / self._rate, start / self._rate))
            self.spans[-1] = (self.spans[-1][0], end / self._rate)
        else:
            self.spans.append((start / self._rate, end / self._rate))
        self._audible.append((start, end))

    def _measure_audible_after(self, position: int) -> Counter[str]:
        """Return how many audible samples of each item are scheduled after a position."""
        audible: Counter[str] = Counter()
        for chunk in self._chunks:
            start = max(chunk.start, position)
            audible[chunk.item] += sum(
                max(0, min(last, chunk.end) - max(first, start)) for first, last in self._audible
            )
        return audible

    def _cut(self, position: int) -> list[str]:
        """Remove what is scheduled after a position; return the items that lost audio."""
        if position >= self._cursor:
            return []
        cut = [chunk for chunk in self._chunks if chunk.end > position]
        for chunk in cut:
            chunk.end, chunk.is_cut = max(chunk.start, position), True
            if chunk.samples is not None:
                chunk.samples = chunk.samples[: chunk.end - chunk.start]
        self._chunks = [chunk for chunk in self._chunks if chunk.end > chunk.start]
        self._cursor = position
        audible = [(start, min(end, position)) for start, end in self._audible if start < position]
        self._audible, self.spans, self.pauses = [], [], []
        for start, end in audible:
            self._add_audible(start, end)
        return list(dict.fromkeys(chunk.item for chunk in cut))

    def _list_playback(self) -> Iterator[Event]:
        """Yield the start of each uninterrupted playback of an item, and its end unless it was cut."""
        previous: _Chunk | None = None
        for chunk in self._chunks:
            if previous is None or previous.item != chunk.item or previous.is_cut:
                if previous is not None and not previous.is_cut:
                    yield self._make_event(EventKind.PLAYBACK_ENDED, previous.item, previous.end)
                yield self._make_event(EventKind.PLAYBACK_STARTED, chunk.item, chunk.start)
            previous = chunk
        if previous is not None and not previous.is_cut:
            yield self._make_event(EventKind.PLAYBACK_ENDED, previous.item, previous.end)

    def _make_event(self, kind: EventKind, item: str, position: int) -> Event:
        return Event(at=position / self._rate, side="played", kind=kind, item=item)
