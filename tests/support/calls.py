"""Recordings of calls for tests."""

from typing import Any

import numpy as np

from auricle.core.calls import CallRecording, Event, EventKind, Pacing, Span
from auricle.media import Audio

RATE = 8000


def two_channels(seconds: float = 0.5, loudness: float = 0.5) -> Audio:
    """Return audio with a tone on the caller's channel, and silence on the agent's."""
    times = np.arange(int(seconds * RATE)) / RATE
    tone = loudness * np.sin(2 * np.pi * 440 * times)
    return Audio.of(np.stack([tone, np.zeros_like(tone)], axis=1).astype(np.float32), rate=RATE)


def make_recording(**changes: Any) -> CallRecording:
    """Return a call in which the caller asks for the time, and the agent calls a tool and answers."""
    events = (
        Event(at=0.0, side="received", kind=EventKind.READY, type="session.updated"),
        Event(at=0.1, side="script", kind=EventKind.STEP_STARTED, data={"step": 0}),
        Event(at=0.9, side="script", kind=EventKind.STEP_ENDED, data={"step": 0}),
        Event(at=1.2, side="received", kind=EventKind.FINAL, item="1", text="what time is it"),
        Event(
            at=1.3,
            side="received",
            kind=EventKind.TOOL_CALL,
            data={"call_id": "c1", "name": "clock", "arguments": {"zone": "UTC"}},
        ),
        Event(at=1.5, side="received", kind=EventKind.TRANSCRIPT, item="2", text="It is nine."),
        Event(at=1.5, side="received", kind=EventKind.AUDIO, item="2", seconds=0.8),
    )
    fields: dict[str, Any] = {
        "events": events,
        "caller": (Span(start=0.1, end=0.9, kind="say", step=0, text="What time is it?"),),
        "agent": (Span(start=1.6, end=2.4, kind="agent", text="It is nine."),),
        "seconds": 3.0,
        "audio": two_channels(),
        "agent_pauses": ((1.9, 2.0),),
        "pacing": Pacing(frames=150, p50=0.0005, p99=0.003, max=0.01),
        "usage": {"input_tokens": 12.0},
    }
    return CallRecording(**{**fields, **changes})
