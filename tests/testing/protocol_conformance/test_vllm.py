"""Checks of vLLM's realtime protocol, against the fake server and against a server with faults."""

import asyncio
from typing import Any

from auricle.models.sessions.realtime import Realtime
from auricle.testing.fake_server import FakeServer, Script
from auricle.testing.fake_server.realtime.script import RealtimeScript, TurnScript
from auricle.testing.protocol_conformance.vllm import VLLMSuite
from tests.support.conformance import check, problems, quick_settings, results
from tests.support.websocket_servers import Line, scripted


def suite_at(url: str) -> VLLMSuite:
    return VLLMSuite(Realtime(base_url=url, model="fake", dialect="vllm"), quick_settings(16_000))


def test_the_fake_server_conforms() -> None:
    script = RealtimeScript(turns=(TurnScript(transcript="good day"),), dialect="vllm")
    with FakeServer(Script(realtime=script)) as server:
        report = check(suite_at(server.url))
    assert report.is_conformant
    assert set(problems(report)) <= {"unknown model"}


def test_each_fault_is_explained() -> None:
    async def openai_like(line: Line) -> None:
        await line.send({"type": "session.created"})
        while (message := await line.receive()) is not None:
            if message["type"] != "input_audio_buffer.append":
                await line.send({"type": "error", "error": {"message": "no"}, "code": "invalid_event"})

    async def main() -> Any:
        async with scripted(openai_like) as server:
            suite = suite_at(server.url)
            suite.settings = quick_settings(16_000, response_seconds=0.2)
            return await suite.run()

    outcomes = results(asyncio.run(main()))
    assert outcomes["session.created"] == "supported"
    assert outcomes["unknown event"] == "wrong: error is not a text"
    assert outcomes["session.update"] == "wrong: refused: {'message': 'no'}"
    assert outcomes["transcription.done"] == "missing: no transcription.done after the final commit"
    assert outcomes["usage"] == "missing: no usage in transcription.done"
