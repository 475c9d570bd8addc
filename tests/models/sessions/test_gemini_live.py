"""Gemini's Live API."""

import asyncio
import base64
import random
from typing import Any

import numpy as np
import orjson
import pytest

from auricle.core.calls import EndOfAudio, EndOfTurn, EventKind, SessionEvent, StartOfTurn, Tool, ToolResult, Truncate
from auricle.core.errors import Rejected
from auricle.core.types import Call
from auricle.models.base import abilities
from auricle.models.sessions.gemini_live import GeminiLive, GeminiLiveProtocol
from tests.support.websocket_servers import Line, ScriptedServer, call, frame, hold, kinds, scripted

KEY = "gemini-key-of-this-test-42"
PATH = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"
AUDIO = base64.b64encode(np.arange(240, dtype=np.int16).tobytes()).decode()
TOOL = Tool(name="book", description="Book a table", parameters={"type": "object"})


def model_at(url: str, **options: Any) -> GeminiLive:
    return GeminiLive(
        **{"base_url": f"{url}/v1beta", "model": "live", "api_key": KEY, "connect_timeout": 5.0, **options}
    )


async def listen(line: Line) -> None:
    await line.receive_until("setup")
    await line.send({"setupComplete": {}})
    await line.receive_all()


def sent(*inputs: Any, request: Call | None = None, **options: Any) -> ScriptedServer:
    """Hold a call with a server that only listens, and return the server."""

    async def main() -> ScriptedServer:
        async with scripted(listen) as server:
            await hold(model_at(server.url, **options), inputs, request)
            return server

    return asyncio.run(main())


def read(*messages: Any, protocol: GeminiLiveProtocol | None = None) -> list[SessionEvent]:
    protocol = protocol or GeminiLiveProtocol(call(), str, {})
    return [event for message in messages for event in protocol.read_frame(orjson.dumps(message), 5.0)]


def speech(data: str = AUDIO, mime_type: str = "audio/pcm;rate=24000") -> Any:
    part = {"inlineData": {"mimeType": mime_type, "data": data}}
    return {"serverContent": {"modelTurn": {"parts": [part]}}}


def test_it_holds_calls_and_nothing_else() -> None:
    assert abilities(GeminiLive) == ["call"]


def test_a_session_begins_with_its_setup_and_the_key_is_in_a_header() -> None:
    request = call(instructions="Be brief.", tools=(TOOL,))
    line = sent(request=request, voice="Puck").lines[0]
    assert line.request.path == PATH
    assert not line.request.query
    assert line.request.headers["x-goog-api-key"] == KEY
    function = {"name": "book", "description": "Book a table", "parametersJsonSchema": {"type": "object"}}
    voice = {"voiceConfig": {"prebuiltVoiceConfig": {"voiceName": "Puck"}}}
    assert line.received == [
        {
            "setup": {
                "model": "models/live",
                "generationConfig": {"responseModalities": ["AUDIO"], "speechConfig": voice},
                "inputAudioTranscription": {},
                "outputAudioTranscription": {},
                "systemInstruction": {"parts": [{"text": "Be brief."}]},
                "tools": [{"functionDeclarations": [function]}],
            }
        }
    ]


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        (
            "https://h/v1alpha",
            "https://h/ws/google.ai.generativelanguage.v1alpha.GenerativeService.BidiGenerateContent",
        ),
        ("ws://h", f"ws://h{PATH}"),
        ("ws://h/proxy/v1beta?key=1", f"ws://h/proxy{PATH}?key=1"),
        (f"wss://h{PATH}", f"wss://h{PATH}"),
    ],
)
def test_the_address_has_the_version_of_the_base_address(base_url: str, url: str) -> None:
    assert model_at("http://h").session_url(base_url, call()) == url


def test_extra_fields_are_merged_into_the_setup() -> None:
    extra = {"generationConfig": {"temperature": 0}, "outputAudioTranscription": None}
    setup = sent(extra=extra).lines[0].received[0]["setup"]
    assert setup["generationConfig"] == {"responseModalities": ["AUDIO"], "temperature": 0}
    assert "outputAudioTranscription" not in setup


