"""The official clients of OpenAI and Google hold conversations with the fake realtime server."""

from __future__ import annotations

import asyncio
import base64
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle.testing.fake_server import FakeServer, Script
from auricle.testing.fake_server.realtime.script import RealtimeScript, ScriptedToolCall, TurnScript
from auricle.testing.fake_server.realtime.voice import speak
from tests.support.certificates import write_certificate
from tests.support.extras import require_extra

require_extra("realtime-test")

pytestmark = pytest.mark.slow

INTERRUPTED_BYTES = round(0.6 * 48_000)
TURNS = (
    TurnScript(
        transcript="what time is it",
        answer="It is a quarter past nine in the morning.",
        stop_after=0.2,
        answer_after=0.1,
        answer_seconds=4.0,
        yield_after=0.1,
    ),
    TurnScript(
        transcript="book a table",
        answer="Your table is booked.",
        stop_after=0.2,
        answer_after=0.0,
        answer_seconds=0.4,
        tool=ScriptedToolCall(name="book_table", arguments={"day": "Friday"}),
    ),
)


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    return write_certificate(tmp_path / "server.pem")


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(Script(realtime=RealtimeScript(turns=TURNS))) as running:
        yield running


@dataclass
class Heard:
    """What a client received in a call."""

    types: list[str] = field(default_factory=list)
    transcripts: list[str | None] = field(default_factory=list)
    statuses: list[str | None] = field(default_factory=list)
    tools: list[tuple[str | None, Any]] = field(default_factory=list)
    audio: bytes = b""
    interruptions: int = 0
    turns: int = 0


class Caller:
    """Sends frames of 20 ms in real time: silence, unless there is something to say."""

    def __init__(self, send: Callable[[bytes], Awaitable[None]], rate: int) -> None:
        self._send = send
        self._rate = rate
        self._sound = speak(0.4, rate)
        self.heard = Heard()

    def hear(self, audio: bytes) -> None:
        """Interrupt the first answer after 0.6 seconds."""
        before = len(self.heard.audio)
        self.heard.audio += audio
        if before < INTERRUPTED_BYTES <= len(self.heard.audio):
            self._sound = speak(0.4, self._rate)

    async def run(self) -> None:
        start, size = time.monotonic(), self._rate // 50
        for number in range(1_000):
            await asyncio.sleep(max(0.0, start + number * 0.02 - time.monotonic()))
            frame, self._sound = self._sound[:size], self._sound[size:]
            await self._send(np.pad(frame, (0, size - len(frame))).astype(np.int16).tobytes())


@asynccontextmanager
async def calling(caller: Caller) -> AsyncIterator[None]:
    task = asyncio.create_task(caller.run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def hold_openai_call(url: str) -> Heard:
    """Ask, interrupt the answer, and return the result of the tool that is called then."""
    from openai import AsyncOpenAI

    async with AsyncOpenAI(api_key="none", base_url=url).realtime.connect(model="fake") as connection:
        audio: Any = {"input": {"transcription": {"model": "fake"}}}
        await connection.session.update(session={"type": "realtime", "audio": audio})

        async def send(frame: bytes) -> None:
            await connection.input_audio_buffer.append(audio=base64.b64encode(frame).decode())

        caller = Caller(send, 24_000)
        async with calling(caller):
            async for event in connection:
                await handle_openai_event(connection, event, caller)
                if len(caller.heard.statuses) == 3:
                    break
    return caller.heard


async def handle_openai_event(connection: Any, event: Any, caller: Caller) -> None:
    heard = caller.heard
    heard.types.append(event.type)
    match event.type:
        case "response.output_audio.delta":
            caller.hear(base64.b64decode(event.delta))
        case "conversation.item.input_audio_transcription.completed":
            heard.transcripts.append(event.transcript)
        case "response.function_call_arguments.done":
            heard.tools.append((event.name, event.arguments))
            output = {"type": "function_call_output", "call_id": event.call_id, "output": "{}"}
            await connection.conversation.item.create(item=output)
        case "response.done":
            heard.statuses.append(event.response.status)
            if heard.statuses == ["cancelled", "completed"]:
                await connection.response.create()


def test_the_client_of_openai_is_answered_interrupts_and_runs_a_tool(server: FakeServer) -> None:
    heard = asyncio.run(asyncio.wait_for(hold_openai_call(server.url), 60))
    assert heard.types[:2] == ["session.created", "session.updated"]
    assert heard.transcripts == ["what time is it", "book a table"]
    assert heard.tools == [("book_table", '{"day":"Friday"}')]
    assert heard.statuses == ["cancelled", "completed", "completed"]
    seconds = len(heard.audio) / 48_000
    assert 1.0 <= seconds < 4.0
    (session,) = server.stats()["realtime"]
    assert session["dialect"] == "openai"
    first, second = session["turns"]
    assert first["yielded"] - second["speech_start"] == pytest.approx(0.1, abs=1e-6)


async def transcribe_with_openai(url: str) -> list[str]:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key="none", base_url=url)
    async with client.realtime.connect(extra_query={"intent": "transcription"}) as connection:
        await connection.session.update(session={"type": "transcription", "audio": {"input": {"turn_detection": None}}})
        await connection.input_audio_buffer.append(audio=base64.b64encode(speak(0.4, 24_000).tobytes()).decode())
        await connection.input_audio_buffer.commit()
        texts: list[str] = []
        async for event in connection:
            if event.type == "conversation.item.input_audio_transcription.completed":
                texts.append(event.transcript)
                break
    return texts


