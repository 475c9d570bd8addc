"""A recorded call in which the agent answers, is interrupted, calls a tool and talks over the caller."""

from __future__ import annotations

from typing import Any

import numpy as np

from auricle.core.calls import CallRecording, Event, EventKind, EventSide, Span, StepKind
from auricle.media import Audio

RATE = 8_000


def make_event(at: float, side: EventSide, kind: EventKind, **fields: Any) -> Event:
    return Event(at=at, side=side, kind=kind, **fields)


def make_span(start: float, end: float, kind: StepKind, step: int, text: str = "") -> Span:
    return Span(start=start, end=end, kind=kind, step=step, text=text)


def make_agent_span(start: float, end: float, text: str = "") -> Span:
    return Span(start=start, end=end, kind="agent", text=text)


CALLER = (
    make_span(0.5, 2.7, "say", 0, "When does the library open?"),
    make_span(5.2, 6.9, "interrupt", 1, "Wait, I meant the pool."),
    make_span(9.4, 9.8, "backchannel", 2),
    make_span(12.4, 13.0, "say", 3, "And on Sunday?"),
    make_span(14.2, 14.9, "say", 3, "And on Sunday?"),
)
AGENT = (make_agent_span(3.6, 5.5), make_agent_span(7.9, 11.3), make_agent_span(13.5, 17.6))
TOOL_CALL = {"call_id": "1", "name": "opening_hours", "arguments": {"place": "pool"}}
EVENTS = (
    make_event(3.2, "received", EventKind.SPEECH_STOPPED),
    make_event(3.4, "received", EventKind.AUDIO, item="a", seconds=6.0),
    make_event(3.45, "received", EventKind.TRANSCRIPT, item="a", text="The library opens "),
    make_event(3.5, "played", EventKind.PLAYBACK_STARTED, item="a"),
    make_event(3.6, "received", EventKind.TRANSCRIPT, item="a", text="at nine."),
    make_event(5.4, "received", EventKind.SPEECH_STARTED),
    make_event(5.5, "played", EventKind.PLAYBACK_FLUSHED, item="a", seconds=2.0),
    make_event(7.4, "received", EventKind.TOOL_CALL, data=TOOL_CALL),
    make_event(7.8, "received", EventKind.TRANSCRIPT, item="b", text="The pool opens at seven."),
    make_event(7.9, "played", EventKind.PLAYBACK_STARTED, item="b"),
    make_event(15.5, "played", EventKind.UNDERRUN, seconds=0.2),
)


def make_recording(*, audio: Audio | None = None) -> CallRecording:
    return CallRecording(events=EVENTS, caller=CALLER, agent=AGENT, seconds=19.0, audio=audio)


def make_call_audio() -> Audio:
    """Return both tracks: noise where each side speaks."""
    samples = np.zeros((19 * RATE, 2), dtype=np.float32)
    rng = np.random.default_rng(0)
    for channel, spans in enumerate((CALLER, AGENT)):
        for span in spans:
            start, end = round(span.start * RATE), round(span.end * RATE)
            samples[start:end, channel] = rng.normal(0, 0.1, end - start)
    return Audio.of(samples, rate=RATE)