def test_frames_are_sent_with_their_rate() -> None:
    message = sent(frame(1, samples=3)).lines[0].received[1]
    audio = message["realtimeInput"]["audio"]
    assert audio["mimeType"] == "audio/pcm;rate=16000"
    assert base64.b64decode(audio["data"]) == b"\x01\x00" * 3
    assert (GeminiLive.input_rate, GeminiLive.output_rate) == (16_000, 24_000)


def test_a_caller_states_the_start_and_the_end_of_turns() -> None:
    turns = [StartOfTurn(), frame(5000), frame(5000), EndOfTurn(), frame(5000), StartOfTurn(), frame(5000)]
    inputs = [frame(), *turns, EndOfAudio()]
    received = sent(*inputs, request=call(turn_detection="caller")).lines[0].received
    assert received[0]["setup"]["realtimeInputConfig"] == {"automaticActivityDetection": {"disabled": True}}
    names = [next(iter(message["realtimeInput"])) for message in received[1:]]
    assert names == [
        *("audio", "activityStart", "audio", "audio", "activityEnd"),
        *("audio", "activityStart", "audio", "activityEnd", "audioStreamEnd"),
    ]


def test_a_server_that_detects_turns_gets_audio_only() -> None:
    received = sent(frame(5000), Truncate("response-1", 0.5), EndOfAudio()).lines[0].received
    assert "realtimeInputConfig" not in received[0]["setup"]
    assert [next(iter(message["realtimeInput"])) for message in received[1:]] == ["audio", "audioStreamEnd"]


@pytest.mark.parametrize(
    ("result", "response"), [('{"ok": true}', {"ok": True}), ("[1]", {"result": [1]}), ("done", {"result": "done"})]
)
def test_the_result_of_a_tool_is_an_object(result: str, response: Any) -> None:
    received = sent(ToolResult("c1", "book", result)).lines[0].received
    expected = {"functionResponses": [{"id": "c1", "name": "book", "response": response}]}
    assert received[1] == {"toolResponse": expected}


@pytest.mark.parametrize("as_binary", [True, False])
def test_messages_come_in_text_or_binary_frames(as_binary: bool) -> None:
    async def speak(line: Line) -> None:
        await line.receive()
        messages: list[Any] = [{"setupComplete": {}}, speech(), {"serverContent": {"turnComplete": True}}]
        for message in messages:
            await line.send(orjson.dumps(message) if as_binary else message)
        await line.receive_all()

    async def main() -> Any:
        async with scripted(speak) as server:
            return await hold(model_at(server.url), [EventKind.RESPONSE_DONE])

    assert kinds(asyncio.run(main())) == ["ready", "response_started", "audio", "response_done"]


def test_a_response_with_transcript_and_usage() -> None:
    events = read(
        speech(),
        {"serverContent": {"outputTranscription": {"text": "Hello"}}},
        {"serverContent": {"generationComplete": True}},
        {"serverContent": {"turnComplete": True}, "usageMetadata": {"promptTokenCount": 4, "responseTokenCount": 6}},
    )
    assert kinds(events) == ["response_started", "audio", "transcript", "response_done", "usage"]
    assert {event.item for event in events} == {"response-1"}
    assert events[1].seconds == pytest.approx(0.01)
    assert events[-1].data == {"input_tokens": 4, "output_tokens": 6}


def test_an_interrupted_response_is_cancelled_and_the_next_is_another_item() -> None:
    events = read(
        speech(), {"serverContent": {"interrupted": True}}, {"serverContent": {"turnComplete": True}}, speech()
    )
    assert kinds(events) == [
        *("response_started", "audio", "interrupted", "response_done"),
        *("response_started", "audio"),
    ]
    assert events[3].data == {"status": "cancelled"}
    assert events[-1].item == "response-2"


def test_names_may_be_in_snake_case() -> None:
    part = {"inline_data": {"mime_type": "audio/pcm;rate=24000", "data": AUDIO}}
    events = read(
        {"server_content": {"model_turn": {"parts": [part]}, "turn_complete": True}, "usage_metadata": {}},
        {"tool_call": {"function_calls": [{"id": "c1", "name": "book", "args": {}}]}},
    )
    assert kinds(events) == ["response_started", "audio", "response_done", "tool_call"]


