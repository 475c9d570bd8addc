"""Check a server against Gemini's Live API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.core.types import Call
from auricle.models.sessions.gemini_live import OUTPUT_RATE, RATE, GeminiLive, audio_message, build_setup, read_field
from auricle.models.sessions.usage import read_usage
from auricle.testing.protocol_conformance.probe import Probe, ProbeSettings, Received
from auricle.testing.protocol_conformance.report import ConformanceReport
from auricle.testing.protocol_conformance.suite import INSTRUCTIONS, QUESTION, TOOL, Part, ProtocolSuite

OPTIONAL = frozenset(("inputTranscription", "outputTranscription", "usageMetadata"))


class GeminiSuite(ProtocolSuite):
    """All checks of Gemini's protocol."""

    model: GeminiLive

    def __init__(self, model: GeminiLive, settings: ProbeSettings) -> None:
        super().__init__(model, settings, audio_message)

    def parts(self) -> tuple[Part, ...]:
        listening = Call(steps=(), instructions=INSTRUCTIONS)
        caller = Call(steps=(), instructions=INSTRUCTIONS, turn_detection="caller")
        tools = Call(steps=(), turn_detection="caller", tools=(TOOL,))
        return (
            Part(
                self.check_turns,
                listening,
                (
                    *("setupComplete", "modelTurn", "generationComplete", "turnComplete", "inputTranscription"),
                    *("outputTranscription", "usageMetadata", "interrupted"),
                ),
                microphone=True,
            ),
            Part(self.check_push_to_talk, caller, ("activityStart and activityEnd",)),
            Part(self.check_text, caller, ("clientContent",)),
            Part(self.check_tools, tools, ("toolCall", "toolResponse")),
        )

    def create_report(self) -> ConformanceReport:
        names = ["connect", *(name for part in self.parts() for name in part.checks), "messages"]
        return ConformanceReport({name: name in OPTIONAL for name in names})

    def close_part(self, probe: Probe) -> None:
        if probe.unreadable:
            self.report.add("messages", "wrong", f"{probe.unreadable} frames are not JSON objects")

    def finish(self) -> None:
        self.report.add("messages", "supported")

    async def wait(self, probe: Probe, name: str, since: int = 0, *, long: bool = True) -> Received | None:
        """Return the next message that has a field, at its top or in `serverContent`."""
        seconds = probe.settings.response_seconds if long else probe.settings.reply_seconds
        return await probe.wait_for(lambda message: find_field(message, name) is not None, seconds, since)

    async def open_session(self, probe: Probe, call: Call) -> Received | None:
        setup = build_setup(call, self.model.service.model, self.model.voice, self.model.service.extra)
        await probe.send({"setup": setup})
        return await self.wait(probe, "setupComplete")

    async def check_turns(self, probe: Probe, call: Call) -> None:
        require = self.report.require
        complete = await self.open_session(probe, call)
        problem = "" if complete and complete.index == 0 else "it is not the first message"
        if not require("setupComplete", complete, "setup is not answered by setupComplete", problem=problem):
            return
        probe.is_speaking = True
        since = probe.say(probe.settings.utterance)
        turn = await self.wait(probe, "modelTurn", since)
        require("modelTurn", turn, "no modelTurn after the caller's turn", problem=describe_turn(turn))
        if turn is None:
            return
        end = await self.wait(probe, "turnComplete", since)
        require("turnComplete", end, "no turnComplete after a response")
        generated = await self.wait(probe, "generationComplete", since, long=False)
        problem = "it comes after turnComplete" if end and generated and generated.index > end.index else ""
        require("generationComplete", generated, "no generationComplete after a response", problem=problem)
        for name in ("inputTranscription", "outputTranscription"):
            require(name, await self.wait(probe, name, since, long=False), f"no {name}")
        usage = await self.wait(probe, "usageMetadata", since, long=False)
        counts = read_usage(find_field(usage.message, "usageMetadata")) if usage else {}
        problem = "" if any(counts.values()) else "all counts are 0"
        require("usageMetadata", usage, "no usageMetadata", problem=problem)
        await self._check_barge_in(probe)

    async def _check_barge_in(self, probe: Probe) -> None:
        since = probe.say(probe.settings.utterance)
        turn = await self.wait(probe, "modelTurn", since)
        if turn is None:
            self.report.add("interrupted", "unknown", "no second response")
            return
        probe.say(probe.settings.utterance)
        interrupted = await self.wait(probe, "interrupted", turn.index)
        self.report.require("interrupted", interrupted, "not sent when the caller speaks during a response")

    async def check_push_to_talk(self, probe: Probe, call: Call) -> None:
        await self.open_session(probe, call)
        await probe.send({"realtimeInput": {"activityStart": {}}})
        await probe.append(probe.settings.utterance)
        since = await probe.send({"realtimeInput": {"activityEnd": {}}})
        turn = await self.wait(probe, "modelTurn", since)
        self.report.require("activityStart and activityEnd", turn, "no response after activityEnd")

    async def check_text(self, probe: Probe, call: Call) -> None:
        await self.open_session(probe, call)
        since = await probe.send(text_message("Hello!"))
        turn = await self.wait(probe, "modelTurn", since)
        self.report.require("clientContent", turn, "no response to a turn of text")

    async def check_tools(self, probe: Probe, call: Call) -> None:
        await self.open_session(probe, call)
        since = await probe.send(text_message(QUESTION))
        called = await probe.wait_for(
            lambda message: any(find_field(message, name) is not None for name in ("toolCall", "turnComplete")),
            probe.settings.response_seconds,
            since,
        )
        if called is None or find_field(called.message, "toolCall") is None:
            self.report.add_unknown(("toolCall", "toolResponse"), "the model answered without calling the tool")
            return
        calls = read_field(find_field(called.message, "toolCall"), "functionCalls")
        if not self.report.require("toolCall", called, "", problem=describe_calls(calls)):
            return
        response = {"id": calls[0]["id"], "name": calls[0]["name"], "response": {"booked": True}}
        since = await probe.send({"toolResponse": {"functionResponses": [response]}})
        turn = await self.wait(probe, "modelTurn", since)
        self.report.require("toolResponse", turn, "no response after the result of the tool")


