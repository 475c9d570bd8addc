"""Hold a call: send the caller's audio at its pace, play what the model returns, and record everything."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from auricle.core.calls import (
    FRAME_SECONDS,
    Caller,
    CallerInput,
    CallRecording,
    EndOfAudio,
    EndOfTurn,
    Event,
    EventKind,
    SessionEvent,
    StartOfTurn,
    Step,
    ToolResult,
    Utterance,
    attach_recording,
)
from auricle.core.errors import InvalidEvent, Rejected, SpecError, Transient, describe
from auricle.core.heard_speech import list_spoken_items
from auricle.core.types import Call
from auricle.core.user_code import AwaitedCall, UserCall
from auricle.media import Audio
from auricle.tasks.calls.live.agent import END_SILENCE, AgentState
from auricle.tasks.calls.live.caller import TIME_TOLERANCE, ScriptedCaller
from auricle.tasks.calls.live.event_checks import check_event
from auricle.tasks.calls.live.mixing import mix_tracks
from auricle.tasks.calls.live.pacing import InputStream
from auricle.tasks.calls.live.player import MERGE_SECONDS, Player
from auricle.tasks.calls.live.rendered_steps import RenderedStep, render_step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from auricle.models.base import SessionModel

READY_SECONDS = 30.0
"""Longest time that a session may take to get ready."""
CLOSE_SECONDS = 5.0
"""Longest time that a session may take to end after the caller has hung up."""

MAX_AUDIO_SHARE, MAX_EVENTS_PER_SECOND, MAX_CHARACTERS_PER_SECOND = 10.0, 500, 500_000
"""What an agent may send, relative to the longest duration of the call; more cannot be played or read."""
BETWEEN_ITEMS = (
    *(EventKind.SPEECH_STARTED, EventKind.INTERRUPTED, EventKind.RESPONSE_STARTED, EventKind.RESPONSE_DONE),
)
"""Events between what an agent states and what it states next."""

Finish = Literal["completed", "limit", "agent", "dropped"]


async def hold_call(model: SessionModel, call: Call) -> CallRecording:
    """Hold one call with a model.

    Args:
        model: The agent.
        call: What the caller does.

    Returns:
        The recording of the call.

    Raises:
        Transient: if the session does not get ready.
        Exception: that ended the session, unless it is what became of a conversation; `get_recording` returns what was
            recorded until then.
    """
    steps = await asyncio.to_thread(_render_steps, call.steps, model.input_rate)
    return await _LiveCall(model, call, steps).hold()


def _render_steps(steps: Iterable[Step], rate: int) -> list[RenderedStep]:
    return [render_step(step, rate) for step in steps]


class _LiveCall:
    """A call in progress. Times are seconds since the session was ready."""

    def __init__(self, model: SessionModel, call: Call, steps: Sequence[RenderedStep]) -> None:
        self._model = model
        self._call = call
        self._loop = asyncio.get_running_loop()
        self._inputs = InputStream(self._loop, self._start_clock)
        self._player = Player(model.output_rate, prebuffer=call.prebuffer, keep_audio=call.keep_audio)
        self._agent = AgentState(self._player)
        self._caller = ScriptedCaller(steps, model.input_rate, self._agent)
        self._ready = self._loop.create_future()
        self._hung_up = self._loop.create_future()
        self._timer: asyncio.TimerHandle | None = None
        self._asking: asyncio.Task[None] | None = None
        self._origin = 0.0
        """When the session was ready, on the clock of the event loop."""
        self._frame_count = 0
        self._end_of_audio: float | None = None
        self._last_received = 0.0
        self._finish: Finish = "completed"
        self._ended_at: float | None = None
        self._events: list[Event] = []
        self._characters = 0
        """Those of all events that the agent has sent."""
        self._usage: Counter[str] = Counter()
        self._unnamed_items = 0
        """How many items the agent has spoken without naming them."""
        self._ends_unnamed, self._unnamed_has_audio = True, False

    async def hold(self) -> CallRecording:
        reader = asyncio.create_task(self._read())
        try:
            await self._wait_until_ready(reader)
            await asyncio.wait({reader, self._hung_up}, return_when=asyncio.FIRST_COMPLETED)
            await self._end(reader)
        except Exception as error:
            if not self._ready.done():
                raise
            self._log("received", EventKind.DROPPED, text=describe(error))
            if self._is_of_agent(error, reader):
                self._finish = "dropped"
            else:
                attach_recording(error, await self._make_recording())
                raise
        finally:
            self._stop_sending()
            reader.cancel()
            await asyncio.wait({reader}, timeout=CLOSE_SECONDS)
        return await self._make_recording()

    def _is_of_agent(self, error: Exception, reader: asyncio.Task[None]) -> bool:
        """Return whether an error after the start is something that callers of the agent would experience.

        Errors of a simulated caller are not, and neither is a mistake in the setup or in the code of a model. A
        transcription is tried again: its recogniser is evaluated by what it understands of a whole recording.
        """
        is_of_session = reader.done() and not reader.cancelled() and reader.exception() is error
        return is_of_session and self._call.mode == "converse" and not isinstance(error, (SpecError, InvalidEvent))

    # --- the session ------------------------------------------------------------

    async def _read(self) -> None:
        step = UserCall(f"the session of {type(self._model).__name__}", is_announced=False)
        await AwaitedCall(step, self._receive_all, has_limit=False)  # the call ends it

    async def _receive_all(self) -> None:
        session = self._model.session(self._call, self._inputs)
        try:
            async for event in session:
                self._receive(check_event(event))
        finally:
            if isinstance(session, AsyncGenerator):
                await session.aclose()

    async def _wait_until_ready(self, reader: asyncio.Task[None]) -> None:
        await asyncio.wait({reader, self._ready}, timeout=READY_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if self._ready.done():
            return
        if reader.done():
            reader.result()
            raise Transient("The session ended before it was ready.")
        raise Transient(f"The session was not ready after {READY_SECONDS:g} s.")

    async def _end(self, reader: asyncio.Task[None]) -> None:
        """End the call: the caller has hung up, or the session has ended."""
        now = self._now()
        self._stop_sending()
        if not self._hung_up.done():
            self._ended_at = now
            reader.result()
            self._ended_at = max(now, self._player.end)
            self._finish = "completed" if self._caller.is_done else "agent"
            return
        self._hung_up.result()
        await asyncio.wait({reader}, timeout=CLOSE_SECONDS)
        if reader.done() and (error := reader.exception()) is not None:  # which does not change the call any more
            self._log("received", EventKind.ERROR, text=describe(error))

    def _stop_sending(self) -> None:
        for pending in (self._timer, self._asking):
            if pending is not None:
                pending.cancel()
        self._inputs.close()

    # --- what the caller does ---------------------------------------------------

    def _tick(self) -> None:
        """Send the frames that are due, and wait for the next."""
        try:
            now = self._now() + TIME_TOLERANCE
            while (due := (self._frame_count + 1) * FRAME_SECONDS) <= now:
                self._send_frame(due)
                self._frame_count += 1
                if self._hang_up_if_done(due):
                    return
        except Exception as error:  # noqa: BLE001 - it would be lost in a callback of the event loop
            self._fail(error)
            return
        self._timer = self._loop.call_at(self._origin + due, self._tick)

    def _send_frame(self, due: float) -> None:
        if self._end_of_audio is not None:
            return
        frame = self._caller.next_frame(due - FRAME_SECONDS)
        if self._is_marked_turn(frame.started):
            self._send(StartOfTurn(), EventKind.START_OF_TURN)
            self._flush(self._now())
        self._inputs.put(frame.audio, self._origin + due)
        if self._is_marked_turn(frame.ended):
            self._send(EndOfTurn(), EventKind.END_OF_TURN)
        if self._caller.is_done and self._call.mode == "transcribe":
            self._end_of_audio = due
            self._send(EndOfAudio(), EventKind.END_OF_AUDIO)

    def _is_marked_turn(self, step: Step | None) -> bool:
        """Return whether the caller states the start and the end of a step."""
        return step is not None and step.expects_response and self._call.turn_detection == "caller"

    def _hang_up_if_done(self, now: float) -> bool:
        if self._hung_up.done():
            return True
        if now >= self._call.max_seconds - TIME_TOLERANCE:
            self._hang_up(now, "limit")
        elif self._asking is None and self._is_done(now):
            if self._call.caller is None:
                self._hang_up(now, "completed")
            else:
                self._asking = asyncio.create_task(self._ask(self._call.caller))
        return self._hung_up.done()

    def _hang_up(self, now: float, finish: Finish) -> None:
        self._finish, self._ended_at = finish, now
        self._hung_up.set_result(None)

    async def _ask(self, caller: Caller) -> None:
        """Ask what to do next; the call goes on meanwhile."""
        try:
            step = await caller.next_step(make_dialogue(self._describe(self._now())))
            if step is not None:
                self._caller.add_step(await asyncio.to_thread(render_step, step, self._model.input_rate))
        except Exception as error:  # noqa: BLE001 - raised by `hold`
            self._fail(error)
            return
        if step is None and not self._hung_up.done():
            self._hang_up(self._now(), "completed")
        self._asking = None

    def _fail(self, error: Exception) -> None:
        if not self._hung_up.done():
            self._hung_up.set_exception(error)

    def _is_done(self, now: float) -> bool:
        """Return whether the script is done, and the agent has responded or does not respond."""
        if not self._caller.is_done:
            return False
        if self._caller.last_step is None and self._call.caller and self._call.first_speaker == "caller":
            return True
        timeout = self._call.response_timeout - TIME_TOLERANCE
        if self._end_of_audio is not None:
            return now - max(self._end_of_audio, self._last_received) >= timeout
        last_end = self._caller.previous_end
        last_step = self._caller.last_step
        if last_step is not None and last_step.kind == "wait" and self._agent.is_silent(now):
            return True
        return self._agent.find_end(last_end, now) is not None or self._agent.silence(last_end, now) >= timeout

    def _send(self, item: CallerInput, kind: EventKind, *, about: str = "", seconds: float | None = None) -> None:
        self._log("sent", kind, item=about, seconds=seconds)
        self._inputs.put(item, self._loop.time())

    # --- what the agent does ----------------------------------------------------

    def _receive(self, event: SessionEvent) -> None:
        received_at = self._loop.time() if event.received_at is None else event.received_at
        if event.kind in (EventKind.READY, EventKind.AUDIO):
            self._start_clock()
        at = received_at - self._origin
        self._last_received = at
        if event.kind in (EventKind.AUDIO, EventKind.TRANSCRIPT):
            event = self._name_item(event, at)
        elif event.kind in BETWEEN_ITEMS:
            self._ends_unnamed = True
        if event.kind is EventKind.AUDIO:
            samples = cast("NDArray[np.int16]", event.audio)
            self._record(replace(event, seconds=len(samples) / self._model.output_rate), at)
            if self._ended_at is None:
                self._player.add(event.item, samples, at)
                self._agent.go_on()
                if self._player.end > MAX_AUDIO_SHARE * self._call.max_seconds:
                    raise Rejected(
                        self._describe_excess(f"{self._player.end - at:,.0f} s of audio that wait to be played")
                    )
            return
        self._record(event, at)
        if self._ended_at is None:
            self._react(event, at)
        if event.kind is EventKind.USAGE:
            self._usage.update({name: value for name, value in event.data.items() if isinstance(value, (int, float))})

    def _name_item(self, event: SessionEvent, at: float) -> SessionEvent:
        """Return an event with an item; what an agent yields without any belongs together until it pauses."""
        if event.item:
            return event
        if self._ends_unnamed or (self._unnamed_has_audio and at > self._player.end + END_SILENCE):
            self._unnamed_items += 1
            self._ends_unnamed = self._unnamed_has_audio = False
        self._unnamed_has_audio |= event.kind is EventKind.AUDIO
        return replace(event, item=f"speech-{self._unnamed_items}")

    def _start_clock(self) -> None:
        """Start the call: the session is ready, takes the first input, or speaks."""
        if self._ready.done():
            return
        self._origin = self._loop.time()
        self._last_received = 0.0
        self._events = [replace(event, at=event.at - self._origin) for event in self._events]
        self._ready.set_result(None)
        self._tick()

    def _react(self, event: SessionEvent, at: float) -> None:
        match event.kind:
            case EventKind.SPEECH_STARTED | EventKind.INTERRUPTED:
                self._flush(at)
            case EventKind.RESPONSE_STARTED:
                self._agent.start_response()
            case EventKind.RESPONSE_DONE:
                if event.data.get("status") == "cancelled":
                    self._flush(at)
                self._agent.end_response()
            case EventKind.TOOL_CALL:
                name, call_id = str(event.data.get("name", "")), str(event.data.get("call_id", ""))
                unknown = json.dumps({"error": f"Unknown tool: {name}"})
                result = next((tool.result for tool in self._call.tools if tool.name == name), unknown)
                self._log(
                    "sent", EventKind.TOOL_RESULT, item=call_id, text=result, data={"call_id": call_id, "name": name}
                )
                self._inputs.put(ToolResult(call_id, name, result), self._loop.time())
                self._agent.expect_response()

    def _flush(self, at: float) -> None:
        if self._call.flush == "on_signal":
            for truncate in self._player.flush(at):
                self._send(truncate, EventKind.TRUNCATE, about=truncate.item, seconds=truncate.seconds)

    # --- the recording ----------------------------------------------------------

    def _now(self) -> float:
        return self._loop.time() - self._origin

    def _log(self, side: Literal["sent", "received"], kind: EventKind, **fields: Any) -> None:
        self._events.append(Event(at=self._now(), side=side, kind=kind, **fields))

    def _describe_excess(self, amount: str) -> str:
        return f"The agent sent {amount}, in a call of at most {self._call.max_seconds:g} s."

    def _record(self, event: SessionEvent, at: float) -> None:
        if len(self._events) > MAX_EVENTS_PER_SECOND * self._call.max_seconds:
            raise Rejected(self._describe_excess(f"{len(self._events):,} events"))
        texts = (event.type, event.item, event.text, *(word for word, *_ in event.words or ()))
        self._characters += sum(map(len, texts)) + (len(str(event.data)) if event.data else 0)
        if self._characters > MAX_CHARACTERS_PER_SECOND * self._call.max_seconds:
            raise Rejected(self._describe_excess(f"events of {self._characters:,} characters"))
        self._events.append(
            Event(
                at=at,
                side="received",
                kind=event.kind,
                type=event.type,
                item=event.item,
                text=event.text,
                position=event.position,
                seconds=event.seconds,
                words=event.words,
                data=event.data,
            )
        )

    async def _make_recording(self) -> CallRecording:
        seconds = self._now() if self._ended_at is None else self._ended_at
        self._player.stop(seconds)
        recording = self._describe(seconds)
        audio = await asyncio.to_thread(self._mix, seconds) if self._call.keep_audio and seconds > 0 else None
        return replace(recording, audio=audio)

    def _describe(self, seconds: float) -> CallRecording:
        """Return what happened until now, without audio."""
        own_events = [event for event in [*self._caller.events, *self._player.list_events()] if event.at <= seconds]
        caller = [replace(span, end=min(span.end, seconds)) for span in self._caller.spans if span.start < seconds]
        return CallRecording(
            events=tuple(sorted([*self._events, *own_events], key=lambda event: event.at)),
            caller=tuple(caller),
            agent=self._player.list_spans(),
            seconds=seconds,
            finish=self._finish,
            unreached=self._caller.list_unreached() if self._finish == "dropped" else (),
            agent_pauses=tuple(self._player.pauses),
            merge_seconds=MERGE_SECONDS,
            pacing=self._inputs.summarise(),
            usage=dict(self._usage),
        )

    def _mix(self, seconds: float) -> Audio:
        caller = self._caller.make_track(seconds), self._model.input_rate
        agent = self._player.make_track(seconds), self._model.output_rate
        return mix_tracks(caller, agent, seconds=seconds)


def make_dialogue(recording: CallRecording) -> list[Utterance]:
    """Return what was spoken and heard so far, for callers that decide during the call what to do next."""
    caller = [(span.start, Utterance("caller", span.text)) for span in recording.caller if span.text]
    agent = [(item.start, Utterance("agent", item.heard)) for item in list_spoken_items(recording) if item.heard]
    return [utterance for _, utterance in sorted([*caller, *agent], key=lambda entry: entry[0])]
