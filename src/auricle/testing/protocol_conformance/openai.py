"""Check a server against OpenAI's Realtime protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from auricle.core.calls import Tool
from auricle.core.types import Call
from auricle.models.sessions.pcm import PcmDecoder, append_message
from auricle.models.sessions.realtime import PCM_RATE as RATE
from auricle.models.sessions.realtime import Realtime, build_session
from auricle.models.sessions.realtime_reader import BETA_NAMES, TRANSCRIPTION, find_rate
from auricle.models.sessions.usage import read_usage
from auricle.testing.protocol_conformance.probe import ConnectionClosed, Probe, ProbeSettings, Received
from auricle.testing.protocol_conformance.report import ConformanceReport, Outcome
from auricle.testing.protocol_conformance.suite import INSTRUCTIONS, QUESTION, TOOL, Part, ProtocolSuite

RESPONSE_ORDER = (
    "response.created",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_audio.delta",
    "response.output_audio.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.done",
)
"""Events of a spoken response, in their order."""
OPTIONAL = frozenset(("input transcription", "rate_limits.updated", "transcription session"))


class OpenAISuite(ProtocolSuite):
    """All checks of OpenAI's protocol, in today's spelling or in that of the beta."""

    model: Realtime

    def __init__(self, model: Realtime, settings: ProbeSettings) -> None:
        super().__init__(model, settings, append_message)
        self._spellings: set[str] = set()
        self._lacks_ids: set[str] = set()

    @property
    def is_beta(self) -> bool:
        return self.model.settings.dialect == "openai-beta"

    def parts(self) -> tuple[Part, ...]:
        caller = Call(steps=(), turn_detection="caller", instructions=INSTRUCTIONS)
        tools = Call(steps=(), turn_detection="caller", tools=(TOOL,))
        listening = Call(steps=(), instructions=INSTRUCTIONS)
        transcribing = Call(steps=(), mode="transcribe", turn_detection="caller")
        return (
            Part(
                self.check_session,
                caller,
                (
                    *("session.created", "session.update", "input_audio_buffer.append", "input_audio_buffer.clear"),
                    *("empty commit", "needless cancel", "unknown event", "error object"),
                ),
            ),
            Part(
                self.check_turns,
                listening,
                (
                    *(
                        "speech_started",
                        "speech_stopped",
                        "committed",
                        "conversation.item.added",
                        "input transcription",
                    ),
                    *("order of a response", "audio", "transcript", "usage", "rate_limits.updated", "truncate"),
                    *("truncate too far", "barge-in"),
                ),
                microphone=True,
            ),
            Part(
                self.check_push_to_talk,
                caller,
                ("input_audio_buffer.commit", "response.create", "one response at a time", "response.cancel"),
            ),
            Part(self.check_tools, tools, ("tool call", "tool result")),
            Part(self.check_transcription, transcribing, ("transcription session",)),
        )

    def create_report(self) -> ConformanceReport:
        names = ["connect", *(name for part in self.parts() for name in part.checks), "event names", "event ids"]
        return ConformanceReport({name: name in OPTIONAL for name in names})

    # --- messages -----------------------------------------------------------------

    async def wait(self, probe: Probe, names: str | tuple[str, ...], since: int = 0, *, long: bool = False) -> Any:
        """Return the next event of one of these types, whichever spelling it has."""
        wanted = (names,) if isinstance(names, str) else names
        seconds = probe.settings.response_seconds if long else probe.settings.reply_seconds
        return await probe.wait_for(lambda message: canonical_name(message) in wanted, seconds, since)

    async def open_session(self, probe: Probe, call: Call, **fields: Any) -> Received | None:
        """Configure a session, and return the confirmation."""
        name = "transcription_session.update" if self.is_beta and call.mode == "transcribe" else "session.update"
        session = {**build_session(call, self.model.settings), **fields}
        since = await probe.send({"type": name, "session": session})
        updated: Received | None = await self.wait(probe, ("session.updated", "error"), since)
        return updated if updated and canonical_name(updated.message) == "session.updated" else None

    async def send_wrong(self, probe: Probe, message: Mapping[str, Any], check: str) -> Received | None:
        """Send what has to be answered by an error, and check that the session goes on."""
        since = await probe.send(message)
        try:
            error: Received | None = await self.wait(probe, "error", since)
        except ConnectionClosed:
            self.report.add(check, "wrong", "the server closes the connection")
            raise
        return error

    async def expect_error(self, probe: Probe, message: Mapping[str, Any], check: str, code: str = "") -> None:
        """Check that a message is answered by an error with a code."""
        error = await self.send_wrong(probe, message, check)
        details = error.message.get("error") if error else None
        actual = details.get("code") if isinstance(details, dict) else None
        problem = f"the code is {actual!r} instead of {code!r}" if code and actual != code else ""
        self.report.require(check, error, f"{message['type']} is not answered by an error", problem=problem)

    def close_part(self, probe: Probe) -> None:
        for received in probe.received:
            name = str(received.message.get("type"))
            is_other_spelling = name in (BETA_NAMES.values() if self.is_beta else BETA_NAMES)
            if is_other_spelling and not (self.is_beta and name in ("session.created", "session.updated")):
                self._spellings.add(name)
            if not received.message.get("event_id"):
                self._lacks_ids.add(name)

    def finish(self) -> None:
        spelling = "today's" if self.is_beta else "the beta's"
        names = f"{spelling} names: {', '.join(sorted(self._spellings))}" if self._spellings else ""
        self.report.require("event names", is_present=True, explanation="", problem=names)
        lacking = f"no event_id in {', '.join(sorted(self._lacks_ids))}" if self._lacks_ids else ""
        self.report.require("event ids", is_present=True, explanation="", problem=lacking)

    # --- checks -------------------------------------------------------------------

    async def check_session(self, probe: Probe, call: Call) -> None:
        require = self.report.require
        created = await self.wait(probe, "session.created")
        first = str(probe.received[0].message.get("type")) if probe.received else ""
        problem = "" if created and created.index == 0 else f"the first event is {first}"
        if created and not isinstance(created.message.get("session"), dict):
            problem = "it has no session object"
        require("session.created", created, "no session.created after connecting", problem=problem)
        updated = await self.open_session(probe, call)
        session = updated.message.get("session") if updated else None
        problem = ""
        if not isinstance(session, dict) or session.get("instructions") != call.instructions:
            problem = "session.updated does not contain the instructions that were sent"
        elif rates := [rate for side in ("input", "output") if (rate := find_rate(session, side)) not in (None, RATE)]:
            problem = f"the rate is {rates[0]} Hz instead of {RATE} Hz"
        require("session.update", updated, "session.update is not answered by session.updated", problem=problem)
        await self._check_input_buffer(probe)
        await self.expect_error(probe, {"type": "response.cancel"}, "needless cancel", "response_cancel_not_active")
        await self._check_errors(probe)

    async def _check_input_buffer(self, probe: Probe) -> None:
        since = await probe.append(probe.settings.utterance)
        answer = await probe.wait_for(lambda _: True, probe.settings.quiet_seconds, since)
        problem = f"answered by {answer.message.get('type')}, though turn detection is off" if answer else ""
        self.report.require("input_audio_buffer.append", is_present=True, explanation="", problem=problem)
        since = await probe.send({"type": "input_audio_buffer.clear"})
        cleared = await self.wait(probe, "input_audio_buffer.cleared", since)
        self.report.require("input_audio_buffer.clear", cleared, "not answered by input_audio_buffer.cleared")
        message = {"type": "input_audio_buffer.commit"}
        if cleared:
            await self.expect_error(probe, message, "empty commit", "input_audio_buffer_commit_empty")
        else:
            self.report.add("empty commit", "unknown", "the buffer cannot be cleared")

    async def _check_errors(self, probe: Probe) -> None:
        message = {"type": "auricle.unknown", "event_id": "check-1"}
        error = await self.send_wrong(probe, message, "unknown event")
        self.report.require("unknown event", error, "ignored instead of answered by an error")
        if error is None:
            self.report.add("error object", "unknown", "no error was sent")
            return
        details, problem = error.message.get("error"), ""
        if not isinstance(details, dict) or not isinstance(details.get("message"), str):
            problem = "error is not an object with a message"
        elif details.get("event_id") != "check-1":
            problem = f"error.event_id is {details.get('event_id')!r} instead of the id of the rejected event"
        self.report.require("error object", error, "", problem=problem)

    async def check_turns(self, probe: Probe, call: Call) -> None:
        fields = {} if self.model.settings.transcription else self._ask_for_transcription(call)
        await self.open_session(probe, call, **fields)
        probe.is_speaking = True
        since = probe.say(probe.settings.utterance)
        await self._check_turn_detection(probe, since)
        done = await self.wait(probe, "response.done", since, long=True)
        if done is None:
            self.report.add("order of a response", "missing", "no response.done after the caller's turn")
            return
        await self._check_response(probe, since, done)
        await self._check_truncation(probe, since)
        await self._check_barge_in(probe)

    def _ask_for_transcription(self, call: Call) -> dict[str, Any]:
        """Return settings that ask for a transcript of the caller, which a server may ignore."""
        transcription = {"model": "whisper-1"}
        if self.is_beta:
            return {"input_audio_transcription": transcription}
        audio = build_session(call, self.model.settings)["audio"]
        return {"audio": {**audio, "input": {**audio["input"], "transcription": transcription}}}

    async def _check_turn_detection(self, probe: Probe, since: int) -> None:
        require, positions = self.report.require, []
        for name, field in (("speech_started", "audio_start_ms"), ("speech_stopped", "audio_end_ms")):
            event = await self.wait(probe, f"input_audio_buffer.{name}", since, long=True)
            position = event.message.get(field) if event else None
            positions.append(position)
            is_number = isinstance(position, (int, float)) and position >= 0
            require(name, event, f"no input_audio_buffer.{name}", problem="" if is_number else f"it has no {field}")
        start, end = positions
        if isinstance(start, (int, float)) and isinstance(end, (int, float)) and end < start:
            self.report.add("speech_stopped", "wrong", "audio_end_ms is before audio_start_ms")
        committed = await self.wait(probe, "input_audio_buffer.committed", since)
        require("committed", committed, "no input_audio_buffer.committed after a turn")
        added = await self.wait(probe, "conversation.item.added", since)
        require("conversation.item.added", added, "no conversation.item.added after a turn")

    async def _check_response(self, probe: Probe, since: int, done: Received) -> None:
        require = self.report.require
        names = [canonical_name(received.message) for received in probe.received[since : done.index + 1]]
        require("order of a response", is_present=True, explanation="", problem=describe_order(names))
        messages = [received.message for received in probe.received[since : done.index + 1]]
        deltas = [message for message in messages if canonical_name(message) == "response.output_audio.delta"]
        require("audio", deltas, "no response.output_audio.delta", problem=describe_audio(deltas))
        parts = [
            str(message.get("delta"))
            for message in messages
            if canonical_name(message) == "response.output_audio_transcript.delta"
        ]
        whole = [m for m in messages if canonical_name(m) == "response.output_audio_transcript.done"]
        problem = ""
        if parts and whole and "".join(parts).strip() != str(whole[-1].get("transcript")).strip():
            problem = "the parts of the transcript differ from the whole"
        require("transcript", parts or whole, "no response.output_audio_transcript", problem=problem)
        usage = read_usage((done.message.get("response") or {}).get("usage"))
        problem = "" if any(usage.values()) else "all counts are 0"
        require("usage", usage, "no usage in response.done", problem=problem)
        limits = [name for name in names if name == "rate_limits.updated"]
        require("rate_limits.updated", limits, "not sent")
        heard = await self.wait(probe, f"{TRANSCRIPTION}.completed", since)
        require("input transcription", heard, f"no {TRANSCRIPTION}.completed")

    async def _check_truncation(self, probe: Probe, since: int) -> None:
        audio = await self.wait(probe, "response.output_audio.delta", since)
        if audio is None:
            return
        truncate = {
            "type": "conversation.item.truncate",
            "item_id": audio.message.get("item_id"),
            "content_index": 0,
            "audio_end_ms": 100,
        }
        await self.expect_error(probe, {**truncate, "audio_end_ms": 3_600_000}, "truncate too far")
        index = await probe.send(truncate)
        truncated = await self.wait(probe, ("conversation.item.truncated", "error"), index)
        problem = ""
        if truncated and canonical_name(truncated.message) == "error":
            problem = "refused with an error"
        elif truncated and truncated.message.get("audio_end_ms") != truncate["audio_end_ms"]:
            problem = "audio_end_ms differs from what was sent"
        self.report.require("truncate", truncated, "not answered by conversation.item.truncated", problem=problem)

    async def _check_barge_in(self, probe: Probe) -> None:
        since = probe.say(probe.settings.utterance)
        audio = await self.wait(probe, "response.output_audio.delta", since, long=True)
        if audio is None:
            self.report.add("barge-in", "unknown", "no second response")
            return
        over = probe.say(probe.settings.utterance)
        started = await self.wait(probe, "input_audio_buffer.speech_started", over, long=True)
        done = await self.wait(probe, "response.done", audio.index, long=True)
        self.report.add("barge-in", *judge_barge_in(started, done))

    async def check_push_to_talk(self, probe: Probe, call: Call) -> None:
        require = self.report.require
        await self.open_session(probe, call)
        await probe.append(probe.settings.utterance)
        since = await probe.send({"type": "input_audio_buffer.commit"})
        committed = await self.wait(probe, "input_audio_buffer.committed", since)
        early = await probe.wait_for(
            lambda message: canonical_name(message) == "response.created", probe.settings.quiet_seconds, since
        )
        problem = "a response begins without response.create" if early else ""
        require("input_audio_buffer.commit", committed, "not answered by committed", problem=problem)
        since = await probe.send({"type": "response.create"})
        created = await self.wait(probe, "response.created", 0 if early else since, long=True)
        require("response.create", created, "not answered by response.created")
        if created is None:
            return
        second = {"type": "response.create"}
        await self.expect_error(probe, second, "one response at a time", "conversation_already_has_active_response")
        await self._check_cancel(probe, created)

    async def _check_cancel(self, probe: Probe, created: Received) -> None:
        finished = await probe.wait_for(lambda message: canonical_name(message) == "response.done", 0.0, created.index)
        if finished:
            self.report.add("response.cancel", "unknown", "the response was complete before it could be cancelled")
            return
        await probe.send({"type": "response.cancel"})
        done = await self.wait(probe, "response.done", created.index, long=True)
        status = (done.message.get("response") or {}).get("status") if done else None
        problem = "" if status == "cancelled" else f"the response ended as {status} instead of cancelled"
        self.report.require("response.cancel", done, "no response.done after response.cancel", problem=problem)

    async def check_tools(self, probe: Probe, call: Call) -> None:
        await self.open_session(probe, call, tool_choice="required")
        await probe.append(probe.settings.utterance)
        await probe.send({"type": "input_audio_buffer.commit"})
        content = [{"type": "input_text", "text": QUESTION}]
        item = {"type": "message", "role": "user", "content": content}
        await probe.send({"type": "conversation.item.create", "item": item})
        since = await probe.send({"type": "response.create"})
        await self.wait(probe, "response.done", since, long=True)
        called = await self.wait(probe, "response.function_call_arguments.done", since)
        problem = describe_tool_call(called.message, TOOL) if called else ""
        self.report.require("tool call", called, "the model answered without calling the tool", problem=problem)
        if called is None:
            return
        output = {"type": "function_call_output", "call_id": called.message.get("call_id"), "output": TOOL.result}
        since = await probe.send({"type": "conversation.item.create", "item": output})
        await probe.send({"type": "response.create"})
        answer = await self.wait(probe, "response.created", since, long=True)
        self.report.require("tool result", answer, "no response after the result of the tool")

    async def check_transcription(self, probe: Probe, call: Call) -> None:
        name = "transcription session"
        if await self.open_session(probe, call) is None:
            self.report.add(name, "missing", "the settings of a transcription session are not confirmed")
            return
        await probe.append(probe.settings.utterance)
        since = await probe.send({"type": "input_audio_buffer.commit"})
        completed = await self.wait(probe, f"{TRANSCRIPTION}.completed", since, long=True)
        self.report.require(name, completed, f"no {TRANSCRIPTION}.completed after a commit")


def canonical_name(message: Mapping[str, Any]) -> str:
    """Return the type of an event in today's spelling."""
    name = str(message.get("type"))
    return BETA_NAMES.get(name, name)