def test_what_the_caller_spoke_is_accumulated_until_it_is_finished() -> None:
    def heard(text: str, **fields: Any) -> Any:
        return {"serverContent": {"inputTranscription": {"text": text, **fields}}}

    events = read(
        heard("good"),
        {"serverContent": {"interimInputTranscription": {"text": " da"}}},
        heard(" day", finished=True),
        heard("bye"),
        {"serverContent": {"turnComplete": True}},
    )
    assert [(event.kind.value, event.item, event.text) for event in events if event.text] == [
        ("partial", "segment-1", "good"),
        ("partial", "segment-1", "good da"),
        ("partial", "segment-1", "good day"),
        ("final", "segment-1", "good day"),
        ("partial", "segment-2", "bye"),
        ("final", "segment-2", "bye"),
    ]


def test_tool_calls_have_their_arguments() -> None:
    calls = [{"id": "c1", "name": "book", "args": {"day": "Friday"}}, {"name": "hang_up"}]
    events = read({"toolCall": {"functionCalls": calls}})
    assert [event.data for event in events] == [
        {"call_id": "c1", "name": "book", "arguments": {"day": "Friday"}},
        {"call_id": "hang_up", "name": "hang_up", "arguments": {}},
    ]


def test_detected_speech_has_its_position() -> None:
    events = read(
        {"voiceActivity": {"voiceActivityType": "ACTIVITY_START", "audioOffset": "1.25s"}},
        {"voiceActivity": {"voiceActivityType": "ACTIVITY_END"}},
    )
    assert [(event.kind, event.position) for event in events] == [
        (EventKind.SPEECH_STARTED, 1.25),
        (EventKind.SPEECH_STOPPED, None),
    ]


@pytest.mark.parametrize("name", ["goAway", "sessionResumptionUpdate", "toolCallCancellation", "news"])
def test_other_messages_are_logged_with_their_content(name: str) -> None:
    (event,) = read({name: {"timeLeft": "30s"}})
    assert (event.kind, event.type, event.data) == (EventKind.OTHER, name, {"timeLeft": "30s"})


def test_audio_at_another_rate_fails_the_call() -> None:
    with pytest.raises(Rejected, match="audio at 16000 Hz instead of 24000 Hz"):
        read(speech(mime_type="audio/pcm;rate=16000"))


def test_thoughts_are_not_spoken() -> None:
    assert read({"serverContent": {"modelTurn": {"parts": [{"text": "hm", "thought": True}]}}}) == []


def test_a_closed_connection_quotes_the_reason_without_the_key() -> None:
    async def refuse(line: Line) -> None:
        await line.receive()
        await line.socket.close(code=1007, message=f"API key not valid: {KEY}".encode())

    async def main() -> None:
        async with scripted(refuse) as server:
            await hold(model_at(server.url), [])

    with pytest.raises(Rejected, match=r"closed the connection \(code 1007: API key not valid: …\)"):
        asyncio.run(main())


def test_no_message_of_any_shape_raises() -> None:
    rng = random.Random(7)
    names = ["serverContent", "toolCall", "usageMetadata", "voiceActivity", "error", "goAway", "x"]
    fields = ["modelTurn", "inputTranscription", "outputTranscription", "interrupted", "functionCalls", "turnComplete"]
    part = {"inlineData": {"data": AUDIO}}
    values: list[Any] = [None, 0, True, "x", [], [1], [{}], {}, {"parts": [1]}, {"parts": [part, {}]}, {"text": 3}]
    protocol = GeminiLiveProtocol(call(), str, {})
    for _ in range(5000):
        content = {name: rng.choice(values) for name in rng.sample(fields, 2)}
        message = {rng.choice(names): rng.choice([content, content, *values])}
        for event in protocol.read_frame(orjson.dumps(message), 1.0):
            assert isinstance(event, SessionEvent)
