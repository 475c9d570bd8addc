"""Session models that wait for the end of a turn, respond to it, and stop when the caller barges in."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from auricle.core.calls import (
    AudioFrame,
    CallerInput,
    CallRecording,
    EndOfAudio,
    EndOfTurn,
    EventKind,
    SessionEvent,
    StartOfTurn,
    ToolResult,
    Truncate,
)
from auricle.core.errors import SpecError
from auricle.core.types import Call, Turn
from auricle.media import Audio
from auricle.models.base import SessionModel
from auricle.models.call_timer import hold
from auricle.models.sessions.endpointing import RATE, DetectorFactory, Endpointer, SpeechEnd, SpeechStart
from auricle.models.sessions.pcm import to_int16

NEVER = 1e6
"""Seconds of silence that end a turn if the caller states its end."""


@dataclass(frozen=True)
class Reply:
    """A part of a response. Parts are spoken one after another, each as soon as it is there."""

    understood: str | None = None
    """What was understood of the caller."""
    text: str = ""
    """What the agent speaks in this part."""
    audio: Audio | None = None


@dataclass(frozen=True)
class CallerTurn:
    """A turn of the caller to which a model responds."""

    audio: Audio
    call: Call
    history: tuple[Turn, ...]
    """The turns before, with the instructions of the call."""
    use_tool: Callable[[str, Mapping[str, Any]], Awaitable[str]]
    """Calls a tool by name with arguments, and waits for its result."""


class TurnTakingModel(SessionModel, ABC):
    """Detects the caller's turns by voice activity, and responds to each when it is complete."""

    input_rate = RATE

    def __init__(
        self,
        *,
        vad: Literal["auto", "silero", "energy"] = "auto",
        stop_seconds: float = 0.6,
        barge_in: bool = True,
        calls: int = 4,
    ) -> None:
        """Set how turns are taken.

        Args:
            vad: Voice activity detection; `auto` is Silero if it is installed, else the energy of the audio.
            stop_seconds: Silence that ends a turn.
            barge_in: Whether the agent stops when the caller speaks.
            calls: Calls at the same time; others wait.
        """
        if calls < 1 or stop_seconds <= 0:
            raise SpecError("A voice agent needs calls >= 1 and stop_seconds above 0.")
        self._detectors = DetectorFactory(vad)
        self._stop_seconds = stop_seconds
        self.barge_in = barge_in
        self._slots = asyncio.Semaphore(calls)

    @abstractmethod
    def respond(self, turn: CallerTurn) -> AsyncIterator[Reply]:
        """Yield the parts of a response. It is cancelled when the caller barges in."""

    @abstractmethod
    async def transcribe(self, turn: CallerTurn) -> str:
        """Return what was understood of a turn, for calls that are only transcribed."""

    async def call(self, request: Call) -> CallRecording:
        async with hold(self._slots):
            return await super().call(request)

    async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
        stop_seconds = self._stop_seconds if call.turn_detection == "model" else NEVER
        conversation = _Conversation(self, call, Endpointer(self._detectors.create(), stop_seconds=stop_seconds))
        yield SessionEvent(kind=EventKind.READY)
        listener = asyncio.create_task(conversation.listen(inputs))
        try:
            while (event := await conversation.events.get()) is not None:
                yield event
            await listener
        finally:
            listener.cancel()
            conversation.stop()