def test_the_client_of_openai_transcribes(server: FakeServer) -> None:
    assert asyncio.run(asyncio.wait_for(transcribe_with_openai(server.url), 30)) == ["what time is it"]


async def hold_gemini_call(url: str, certificate: Path) -> Heard:
    """Ask, interrupt the answer, and return the result of the tool that is called then."""
    from google import genai
    from google.genai import types

    tls = ssl.create_default_context(cafile=str(certificate))
    options = types.HttpOptions(base_url=url, async_client_args={"ssl": tls})
    detection = types.AutomaticActivityDetection(silence_duration_ms=200)
    config = types.LiveConnectConfig(
        response_modalities=[types.Modality.AUDIO],
        input_audio_transcription=types.AudioTranscriptionConfig(),
        output_audio_transcription=types.AudioTranscriptionConfig(),
        realtime_input_config=types.RealtimeInputConfig(automatic_activity_detection=detection),
    )
    client = genai.Client(api_key="none", http_options=options)
    async with client.aio.live.connect(model="fake", config=config) as session:

        async def send(frame: bytes) -> None:
            await session.send_realtime_input(audio=types.Blob(data=frame, mime_type="audio/pcm;rate=16000"))

        caller = Caller(send, 16_000)
        async with calling(caller):
            while caller.heard.turns < 2:  # `receive` ends with each turn
                async for message in session.receive():
                    await handle_gemini_message(session, message, caller)
    return caller.heard


async def handle_gemini_message(session: Any, message: Any, caller: Caller) -> None:
    from google.genai import types

    heard = caller.heard
    if message.data:
        caller.hear(message.data)
    if content := message.server_content:
        heard.interruptions += bool(content.interrupted)
        heard.turns += bool(content.turn_complete)
        if content.input_transcription and content.input_transcription.finished:
            heard.transcripts.append(content.input_transcription.text)
    if message.tool_call:
        (call,) = message.tool_call.function_calls
        heard.tools.append((call.name, call.args))
        response = types.FunctionResponse(id=call.id, name=call.name, response={"booked": True})
        await session.send_tool_response(function_responses=[response])


@pytest.mark.parametrize("binary", [False, True])
def test_the_client_of_google_is_answered_interrupts_and_runs_a_tool(certificate: Path, binary: bool) -> None:
    script = Script(realtime=RealtimeScript(turns=TURNS, binary_frames=binary))
    with FakeServer(script, certificate=certificate) as server:
        heard = asyncio.run(asyncio.wait_for(hold_gemini_call(server.url.removesuffix("/v1"), certificate), 60))
        (session,) = server.stats()["realtime"]
    assert heard.transcripts == ["what time is it", "book a table"]
    assert heard.interruptions == 1
    assert heard.tools == [("book_table", {"day": "Friday"})]
    assert 1.0 <= len(heard.audio) / 48_000 < 4.0
    assert session["dialect"] == "gemini"
