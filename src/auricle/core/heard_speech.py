"""Which of an agent's words a caller heard: the words that it spoke, as far as their audio was played.

An agent that is stopped has spoken more than was heard. If all of its audio had arrived, words are in proportion to the
audible audio that was played. If not, its text may run ahead of its audio, so that words are estimated from how fast
the agent speaks: in its complete items, or else as people do. Silence has no words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from auricle.core.calls import CallRecording, Event, EventKind

SECONDS_PER_WORD = 60 / 160
SECONDS_PER_CHARACTER = 0.22
"""Usual length of a character in scripts that put no blanks between words."""
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")


class SpokenItem(NamedTuple):
    """What an agent spoke without a break, and what was heard of it."""

    start: float
    """When it began to be played, or came as text if there is no audio of it."""
    spoken: str
    heard: str

    @property
    def unheard(self) -> str:
        """The words after those that were heard."""
        return self.spoken[len(self.heard) :].strip()


def list_spoken_items(recording: CallRecording) -> list[SpokenItem]:
    """Return what the agent spoke, in the order in which it began; a recording may also be of a call in progress."""
    spoken: dict[str, str] = {}
    for event in recording.select(EventKind.TRANSCRIPT):
        spoken[event.item] = spoken.get(event.item, "") + event.text
    items = [_Playback(item, text.strip(), recording) for item, text in spoken.items()]
    complete = [item for item in items if item.is_complete and item.received]
    usual_seconds = sum(estimate_seconds(item.spoken) for item in complete)
    tempo = sum(item.received for item in complete) / usual_seconds if usual_seconds else None
    return sorted(SpokenItem(item.start, item.spoken, item.estimate_heard(tempo)) for item in items if item.spoken)


def join_heard(recording: CallRecording) -> str:
    """Return the words of the agent that were heard."""
    return " ".join(item.heard for item in list_spoken_items(recording) if item.heard)


def estimate_seconds(text: str) -> float:
    """Estimate how long people take to speak a text.

    >>> estimate_seconds("We are open until nine."), estimate_seconds("九点")
    (1.875, 0.44)
    """
    return sum(_seconds_of(word) for word in _WORD.findall(text))


def _seconds_of(word: str) -> float:
    return SECONDS_PER_CHARACTER if re.match(f"[{_UNSPACED}]", word) else SECONDS_PER_WORD


def keep_spoken(text: str, seconds: float, tempo: float) -> str:
    """Return the words of a text that are spoken in some seconds, to the nearest word.

    Args:
        text: What is spoken.
        seconds: Audible speech of it that was played.
        tempo: How long it takes to speak the text, relative to what people take.

    Examples:
        >>> keep_spoken("We are open until nine.", seconds=1.1, tempo=1.0)
        'We are open'
    """
    end, position = 0.0, 0
    for word in _WORD.finditer(text):
        length = tempo * _seconds_of(word[0])
        if end + length / 2 > seconds:
            break
        end, position = end + length, word.end()
    return text[:position]


@dataclass
class _Playback:
    """What was played of an item."""

    item: str
    spoken: str
    recording: CallRecording

    def __post_init__(self) -> None:
        events = [event for event in self.recording.events if event.at <= self.recording.seconds]
        own = [event for event in events if event.item == self.item]
        audio = [event for event in own if event.kind is EventKind.AUDIO]
        flushes = [event for event in own if event.kind is EventKind.PLAYBACK_FLUSHED]
        intervals = _list_intervals(own, self.recording.seconds)
        texts = (event.at for event in own if event.kind is EventKind.TRANSCRIPT)
        self.start = intervals[0][0] if intervals else min(texts)
        self.is_played = bool(intervals or flushes)
        self.is_cut = bool(flushes) or any(not is_ended for *_, is_ended in intervals)
        self.played = sum(self._measure_audible(start, end) for start, end, _ in intervals)
        dropped = flushes[-1].data.get("audible_dropped") if flushes else None
        if dropped is not None:
            self.received = self.played + dropped
        else:
            self.received = sum(event.seconds or 0.0 for event in audio) if self.is_cut else self.played
        self.is_complete = _find_completion(events, audio, has_all_been_played=not self.is_cut)

    def _measure_audible(self, start: float, end: float) -> float:
        """Return how many seconds of an interval had speech of the agent."""
        spans = [(span.start, span.end) for span in self.recording.agent]
        return _overlap(spans, start, end) - _overlap(self.recording.agent_pauses, start, end)

    def estimate_heard(self, tempo: float | None) -> str:
        """Return the words that were heard; `tempo` is that of complete items, if there are any."""
        if not self.is_played or (self.is_complete and not self.is_cut):
            return self.spoken
        own_tempo = self.received / estimate_seconds(self.spoken) if estimate_seconds(self.spoken) else 1.0
        if self.is_complete:
            tempo = own_tempo
        return keep_spoken(self.spoken, self.played, tempo or max(own_tempo, 1.0))


def _list_intervals(own: list[Event], seconds: float) -> list[tuple[float, float, bool]]:
    """Return when an item was played, and whether its playback came to the end of what had arrived."""
    ends = (EventKind.PLAYBACK_ENDED, EventKind.PLAYBACK_FLUSHED)
    intervals: list[tuple[float, float, bool]] = []
    for event in own:
        if event.kind is EventKind.PLAYBACK_STARTED:
            intervals.append((event.at, seconds, False))
        elif event.kind in ends and intervals and intervals[-1][1] == seconds:
            intervals[-1] = intervals[-1][0], event.at, event.kind is EventKind.PLAYBACK_ENDED
    return intervals


def _find_completion(events: list[Event], audio: list[Event], *, has_all_been_played: bool) -> bool:
    """Return whether all audio of an item had arrived, as far as the model announces the end of its responses."""
    announces = any(event.kind is EventKind.RESPONSE_DONE for event in events)
    if not announces or not audio:
        return has_all_been_played
    for event in events:
        if event.at < audio[0].at:
            continue
        if event.kind is EventKind.INTERRUPTED:
            return False
        if event.kind is EventKind.RESPONSE_DONE:
            return event.data.get("status") not in ("cancelled", "failed")
    return False


def _overlap(intervals: list[tuple[float, float]] | tuple[tuple[float, float], ...], start: float, end: float) -> float:
    return sum(max(0.0, min(last, end) - max(first, start)) for first, last in intervals)