def text_message(text: str) -> dict[str, Any]:
    return {"clientContent": {"turns": [{"role": "user", "parts": [{"text": text}]}], "turnComplete": True}}


def find_field(message: Mapping[str, Any], name: str) -> Any:
    """Return a field of a message, or of its `serverContent`."""
    content = read_field(message, "serverContent")
    value = read_field(message, name)
    return read_field(content, name) if value is None and isinstance(content, dict) else value


def describe_turn(turn: Received | None) -> str:
    """Return what is wrong with the audio of a response, or an empty string."""
    model_turn = find_field(turn.message, "modelTurn") if turn else None
    parts = read_field(model_turn, "parts") if isinstance(model_turn, dict) else None
    media = [read_field(part, "inlineData") for part in parts or [] if isinstance(part, dict)]
    types = [str(read_field(item, "mimeType")) for item in media if isinstance(item, dict)]
    if not types:
        return "it has no inlineData with audio"
    rate = RATE.search(types[0])
    return (
        ""
        if rate and int(rate[1]) == OUTPUT_RATE
        else f"its type is {types[0]} instead of audio/pcm;rate={OUTPUT_RATE}"
    )


def describe_calls(calls: Any) -> str:
    """Return what is wrong with a tool call, or an empty string."""
    if not isinstance(calls, list) or not calls or not isinstance(calls[0], dict):
        return "it has no functionCalls"
    if missing := [name for name in ("id", "name") if not calls[0].get(name)]:
        return f"without {', '.join(missing)}"
    return "" if isinstance(calls[0].get("args"), dict) else "args is not an object"
