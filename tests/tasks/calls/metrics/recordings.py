"""Recordings of calls that are made by hand, so that every time in them is known."""

from __future__ import annotations

from typing import Any

from auricle.core.calls import CallRecording, Event, EventKind, EventSide, Span, StepKind

SIDES: dict[EventKind, EventSide] = {
    EventKind.PLAYBACK_STARTED: "played",
    EventKind.PLAYBACK_FLUSHED: "played",
    EventKind.PLAYBACK_ENDED: "played",
    EventKind.UNDERRUN: "played",
    EventKind.TRUNCATE: "sent",
    EventKind.END_OF_TURN: "sent",
    EventKind.END_OF_AUDIO: "sent",
    EventKind.TOOL_RESULT: "sent",
    EventKind.STEP_STARTED: "script",
    EventKind.STEP_ENDED: "script",
}


def happens(at: float, kind: EventKind, **fields: Any) -> Event:
    return Event(at=at, side=SIDES.get(kind, "received"), kind=kind, **fields)


def caller(start: float, end: float, kind: StepKind = "say", step: int | None = None, text: str = "") -> Span:
    return Span(start=start, end=end, kind=kind, step=step, text=text)


def agent(start: float, end: float) -> Span:
    return Span(start=start, end=end, kind="agent")


def record(*parts: Span | Event, seconds: float = 30.0, **fields: Any) -> CallRecording:
    """Make a recording of spans of both sides and events, in any order."""
    spans = sorted((part for part in parts if isinstance(part, Span)), key=lambda span: span.start)
    events = sorted((part for part in parts if isinstance(part, Event)), key=lambda event: event.at)
    return CallRecording(
        events=tuple(events),
        caller=tuple(span for span in spans if span.kind != "agent"),
        agent=tuple(span for span in spans if span.kind == "agent"),
        seconds=seconds,
        **fields,
    )


def speak(start: float, end: float, item: str, *, arrival: float | None = None, sent_at_once: bool = True) -> list[Any]:
    """Return the speech of an agent up to its own end, sent at once or at the pace of speech."""
    first = start if arrival is None else arrival
    pieces = 1 if sent_at_once else round((end - start) * 10)
    step = (end - start) / pieces
    audio = [
        happens(first if sent_at_once else first + index * step, EventKind.AUDIO, item=item, seconds=step)
        for index in range(pieces)
    ]
    done_at = first + (0.01 if sent_at_once else end - start)
    return [
        agent(start, end),
        happens(start, EventKind.PLAYBACK_STARTED, item=item),
        *audio,
        happens(done_at, EventKind.RESPONSE_DONE, data={"status": "completed"}),
        happens(end, EventKind.PLAYBACK_ENDED, item=item),
    ]


def cut_speech(
    start: float, stop: float, item: str, *, planned: float, arrival: float | None = None, sent_at_once: bool = True
) -> list[Any]:
    """Return the speech of an agent that the player stops at a time, though `planned` seconds were to be spoken."""
    first = start if arrival is None else arrival
    if sent_at_once:
        audio = [happens(first, EventKind.AUDIO, item=item, seconds=planned)]
        done = happens(first + 0.01, EventKind.RESPONSE_DONE, data={"status": "completed"})
    else:
        audio = [happens(first + tenth / 10, EventKind.AUDIO, item=item, seconds=0.1) for tenth in _tenths(start, stop)]
        done = happens(stop, EventKind.RESPONSE_DONE, data={"status": "cancelled"})
    return [
        agent(start, stop),
        happens(start, EventKind.PLAYBACK_STARTED, item=item),
        *audio,
        done,
        happens(stop, EventKind.PLAYBACK_FLUSHED, item=item, seconds=stop - start),
    ]


def _tenths(start: float, stop: float) -> range:
    return range(round((stop - start) * 10))
