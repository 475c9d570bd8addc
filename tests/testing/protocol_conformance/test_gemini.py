"""Checks of Gemini's Live API, against the fake server and against servers with faults."""

import asyncio
from typing import Any

import pytest

from auricle.models.sessions.gemini_live import GeminiLive
from auricle.testing.fake_server import FakeServer, Script
from auricle.testing.fake_server.realtime.script import RealtimeScript, ScriptedToolCall, TurnScript
from auricle.testing.protocol_conformance.gemini import GeminiSuite, describe_calls, describe_turn, find_field
from auricle.testing.protocol_conformance.probe import Received
from tests.support.conformance import check, problems, quick_settings, results
from tests.support.websocket_servers import Line, scripted

TURN = {"answer_seconds": 1.0, "answer_after": 0.05, "stop_after": 0.2}


def suite_at(url: str, **settings: Any) -> GeminiSuite:
    model = GeminiLive(base_url=url.replace("/v1", "/v1beta"), model="fake")
    return GeminiSuite(model, quick_settings(16_000, **settings))


@pytest.mark.slow
def test_the_fake_server_conforms() -> None:
    with FakeServer(Script(realtime=RealtimeScript(turns=(TurnScript(**TURN),)))) as server:  # type: ignore[arg-type]
        report = check(suite_at(server.url))
    assert report.is_conformant
    assert set(problems(report)) == {"toolCall", "toolResponse"}
    assert results(report)["toolCall"] == "unknown: the model answered without calling the tool"


class ToolsOnly(GeminiSuite):
    def parts(self) -> Any:
        return super().parts()[-1:]


@pytest.mark.slow
def test_a_tool_that_the_fake_server_calls_is_recognised() -> None:
    turn = TurnScript(**TURN, tool=ScriptedToolCall(name="book_table", arguments={"day": "Friday"}))  # type: ignore[arg-type]
    with FakeServer(Script(realtime=RealtimeScript(turns=(turn,)))) as server:
        model = GeminiLive(base_url=server.url.replace("/v1", "/v1beta"), model="fake")
        report = check(ToolsOnly(model, quick_settings(16_000)))
    assert problems(report) == {}
    assert "toolResponse" in results(report)


@pytest.mark.thorough
def test_a_server_that_answers_nothing_lacks_everything() -> None:
    async def mute(line: Line) -> None:
        await line.receive_all()

    async def main() -> Any:
        async with scripted(mute) as server:
            return await suite_at(server.url, response_seconds=0.1, reply_seconds=0.05).run()

    outcomes = results(asyncio.run(main()))
    assert outcomes["setupComplete"] == "missing: setup is not answered by setupComplete"
    assert outcomes["modelTurn"] == "unknown: an earlier step failed"
    assert outcomes["clientContent"] == "missing: no response to a turn of text"


def turn(**media: str) -> Received:
    content = {"model_turn": {"parts": [{"inline_data": media}]}} if media else {"modelTurn": {"parts": []}}
    return Received(0, 0.0, {"serverContent": content})


def test_the_audio_of_a_response() -> None:
    assert describe_turn(turn(mime_type="audio/pcm;rate=24000")) == ""
    expected = "its type is audio/pcm;rate=16000 instead of audio/pcm;rate=24000"
    assert describe_turn(turn(mime_type="audio/pcm;rate=16000")) == expected
    assert describe_turn(turn()) == "it has no inlineData with audio"


def test_fields_are_read_at_the_top_and_in_the_content() -> None:
    assert find_field({"serverContent": {"turn_complete": True}}, "turnComplete") is True
    assert find_field({"usageMetadata": {"a": 1}, "serverContent": {}}, "usageMetadata") == {"a": 1}
    assert find_field({"goAway": {}}, "turnComplete") is None


@pytest.mark.parametrize(
    ("calls", "problem"),
    [
        ([{"id": "1", "name": "f", "args": {}}], ""),
        ([{"name": "f", "args": {}}], "without id"),
        ([{"id": "1", "name": "f", "args": "{}"}], "args is not an object"),
        ([], "it has no functionCalls"),
        ("x", "it has no functionCalls"),
    ],
)
def test_a_tool_call(calls: Any, problem: str) -> None:
    assert describe_calls(calls) == problem
