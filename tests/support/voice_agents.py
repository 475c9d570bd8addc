"""Agents with known timing, for tests of calls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auricle.core.calls import (
    AudioFrame,
    CallerInput,
    EndOfAudio,
    EndOfTurn,
    EventKind,
    SessionEvent,
    Step,
    StepKind,
    ToolResult,
    Truncate,
)
from auricle.core.types import Call
from auricle.media import Audio
from auricle.media.audible import find_audible
from auricle.models.base import SessionModel

RATE = 24_000


def tone(seconds: float, *, lead: float = 0.0, tail: float = 0.0, rate: int = RATE) -> np.ndarray[Any, Any]:
    """A square wave, audible from its first sample to its last, with silence around it."""
    wave = np.where(np.arange(round(seconds * rate)) // 50 % 2, -8000, 8000).astype(np.int16)
    return np.concatenate([np.zeros(round(lead * rate), np.int16), wave, np.zeros(round(tail * rate), np.int16)])


def clip(seconds: float, *, lead: float = 0.0, tail: float = 0.0) -> Audio:
    return Audio.of(tone(seconds, lead=lead, tail=tail), rate=RATE)


def step(kind: StepKind, *parts: float | Audio, **fields: Any) -> Step:
    """A step of clips; numbers are their seconds."""
    return Step(
        kind=kind, audio=tuple(clip(part) if isinstance(part, (int, float)) else part for part in parts), **fields
    )


@dataclass
class Script:
    """What a `TimedAgent` does, in seconds of received audio and of its clock."""

    stop_after: float = 0.5
    """Silence that ends a turn of the caller."""
    answer_after: float = 0.3
    """Between the end of the turn and the first audio."""
    answer_seconds: float = 2.0
    lead: float = 0.0
    pace: float = 1.0
    """Speed at which audio is sent, relative to playback; 0 for all at once."""
    chunk: float = 0.2
    yield_after: float | None = 0.2
    """Between the start of the caller's speech and the signal; None for an agent that does not listen meanwhile."""
    resume_after: float | None = None
    """Between the signal and the moment when the agent goes on with what it was saying."""
    tool: Mapping[str, Any] | None = None
    """Called before the first answer."""
    fail_after: float | None = None
    error: Exception = field(default_factory=lambda: ConnectionResetError("closed"))
    announces: bool = True
    """Whether the start and end of responses are announced."""


class TimedAgent(SessionModel):
    """Detects speech by amplitude on the clock of received audio, and answers by a script."""

    def __init__(self, script: Script | None = None) -> None:
        self.script = script or Script()
        self.inputs: list[CallerInput] = []

    async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
        events: asyncio.Queue[SessionEvent | Exception | None] = asyncio.Queue()
        yield SessionEvent(kind=EventKind.READY)
        listener = asyncio.create_task(_Listener(self, events).listen(inputs))
        try:
            while (event := await events.get()) is not None:
                if isinstance(event, Exception):
                    raise event
                yield event
        finally:
            listener.cancel()


class _Listener:
    def __init__(self, agent: TimedAgent, events: asyncio.Queue[SessionEvent | Exception | None]) -> None:
        self._script = agent.script
        self._log = agent.inputs
        self._events = events
        self._position = 0.0
        self._speech_end: float | None = None
        self._speech_start: float | None = None
        self._signalled = False
        self._speaking: asyncio.Task[None] | None = None
        self._responses = 0
        self._tool_called = False

    def emit(self, kind: EventKind, **fields: Any) -> None:
        self._events.put_nowait(SessionEvent(kind=kind, **fields))

    async def listen(self, inputs: AsyncIterator[CallerInput]) -> None:
        try:
            async for item in inputs:
                self._log.append(item)
                if isinstance(item, AudioFrame):
                    self._hear(item.samples)
                elif isinstance(item, (EndOfTurn, ToolResult)):
                    self._respond()
                elif isinstance(item, Truncate):
                    self.emit(EventKind.TRUNCATED, item=item.item, seconds=item.seconds)
                elif isinstance(item, EndOfAudio):
                    self.emit(EventKind.FINAL, item="1", text="the end")
                    break
            self._events.put_nowait(None)
        except Exception as error:  # noqa: BLE001 - raised again by the session
            self._events.put_nowait(error)
        finally:
            if self._speaking:
                self._speaking.cancel()

    def _hear(self, samples: np.ndarray[Any, Any]) -> None:
        start, seconds = self._position, len(samples) / RATE
        self._position += seconds
        if self._script.fail_after is not None and self._position > self._script.fail_after:
            raise self._script.error
        if parts := find_audible(samples, RATE):
            if self._speech_start is None:
                self._speech_start = start + parts[0][0] / RATE
            self._speech_end = start + parts[-1][1] / RATE
            self._signal_if_due()
        elif self._speech_end is not None and self._position - self._speech_end >= self._script.stop_after - 1e-9:
            self.emit(EventKind.SPEECH_STOPPED, position=self._speech_end)
            self._speech_start = self._speech_end = None
            self._signalled = False
            self._respond()

    def _signal_if_due(self) -> None:
        after = self._script.yield_after
        if after is None or self._signalled or self._speech_start is None:
            return
        if self._position - self._speech_start >= after - 1e-9:
            self._signalled = True
            self.emit(EventKind.SPEECH_STARTED, position=self._speech_start)
            if self._speaking and not self._speaking.done():
                self._speaking.cancel()
                if self._script.announces:
                    self.emit(EventKind.RESPONSE_DONE, item=f"r{self._responses}", data={"status": "cancelled"})
                if self._script.resume_after is not None:
                    self._speaking = asyncio.create_task(self._speak(self._script.resume_after))

    def _respond(self) -> None:
        if self._speaking and not self._speaking.done():
            return
        if self._script.tool and not self._tool_called:
            self._tool_called = True
            self.emit(EventKind.RESPONSE_STARTED)
            self.emit(EventKind.TOOL_CALL, data=self._script.tool)
            self.emit(EventKind.RESPONSE_DONE, data={"status": "completed"})
            return
        self._speaking = asyncio.create_task(self._speak(self._script.answer_after))

    async def _speak(self, delay: float) -> None:
        script = self._script
        await asyncio.sleep(delay)
        self._responses += 1
        name = f"r{self._responses}"
        if script.announces:
            self.emit(EventKind.RESPONSE_STARTED, item=name)
        samples = tone(script.answer_seconds - script.lead, lead=script.lead)
        size = round(script.chunk * RATE)
        begin = asyncio.get_running_loop().time()
        for start in range(0, len(samples), size):
            due = begin + (start / RATE / script.pace if script.pace else 0.0)
            await asyncio.sleep(due - asyncio.get_running_loop().time())
            self.emit(EventKind.AUDIO, item=name, audio=samples[start : start + size])
        self.emit(EventKind.TRANSCRIPT, item=name, text="An answer.")
        if script.announces:
            self.emit(EventKind.RESPONSE_DONE, item=name, data={"status": "completed"})
