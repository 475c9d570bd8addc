"""Checks of OpenAI's protocol, against the fake server and against servers with faults."""

import asyncio
from typing import Any

import pytest

from auricle.models.sessions.realtime import Realtime
from auricle.testing.fake_server import FakeServer, Script
from auricle.testing.fake_server.realtime.script import RealtimeScript, TurnScript
from auricle.testing.protocol_conformance.openai import (
    RESPONSE_ORDER,
    OpenAISuite,
    describe_audio,
    describe_order,
    describe_tool_call,
    judge_barge_in,
)
from auricle.testing.protocol_conformance.probe import Received
from auricle.testing.protocol_conformance.report import ConformanceReport
from auricle.testing.protocol_conformance.suite import TOOL
from tests.support.conformance import check, problems, quick_settings, results
from tests.support.websocket_servers import Line, scripted

TURN = TurnScript(answer_seconds=1.5, answer_after=0.05, stop_after=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["openai", "openai-beta"])
def test_the_fake_server_conforms(dialect: Any) -> None:
    with FakeServer(Script(realtime=RealtimeScript(turns=(TURN,)))) as server:
        model = Realtime(base_url=server.url, model="fake", dialect=dialect)
        report = check(OpenAISuite(model, quick_settings(24_000)))
    assert report.is_conformant
    assert set(problems(report)) <= {"rate_limits.updated"}
    assert len(report.checks) == 31


def event(index: int, status: str = "") -> Received:
    return Received(index, 0.0, {"response": {"status": status}})


@pytest.mark.parametrize(
    ("started", "done", "outcome"),
    [
        (event(1), event(2, "cancelled"), "supported"),
        (event(2), event(1, "cancelled"), "supported"),
        (event(2), event(1, "completed"), "unknown"),
        (event(1), event(2, "completed"), "wrong"),
        (event(1), None, "wrong"),
        (None, event(1, "completed"), "missing"),
    ],
)
def test_what_happens_to_a_response_when_the_caller_speaks(started: Any, done: Any, outcome: str) -> None:
    assert judge_barge_in(started, done)[0] == outcome


async def mute(line: Line) -> None:
    await line.receive_all()


async def lenient(line: Line) -> None:
    """Confirm everything in the spelling of the beta, ignore errors, and close on unknown events."""
    await line.send({"type": "hello"}, {"type": "session.created"})
    while (message := await line.receive()) is not None:
        if message["type"] == "session.update":
            await line.send({"type": "session.updated", "event_id": "1", "session": {}})
        elif message["type"] == "input_audio_buffer.append":
            await line.send({"type": "conversation.item.created", "event_id": "2"})
        elif message["type"] == "auricle.unknown":
            return


def check_scripted(handler: Any) -> ConformanceReport:
    async def main() -> ConformanceReport:
        async with scripted(handler) as server:
            model = Realtime(base_url=server.url, model="m")
            settings = quick_settings(24_000, reply_seconds=0.1, response_seconds=0.2, quiet_seconds=0.05)
            return await OpenAISuite(model, settings).run()

    return asyncio.run(main())


@pytest.mark.thorough
def test_a_server_that_answers_nothing_lacks_everything() -> None:
    report = check_scripted(mute)
    assert not report.is_conformant
    outcomes = results(report)
    assert outcomes["connect"] == "supported"
    assert outcomes["session.created"] == "missing: no session.created after connecting"
    assert outcomes["empty commit"] == "unknown: the buffer cannot be cleared"
    assert outcomes["order of a response"] == "missing: no response.done after the caller's turn"
    assert outcomes["tool call"] == "missing: the model answered without calling the tool"
    assert outcomes["barge-in"].startswith("unknown")


@pytest.mark.thorough
def test_each_fault_is_explained() -> None:
    outcomes = results(check_scripted(lenient))
    assert outcomes["session.created"] == "wrong: it has no session object"
    assert outcomes["session.update"].startswith("wrong: session.updated does not contain the instructions")
    assert (
        outcomes["input_audio_buffer.append"]
        == "wrong: answered by conversation.item.created, though turn detection is off"
    )
    assert outcomes["unknown event"] == "wrong: the server closes the connection"
    assert outcomes["event names"] == "wrong: the beta's names: conversation.item.created"
    assert outcomes["event ids"] == "wrong: no event_id in hello, session.created"


def test_the_order_of_a_response() -> None:
    names = list(RESPONSE_ORDER)
    assert describe_order(names) == ""
    assert describe_order(names[:1] + names[2:]) == "without response.output_item.added"
    swapped = [names[1], names[0], *names[2:]]
    assert describe_order(swapped) == "response.output_item.added before response.created"


@pytest.mark.parametrize(
    ("delta", "problem"),
    [
        ({"response_id": "r", "item_id": "i", "delta": "AAAA"}, "an odd number of bytes"),
        ({"response_id": "r", "item_id": "i", "delta": "AAA="}, ""),
        ({"response_id": "r", "item_id": "i", "delta": "%"}, "expected audio in base64"),
        ({"response_id": "r", "delta": "AAA="}, "without item_id"),
    ],
)
def test_the_audio_of_a_response(delta: Any, problem: str) -> None:
    assert describe_audio([delta]) == problem


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ({"call_id": "c", "name": "book_table", "arguments": "{}"}, ""),
        ({"call_id": "c", "arguments": "{}"}, ""),
        ({"name": "book_table", "arguments": "{}"}, "it has no call_id"),
        ({"call_id": "c", "name": "sing", "arguments": "{}"}, "it calls 'sing'"),
        ({"call_id": "c", "arguments": {}}, ""),
        ({"call_id": "c", "arguments": "[]"}, "its arguments are not a JSON object as text"),
    ],
)
def test_a_tool_call(message: Any, problem: str) -> None:
    assert describe_tool_call(message, TOOL) == problem
