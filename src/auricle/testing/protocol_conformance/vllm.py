"""Check a server against vLLM's realtime protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auricle.core.types import Call
from auricle.models.sessions.pcm import append_message
from auricle.models.sessions.realtime import Realtime
from auricle.models.sessions.usage import read_usage
from auricle.testing.protocol_conformance.probe import Probe, ProbeSettings, Received
from auricle.testing.protocol_conformance.report import ConformanceReport
from auricle.testing.protocol_conformance.suite import Part, ProtocolSuite


class VLLMSuite(ProtocolSuite):
    """All checks of vLLM's protocol."""

    model: Realtime

    def __init__(self, model: Realtime, settings: ProbeSettings) -> None:
        super().__init__(model, settings, append_message)

    def parts(self) -> tuple[Part, ...]:
        call = Call(steps=(), mode="transcribe")
        return (
            Part(self.check_session, call, ("session.created", "early commit", "unknown event", "unknown model")),
            Part(
                self.check_transcription, call, ("session.update", "transcription.delta", "transcription.done", "usage")
            ),
        )

    def create_report(self) -> ConformanceReport:
        names = ["connect", *(name for part in self.parts() for name in part.checks)]
        return ConformanceReport({name: name == "unknown model" for name in names})  # a server may take any name

    async def _expect_error(self, probe: Probe, name: str, code: str, message: Mapping[str, Any]) -> None:
        since = await probe.send(message)
        error = await self._wait(probe, "error", since, probe.settings.reply_seconds)
        problem = ""
        if error and not isinstance(error.message.get("error"), str):
            problem = "error is not a text"
        elif error and error.message.get("code") != code:
            problem = f"the code is {error.message.get('code')!r} instead of {code!r}"
        self.report.require(name, error, f"{message['type']} is not answered by an error", problem=problem)

    async def _wait(self, probe: Probe, name: str, since: int, seconds: float) -> Received | None:
        return await probe.wait_for(lambda message: message.get("type") == name, seconds, since)

    async def check_session(self, probe: Probe, _: Call) -> None:
        created = await self._wait(probe, "session.created", 0, probe.settings.reply_seconds)
        problem = "" if created and created.index == 0 else "it is not the first event"
        self.report.require("session.created", created, "no session.created after connecting", problem=problem)
        commit = {"type": "input_audio_buffer.commit"}
        await self._expect_error(probe, "early commit", "model_not_validated", commit)
        await self._expect_error(probe, "unknown event", "unknown_event", {"type": "auricle.unknown"})
        update = {"type": "session.update", "model": "auricle-no-such-model"}
        await self._expect_error(probe, "unknown model", "model_not_found", update)

    async def check_transcription(self, probe: Probe, _: Call) -> None:
        since = await probe.send({"type": "session.update", "model": self.model.service.model})
        error = await self._wait(probe, "error", since, probe.settings.quiet_seconds)
        problem = f"refused: {error.message.get('error')}" if error else ""
        self.report.require("session.update", is_present=True, explanation="", problem=problem)
        await probe.send({"type": "input_audio_buffer.commit"})
        await probe.append(probe.settings.utterance)
        await probe.send({"type": "input_audio_buffer.commit", "final": True})
        done = await self._wait(probe, "transcription.done", since, probe.settings.response_seconds)
        problem = "" if done and isinstance(done.message.get("text"), str) else "it has no text"
        self.report.require("transcription.done", done, "no transcription.done after the final commit", problem=problem)
        delta = await self._wait(probe, "transcription.delta", since, 0.0)
        self.report.require("transcription.delta", delta, "no transcription.delta")
        usage = read_usage(done.message.get("usage")) if done else {}
        self.report.require("usage", usage, "no usage in transcription.done")