class _Conversation:
    """One call with a model that takes turns."""

    def __init__(self, model: TurnTakingModel, call: Call, endpointer: Endpointer) -> None:
        self._model = model
        self._call = call
        self._endpointer = endpointer
        self._history = [Turn("system", (call.instructions,))] if call.instructions else []
        self._response: asyncio.Task[None] | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._count = self._tool_calls = 0
        self._tool_results: dict[str, asyncio.Future[str]] = {}
        self._speaking_until = 0.0
        self.events: asyncio.Queue[SessionEvent | None] = asyncio.Queue()

    async def listen(self, inputs: AsyncIterator[CallerInput]) -> None:
        """Follow the caller until it hangs up. The queue of events ends with None."""
        try:
            async for item in inputs:
                if isinstance(item, EndOfAudio):
                    await self._finish()
                    break
                self._take(item)
                if self._response is not None and self._response.done():
                    self._response.result()
        finally:
            self.events.put_nowait(None)

    def stop(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _emit(self, kind: EventKind, **fields: Any) -> None:
        self.events.put_nowait(SessionEvent(kind=kind, **fields))

    def _take(self, item: CallerInput) -> None:
        match item:
            case AudioFrame(samples):
                for boundary in self._endpointer.push(samples):
                    self._cross(boundary)
            case StartOfTurn():
                if self._model.barge_in:
                    self._cancel_response()
            case EndOfTurn():
                self._cross(self._endpointer.end_turn())
            case ToolResult(call_id, _, result):
                self._return_result(call_id, result)
            case Truncate(name, seconds):
                self._emit(EventKind.TRUNCATED, item=name, seconds=seconds)

    def _return_result(self, call_id: str, result: str) -> None:
        if (waiting := self._tool_results.pop(call_id, None)) and not waiting.done():
            waiting.set_result(result)

    def _cross(self, boundary: SpeechStart | SpeechEnd | None) -> None:
        if boundary is None or (not self._model.barge_in and self._is_speaking()):
            return
        if isinstance(boundary, SpeechStart):
            self._emit(EventKind.SPEECH_STARTED, position=boundary.position)
            self._cancel_response()
            return
        self._emit(EventKind.SPEECH_STOPPED, position=boundary.position)
        self._emit(EventKind.COMMITTED)
        self._cancel_response()
        self._count += 1
        turn = CallerTurn(Audio.of(boundary.samples, rate=RATE), self._call, tuple(self._history), self._use_tool)
        answer = self._transcribe if self._call.mode == "transcribe" else self._respond
        self._response = asyncio.create_task(answer(turn, str(self._count)))
        self._tasks.append(self._response)

    def _is_speaking(self) -> bool:
        is_responding = self._response is not None and not self._response.done()
        return is_responding or asyncio.get_running_loop().time() < self._speaking_until

    def _cancel_response(self) -> None:
        if self._response is not None and not self._response.done() and self._call.mode == "converse":
            self._response.cancel()
            self._response = None
            self._emit(EventKind.RESPONSE_DONE, item=str(self._count), data={"status": "cancelled"})

    async def _finish(self) -> None:
        """Transcribe what is left of the audio."""
        self._cross(self._endpointer.end_turn())
        await asyncio.gather(*self._tasks)

    async def _transcribe(self, turn: CallerTurn, name: str) -> None:
        self._emit(EventKind.FINAL, item=name, text=await self._model.transcribe(turn))

    async def _respond(self, turn: CallerTurn, name: str) -> None:
        self._emit(EventKind.RESPONSE_STARTED, item=name)
        understood, spoken = "", ""
        async for reply in self._model.respond(turn):
            if reply.understood is not None:
                understood = reply.understood
                self._emit(EventKind.FINAL, item=f"turn-{name}", text=understood)
            if reply.text:
                spoken += reply.text
                self._emit(EventKind.TRANSCRIPT, item=name, text=reply.text)
            if reply.audio is not None:
                await self._speak(reply.audio, name)
        self._history.append(Turn("user", (understood or turn.audio,)))
        self._history.append(Turn("assistant", (spoken,)))
        self._emit(EventKind.RESPONSE_DONE, item=name, data={"status": "completed"})

    async def _speak(self, audio: Audio, name: str) -> None:
        samples = to_int16(await asyncio.to_thread(audio.decode, self._model.output_rate))
        now = asyncio.get_running_loop().time()
        self._speaking_until = max(now, self._speaking_until) + len(samples) / self._model.output_rate
        self._emit(EventKind.AUDIO, item=name, audio=samples)

    async def _use_tool(self, name: str, arguments: Mapping[str, Any]) -> str:
        self._tool_calls += 1
        call_id = f"call-{self._tool_calls}"
        result: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._tool_results[call_id] = result
        data = {"call_id": call_id, "name": name, "arguments": dict(arguments)}
        self._emit(EventKind.TOOL_CALL, data=data)
        return await result
