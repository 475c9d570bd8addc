"""Checks in several sessions."""

import asyncio
from typing import Any

import pytest

from auricle.core.errors import SampleError
from auricle.core.types import Call
from auricle.models.sessions.pcm import append_message
from auricle.models.sessions.realtime import Realtime
from auricle.testing.protocol_conformance.probe import Probe
from auricle.testing.protocol_conformance.report import ConformanceReport
from auricle.testing.protocol_conformance.suite import Part, ProtocolSuite
from tests.support.conformance import quick_settings, results
from tests.support.websocket_servers import Line, call, scripted


class TwoParts(ProtocolSuite):
    def parts(self) -> tuple[Part, ...]:
        return (Part(self.greet, call(), ("greeting", "name")), Part(self.greet, call(), ("farewell",)))

    def create_report(self) -> ConformanceReport:
        return ConformanceReport(dict.fromkeys(("connect", "greeting", "name", "farewell"), False))

    async def greet(self, probe: Probe, _: Call) -> None:
        greeting = await probe.wait_for(lambda message: message.get("type") == "hello", 0.2)
        self.report.require("greeting", greeting, "no greeting")


def check(handler: Any) -> dict[str, str]:
    async def main() -> ConformanceReport:
        async with scripted(handler) as server:
            model = Realtime(base_url=server.url, model="m")
            return await TwoParts(model, quick_settings(24_000), append_message).run()

    return results(asyncio.run(main()))


def test_checks_without_a_result_are_unknown() -> None:
    async def greet(line: Line) -> None:
        await line.send({"type": "hello"})
        await line.receive_all()

    assert check(greet) == {
        "connect": "supported",
        "greeting": "supported",
        "name": "unknown: an earlier step failed",
        "farewell": "unknown: an earlier step failed",
    }


def test_a_closed_connection_is_the_reason_for_what_is_unknown() -> None:
    async def leave(line: Line) -> None:
        await line.socket.close()

    assert check(leave)["name"] == "unknown: the server closed the connection"


def test_a_session_that_the_server_has_no_room_for_is_tried_again() -> None:
    refusals = [1, 2, 3]

    async def busy(line: Line) -> None:
        if refusals:
            refusals.pop()
            await line.send({"type": "error", "error": {"type": "session_limit_reached"}})
            return
        await line.send({"type": "hello"})
        await line.receive_all()

    assert check(busy)["greeting"] == "supported"


def test_a_server_without_room_is_unknown() -> None:
    async def full(line: Line) -> None:
        await line.send({"type": "error", "error": {"type": "session_limit_reached"}})

    assert check(full)["greeting"] == "unknown: the server has no room for a session"


def test_a_server_that_cannot_be_reached_is_an_error() -> None:
    model = Realtime(base_url="http://127.0.0.1:1", model="m")
    with pytest.raises(SampleError, match=r"no connection to 127\.0\.0\.1:1"):
        asyncio.run(TwoParts(model, quick_settings(24_000), append_message).run())