def describe_order(names: list[str]) -> str:
    """Return what is wrong with the order of the events of a response, or an empty string."""
    if missing := [name for name in RESPONSE_ORDER if name not in names]:
        return f"without {', '.join(missing)}"
    firsts = [names.index(name) for name in RESPONSE_ORDER]
    for index in range(len(firsts) - 1):
        if firsts[index] > firsts[index + 1]:
            return f"{RESPONSE_ORDER[index + 1]} before {RESPONSE_ORDER[index]}"
    return ""


def judge_barge_in(started: Received | None, done: Received | None) -> tuple[Outcome, str]:
    """Judge what happened to a response when the caller spoke, by `speech_started` and `response.done`."""
    status = (done.message.get("response") or {}).get("status") if done else None
    if started is None:
        return "missing", "no speech_started while the agent speaks"
    if done is None:
        return "wrong", "no response.done after the caller spoke"
    if status == "cancelled":
        return "supported", ""
    if done.index < started.index:
        return "unknown", "the response had been sent completely before the caller spoke"
    return "wrong", f"the response ended as {status} instead of cancelled"


def describe_audio(deltas: list[Mapping[str, Any]]) -> str:
    """Return what is wrong with the audio of a response, or an empty string."""
    decoder = PcmDecoder()
    for delta in deltas:
        if missing := [name for name in ("response_id", "item_id") if not delta.get(name)]:
            return f"without {', '.join(missing)}"
        try:
            decoder.decode(str(delta.get("delta")), "audio")
        except ValueError as error:
            return str(error)
    return "an odd number of bytes" if decoder.has_half_sample("audio") else ""


def describe_tool_call(message: Mapping[str, Any], tool: Tool) -> str:
    """Return what is wrong with a tool call, or an empty string."""
    if not message.get("call_id"):
        return "it has no call_id"
    if message.get("name") not in (tool.name, None):
        return f"it calls {message.get('name')!r}"
    try:
        arguments = orjson.loads(str(message.get("arguments")))
    except orjson.JSONDecodeError:
        arguments = None
    return "" if isinstance(arguments, dict) else "its arguments are not a JSON object as text"
