"""Turns of a call: what the caller did, which speech of the agent answers it, and what it interrupts.

Everything is derived from the speech of the caller by its script and the speech of the agent **as played**. A value that
cannot be known is None, and is left out of metrics; it is never zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from auricle.core.calls import CallRecording, Event, EventKind, Span, StepKind

YIELD_WINDOW = 2.0
"""Longest time in seconds after which an agent that falls silent has yielded to the caller."""
STOP_WINDOW = 1.0
"""How long in seconds an agent has to go on speaking after a sound that asks for nothing."""
NEAR_END = 0.2
"""A sound that begins less than this before the agent's own end does not interrupt it."""
RESUME_WINDOW = 2.0
"""Longest silence in seconds after which an agent that was stopped by mistake has resumed."""
STOP_SIGNALS = (EventKind.SPEECH_STARTED, EventKind.INTERRUPTED)

Interval: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerTurn:
    """One step of the caller that is audible: an utterance with its pauses, or another sound."""

    step: int
    kind: StepKind
    start: float
    end: float
    pauses: tuple[Interval, ...] = ()
    text: str = ""

    @property
    def expects_response(self) -> bool:
        return self.kind in ("say", "interrupt")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A turn of the caller that asks for a response, and the response."""

    turn: CallerTurn
    answer: Span | None
    """Speech that answers it; None if there is none before the caller's next turn or the end of the call."""
    endpoint_at: float | None = None
    """When the model reported the end of the caller's speech."""
    first_audio_at: float | None = None
    """When the first audio of the answer arrived."""
    playback_at: float | None = None
    """When the player began to play it; what follows may be silent."""
    has_tool_call: bool = False
    """Whether the agent called a tool before it answered."""

    @property
    def voice_to_voice(self) -> float | None:
        """Seconds from the last audible sample of the caller to the first audible sample of the agent.

        Negative if the agent began before the caller had ended.
        """
        return self.answer.start - self.turn.end if self.answer else None


