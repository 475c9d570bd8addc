"""Run the checks of a protocol, one session after another."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auricle.core.calls import Tool
from auricle.core.errors import SampleError
from auricle.core.types import Call
from auricle.models.sessions.protocol import ServerError
from auricle.models.sessions.websocket import WebSocketModel
from auricle.testing.protocol_conformance.probe import ConnectionClosed, Probe, ProbeSettings, open_probe
from auricle.testing.protocol_conformance.report import ConformanceReport

if TYPE_CHECKING:
    from numpy import int16
    from numpy.typing import NDArray

MAX_ATTEMPTS = 8
"""How often a session is tried that the server has no room for."""
INSTRUCTIONS = "You are a friendly assistant. Answer in two or three sentences."
QUESTION = "Please book a table for Friday."
TOOL = Tool(
    name="book_table",
    description="Book a table in a restaurant.",
    parameters={"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]},
    result='{"booked": true}',
)


@dataclass(frozen=True, slots=True)
class Part:
    """Checks that share a session."""

    run: Callable[[Probe, Call], Awaitable[None]]
    call: Call
    checks: tuple[str, ...]
    microphone: bool = False
    """Whether audio is sent all the time, because the server detects turns."""


class ProtocolSuite:
    """The checks of one protocol.

    Args:
        model: Client of the server.
        settings: Speech and time limits.
        encode_audio: Returns the message for a frame of audio.
    """

    def __init__(
        self, model: WebSocketModel, settings: ProbeSettings, encode_audio: Callable[[NDArray[int16]], bytes]
    ) -> None:
        self.model = model
        self.settings = settings
        self._encode_audio = encode_audio
        self.report = self.create_report()

    def parts(self) -> tuple[Part, ...]:
        """Return the sessions in which the server is checked."""
        raise NotImplementedError

    def create_report(self) -> ConformanceReport:
        raise NotImplementedError

    def close_part(self, probe: Probe) -> None:
        """Look at everything that was received in a session."""

    def finish(self) -> None:
        """Record what concerns all sessions."""

    async def run(self) -> ConformanceReport:
        """Check the server.

        Raises:
            SampleError: The server cannot be reached, or refuses the first session.
        """
        for number, part in enumerate(self.parts()):
            if number:
                await asyncio.sleep(self.settings.pause_seconds)
            try:
                await self._run_part(part)
            except SampleError as error:
                if not number:
                    raise
                self.report.add_unknown(part.checks, str(error))
        self.finish()
        return self.report

    async def _run_part(self, part: Part) -> None:
        for _ in range(MAX_ATTEMPTS):
            async with open_probe(
                self.model, part.call, self.settings, self._encode_audio, microphone=part.microphone
            ) as probe:
                self.report.add("connect", "supported")
                if not await _is_refused(probe):
                    await self._run_checks(part, probe)
                    return
            await asyncio.sleep(self.settings.pause_seconds)
        self.report.add_unknown(part.checks, "the server has no room for a session")

    async def _run_checks(self, part: Part, probe: Probe) -> None:
        try:
            await part.run(probe, part.call)
        except ConnectionClosed:
            self.report.add_unknown(part.checks, "the server closed the connection")
        self.close_part(probe)
        self.report.add_unknown(part.checks, "an earlier step failed")


async def _is_refused(probe: Probe) -> bool:
    """Return whether the first thing that a server sends is that it has no room, after which it hangs up."""
    try:
        first = await probe.wait_for(lambda _: True, probe.settings.greeting_seconds)
    except ConnectionClosed:
        return False
    error = first.message.get("error") if first else None
    fields = error if isinstance(error, dict) else {}
    return ServerError("", str(fields.get("code")), str(fields.get("type"))).may_pass
