"""Turns of a call: what the caller did, which speech of the agent answers it, and what it interrupts.

Everything is derived from the speech of the caller by its script and the speech of the agent **as played**. A value
that cannot be known is None, and is left out of metrics; it is never zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias

from auricle.core.calls import FRAME_SECONDS, CallRecording, Event, EventKind, Span, StepKind

YIELD_WINDOW = 2.0
"""Longest time in seconds after which an agent that falls silent has yielded to the caller."""
STOP_WINDOW = 1.0
"""How long in seconds an agent has to go on speaking after a sound that asks for nothing. Speech that would have ended
within this time anyway shows nothing about how the agent reacts."""
RESUME_WINDOW = 2.0
"""Longest silence in seconds after which an agent that was stopped by mistake has resumed."""
EVENT_SLACK = 0.4
"""Longest time in seconds between the last audible sample and the event that ended the speech."""
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


Reaction: TypeAlias = Literal["stopped", "went_on", "unknown", "lost"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """A sound of the caller that begins while the agent speaks."""

    turn: CallerTurn
    agent: Span
    reaction: Reaction
    """Whether the agent stopped because of it; unknown if the agent's speech would have ended at that time anyway, and
    lost if the call was dropped before that could be seen."""
    stop_seconds: float | None = None
    """Seconds from the start of the sound until the agent was silent, if it stopped."""
    signal_seconds: float | None = None
    """Seconds from the start of the sound until the model reported that it detected it."""
    resumed: bool = False
    """Whether the agent began to speak again although the caller asked for nothing."""

    @property
    def is_decided(self) -> bool:
        return self.reaction in ("stopped", "went_on")


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


def list_asking_turns(recording: CallRecording) -> list[CallerTurn]:
    """Return the turns of the caller that ask for a response."""
    return [turn for turn in list_turns(recording) if turn.expects_response]


def list_lost(recording: CallRecording, *kinds: StepKind) -> list[StepKind]:
    """Return the steps of some kinds that the caller did not come to because the agent dropped the call."""
    return [kind for kind in recording.unreached if kind in kinds]


def is_cut_by_drop(span: Span, recording: CallRecording) -> bool:
    """Return whether the agent may have had more to say when it dropped the call."""
    return recording.is_dropped and span.end > recording.seconds - recording.merge_seconds


# --- answers ------------------------------------------------------------------------------------


def list_exchanges(recording: CallRecording) -> list[Exchange]:
    """Return the turns that ask for a response, with their responses."""
    turns = list_asking_turns(recording)
    ends = [turn.start for turn in turns[1:]] + [recording.seconds]
    return [_make_exchange(turn, until, recording) for turn, until in zip(turns, ends, strict=False)]


def _make_exchange(turn: CallerTurn, until: float, recording: CallRecording) -> Exchange:
    answer = next((span for span in recording.agent if _answers(span, turn, until)), None)
    playback = _find_playback(answer.start, recording) if answer else None
    calls = recording.select(EventKind.TOOL_CALL)
    stops = [event.at for event in recording.select(EventKind.SPEECH_STOPPED) if turn.end <= event.at < until]
    return Exchange(
        turn=turn,
        answer=answer,
        endpoint_at=stops[0] if stops else None,  # reports before the turn ended were about a pause
        first_audio_at=_find_first_audio(playback, turn, recording) if playback else None,
        playback_at=playback.at if playback else None,
        has_tool_call=any(turn.start < call.at < (answer.start if answer else until) for call in calls),
    )


def _answers(span: Span, turn: CallerTurn, until: float) -> bool:
    """Return whether speech of the agent answers a turn: it begins after the turn began, and outlasts it."""
    return turn.start < span.start < until and span.end > turn.end


def _find_playback(at: float, recording: CallRecording) -> Event | None:
    """Return the start of the playback of what is audible at a time."""
    starts = [event for event in recording.select(EventKind.PLAYBACK_STARTED) if event.at <= at + FRAME_SECONDS]
    return starts[-1] if starts else None


def _find_first_audio(playback: Event, turn: CallerTurn, recording: CallRecording) -> float | None:
    """Return when the first audio of an answer arrived; None if it was sent before the turn or has no id."""
    if not playback.item:
        return None
    chunks = [event.at for event in recording.select(EventKind.AUDIO) if event.item == playback.item]
    return chunks[0] if chunks and chunks[0] > turn.start else None


# --- overlaps -----------------------------------------------------------------------------------


def list_overlaps(recording: CallRecording) -> list[Overlap]:
    """Return the sounds of the caller that begin while the agent speaks, with what the agent did."""
    return [
        _make_overlap(turn, span, recording)
        for turn in list_turns(recording)
        for span in list_speech(recording)
        if span.start < turn.start < span.end
    ]


def list_speech(recording: CallRecording) -> list[Span]:
    """Return the speech of the agent, joined over silences of an item while audio of it was still to be played.

    A caller who begins in such a silence, such as that of a comma, begins while the agent speaks.
    """
    queued = _list_queued(recording)
    speech: list[Span] = []
    for span in recording.agent:
        if speech and _covers(queued, speech[-1].end, span.start):
            speech[-1] = replace(speech[-1], end=span.end)
        else:
            speech.append(span)
    for index, span in enumerate(speech):
        for flush in recording.select(EventKind.PLAYBACK_FLUSHED):
            is_before_next = index + 1 == len(speech) or flush.at <= speech[index + 1].start
            if flush.data.get("audible_dropped") and is_before_next and _covers(queued, span.end, flush.at):
                speech[index] = replace(span, end=flush.at)
    return speech


def _list_queued(recording: CallRecording) -> list[Interval]:
    """Return when audio of one item was being played without a break, as it arrived and was dropped."""
    queued: list[tuple[str, float, float]] = []
    for event in recording.select(EventKind.AUDIO, EventKind.PLAYBACK_FLUSHED):
        item, start, end = queued[-1] if queued else ("", 0.0, 0.0)
        if event.kind is EventKind.PLAYBACK_FLUSHED:
            queued = [(item, start, min(end, event.at)) for item, start, end in queued if start < event.at]
        elif event.item == item and event.at <= end + FRAME_SECONDS:
            queued[-1] = item, start, max(end, event.at) + (event.seconds or 0.0)
        else:
            begin = max(end, event.at)
            queued.append((event.item, begin, begin + (event.seconds or 0.0)))
    return [(start, end) for _, start, end in queued]


def _covers(intervals: Sequence[Interval], start: float, end: float) -> bool:
    """Return whether an interval that is not empty is inside one of others, within the duration of a frame."""
    return start < end and any(
        first <= start + FRAME_SECONDS and end <= last + FRAME_SECONDS for first, last in intervals
    )


def _make_overlap(turn: CallerTurn, span: Span, recording: CallRecording) -> Overlap:
    window = YIELD_WINDOW if turn.expects_response else STOP_WINDOW
    signal = _find_stop_signal(turn.start, turn.start + window, recording)
    own_end = _find_own_end(turn, span, recording)
    reaction: Reaction = "went_on"
    if own_end is not None and own_end - turn.start <= STOP_WINDOW:
        # Whatever the agent did: leaving out only what ended by itself would count mistakes and no successes.
        reaction = "unknown"
    elif is_cut_by_drop(span, recording) and span.end <= turn.start + window:
        reaction = "lost"
    elif own_end != span.end and span.end - turn.start <= window:
        reaction = "stopped"
    return Overlap(
        turn=turn,
        agent=span,
        reaction=reaction,
        stop_seconds=span.end - turn.start if reaction == "stopped" else None,
        signal_seconds=None if signal is None else signal - turn.start,
        resumed=reaction == "stopped" and not turn.expects_response and _resumes(turn, span, recording),
    )


def _find_stop_signal(start: float, end: float, recording: CallRecording) -> float | None:
    """Return when the model first reported in an interval that it heard the caller or cancelled its response."""
    for event in recording.events:
        is_signal = event.kind in STOP_SIGNALS or _is_cancellation(event)
        if is_signal and event.side == "received" and start <= event.at <= end:
            return event.at
    return None


def _is_cancellation(event: Event) -> bool:
    return event.kind is EventKind.RESPONSE_DONE and event.data.get("status") == "cancelled"


def _find_own_end(turn: CallerTurn, span: Span, recording: CallRecording) -> float | None:
    """Return when speech that the caller overlaps would have ended without that; None if it is not known.

    It is known if the model reports that the response was complete: then all of it was played, or what the player
    dropped is known.
    """
    playback = _find_playback(turn.start, recording)
    arrivals = [event.at for event in recording.select(EventKind.AUDIO) if playback and event.item == playback.item]
    first_at, last_at = arrivals[0] if arrivals else span.start, span.end + EVENT_SLACK
    end = span.end + STOP_WINDOW
    done = next((event for event in recording.select(EventKind.RESPONSE_DONE) if first_at <= event.at <= end), None)
    is_cut = any(
        turn.start <= event.at <= last_at and (event.kind is EventKind.INTERRUPTED or _is_cancellation(event))
        for event in recording.events
    )
    if done is None or _is_cancellation(done):
        return None
    dropped = [event for event in recording.select(EventKind.PLAYBACK_FLUSHED) if turn.start <= event.at <= last_at]
    if not dropped:
        return None if is_cut else span.end
    if done.at > dropped[0].at:
        return None
    return span.end + sum(_measure_dropped(flush, recording) for flush in dropped)


def _measure_dropped(flush: Event, recording: CallRecording) -> float:
    """Return how many seconds of an item had arrived and were not played."""
    audio = [event for event in recording.select(EventKind.AUDIO) if event.item == flush.item and event.at <= flush.at]
    return max(0.0, sum(event.seconds or 0.0 for event in audio) - (flush.seconds or 0.0))


def _resumes(turn: CallerTurn, span: Span, recording: CallRecording) -> bool:
    """Return whether the agent speaks again soon, though the caller asked nothing in the meantime."""
    following = [later for later in recording.agent if 0 <= later.start - span.end <= RESUME_WINDOW]
    questions = [other.start for other in list_asking_turns(recording) if other.start >= turn.start]
    return bool(following) and not any(start <= following[0].start for start in questions)


# --- speech of the agent during turns -------------------------------------------------------------


def list_intrusions(recording: CallRecording) -> list[tuple[CallerTurn, Span]]:
    """Return the speech of the agent that begins during a turn that asks for a response, pauses included."""
    turns = list_asking_turns(recording)
    speech = list_speech(recording)
    return [(turn, span) for turn in turns for span in speech if turn.start < span.start < turn.end]


def list_pause_results(recording: CallRecording) -> list[tuple[Interval, bool | None]]:
    """Return the pauses inside the caller's turns, and whether the agent stayed silent in each.

    The result is None if the agent already spoke when the pause began.
    """
    pauses = [pause for turn in list_asking_turns(recording) for pause in turn.pauses]
    speech = list_speech(recording)
    return [(pause, _stays_silent(pause, speech)) for pause in pauses]


def _stays_silent(pause: Interval, agent: Sequence[Span]) -> bool | None:
    start, end = pause
    if any(span.start < start < span.end for span in agent):
        return None
    return not any(start <= span.start < end for span in agent)


# --- intervals ----------------------------------------------------------------------------------


def merge_intervals(intervals: Sequence[Interval]) -> list[Interval]:
    """Return the same intervals in order, with those joined that overlap.

    >>> merge_intervals([(2.0, 3.0), (0.0, 1.0), (0.5, 1.5)])
    [(0.0, 1.5), (2.0, 3.0)]
    """
    merged: list[Interval] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return merged


def intersect(first: Sequence[Interval], second: Sequence[Interval]) -> float:
    """Return how many seconds two lists of disjoint intervals have in common."""
    return sum(max(0.0, min(a_end, b_end) - max(a, b)) for a, a_end in first for b, b_end in second)