Reaction: TypeAlias = Literal["stopped", "went_on", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """A sound of the caller that begins while the agent speaks."""

    turn: CallerTurn
    agent: Span
    reaction: Reaction
    """Whether the agent stopped because of it; unknown if the agent's speech came to its own end at that time."""
    stop_seconds: float | None = None
    """Seconds from the start of the sound until the agent was silent, if it stopped."""
    signal_seconds: float | None = None
    """Seconds from the start of the sound until the model reported that it detected it."""
    resumed: bool = False
    """Whether the agent began to speak again although the caller asked for nothing."""


def list_turns(recording: CallRecording) -> list[CallerTurn]:
    """Return what the caller did, one turn per step."""
    spans_by_step: dict[int, list[Span]] = {}
    for index, span in enumerate(recording.caller):
        spans_by_step.setdefault(index if span.step is None else span.step, []).append(span)
    return [_make_turn(step, spans) for step, spans in spans_by_step.items()]


def _make_turn(step: int, spans: Sequence[Span]) -> CallerTurn:
    pauses = tuple((span.end, following.start) for span, following in pairwise(spans) if following.start > span.end)
    texts = dict.fromkeys(span.text for span in spans if span.text)
    kind = spans[0].kind
    assert kind != "agent", "a span of the caller has the kind of its step"
    return CallerTurn(
        step=step, kind=kind, start=spans[0].start, end=spans[-1].end, pauses=pauses, text=" ".join(texts)
    )


def list_exchanges(recording: CallRecording) -> list[Exchange]:
    """Return the turns that ask for a response, with their responses."""
    turns = [turn for turn in list_turns(recording) if turn.expects_response]
    ends = [*(turn.start for turn in turns[1:]), recording.seconds]
    return [_make_exchange(turn, until, recording) for turn, until in zip(turns, ends, strict=True)]


def _make_exchange(turn: CallerTurn, until: float, recording: CallRecording) -> Exchange:
    answer = next((span for span in recording.agent if _answers(span, turn, until)), None)
    if answer is None:
        return Exchange(turn=turn, answer=None, endpoint_at=_find_endpoint(turn, until, recording))
    playback = _last([event for event in recording.select(EventKind.PLAYBACK_STARTED) if event.at <= answer.start])
    item = playback.item if playback else ""
    first_audio = next((event for event in recording.select(EventKind.AUDIO) if playback and event.item == item), None)
    calls = [event for event in recording.select(EventKind.TOOL_CALL) if turn.start < event.at < answer.start]
    return Exchange(
        turn=turn,
        answer=answer,
        endpoint_at=_find_endpoint(turn, until, recording),
        first_audio_at=first_audio.at if first_audio else None,
        playback_at=playback.at if playback else None,
        has_tool_call=bool(calls),
    )


def _answers(span: Span, turn: CallerTurn, until: float) -> bool:
    """Return whether speech of the agent answers a turn: it begins after the turn began, and outlasts it."""
    return turn.start < span.start < until and span.end > turn.end


def _find_endpoint(turn: CallerTurn, until: float, recording: CallRecording) -> float | None:
    """Return when the model reported the end of a turn; reports before the turn ended were about a pause."""
    stops = [event.at for event in recording.select(EventKind.SPEECH_STOPPED) if turn.end <= event.at < until]
    return stops[0] if stops else None


def _last(events: Sequence[Event]) -> Event | None:
    return events[-1] if events else None


def list_overlaps(recording: CallRecording) -> list[Overlap]:
    """Return the sounds of the caller that begin while the agent speaks, with what the agent did."""
    overlaps = []
    for turn in list_turns(recording):
        for span in recording.agent:
            if span.start < turn.start < span.end:
                overlaps.append(_make_overlap(turn, span, recording))
    return overlaps


def _make_overlap(turn: CallerTurn, span: Span, recording: CallRecording) -> Overlap:
    window = YIELD_WINDOW if turn.expects_response else STOP_WINDOW
    signal = _find_stop_signal(turn.start, turn.start + window, recording)
    stop_seconds = span.end - turn.start
    reaction: Reaction = "went_on"
    if stop_seconds <= NEAR_END or (stop_seconds <= window and not _was_stopped(turn.start, span.end, recording)):
        reaction = "unknown"
    elif stop_seconds <= window:
        reaction = "stopped"
    return Overlap(
        turn=turn,
        agent=span,
        reaction=reaction,
        stop_seconds=stop_seconds if reaction == "stopped" else None,
        signal_seconds=None if signal is None else signal - turn.start,
        resumed=reaction == "stopped" and not turn.expects_response and _resumes(span, recording),
    )


def _find_stop_signal(start: float, end: float, recording: CallRecording) -> float | None:
    """Return when the model first reported in an interval that it heard the caller or cancelled its response."""
    for event in recording.events:
        is_cancelled = event.kind is EventKind.RESPONSE_DONE and event.data.get("status") == "cancelled"
        if start <= event.at <= end and event.side == "received" and (event.kind in STOP_SIGNALS or is_cancelled):
            return event.at
    return None


def _was_stopped(start: float, end: float, recording: CallRecording) -> bool:
    """Return whether speech that ended in an interval was cut off, rather than at its own end."""
    slack = 2 * NEAR_END  # between the last audible sample and the event
    flushed = [event for event in recording.select(EventKind.PLAYBACK_FLUSHED) if start <= event.at <= end + slack]
    return bool(flushed) or _find_stop_signal(start, end, recording) is not None


def _resumes(span: Span, recording: CallRecording) -> bool:
    return any(0 <= following.start - span.end <= RESUME_WINDOW for following in recording.agent)


def list_intrusions(recording: CallRecording) -> list[tuple[CallerTurn, Span]]:
    """Return the speech of the agent that begins during a turn of the caller that asks for a response, pauses included."""
    turns = [turn for turn in list_turns(recording) if turn.expects_response]
    return [(turn, span) for turn in turns for span in recording.agent if turn.start < span.start < turn.end]


def list_pause_results(recording: CallRecording) -> list[tuple[Interval, bool]]:
    """Return the pauses inside the caller's turns, and whether the agent stayed silent in each."""
    pauses = [pause for turn in list_turns(recording) if turn.expects_response for pause in turn.pauses]
    return [((start, end), not any(start <= span.start < end for span in recording.agent)) for start, end in pauses]


def intersect(first: Sequence[Interval], second: Sequence[Interval]) -> float:
    """Return how many seconds two lists of disjoint intervals have in common."""
    return sum(max(0.0, min(a_end, b_end) - max(a, b)) for a, a_end in first for b, b_end in second)
