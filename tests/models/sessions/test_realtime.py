"""What is sent in OpenAI's Realtime protocol."""

import asyncio
import base64
from typing import Any

import numpy as np
import pytest

from auricle.core.calls import (
    AudioFrame,
    CallerInput,
    EndOfAudio,
    EndOfTurn,
    EventKind,
    StartOfTurn,
    Tool,
    ToolResult,
    Truncate,
)
from auricle.core.errors import SpecError
from auricle.core.types import Call
from auricle.models.base import abilities
from auricle.models.sessions.realtime import Realtime
from tests.support.websocket_servers import Line, ScriptedServer, call, frame, hold, kinds, scripted

TOOL = Tool(name="book", description="Book a table", parameters={"type": "object"}, result='{"ok": true}')


def model_at(url: str, **options: Any) -> Realtime:
    return Realtime(**{"base_url": f"{url}/v1", "model": "fake model", "api_key": "key-of-the-test-1", **options})


async def confirm(line: Line) -> None:
    """Confirm the session and listen until the caller hangs up."""
    update = await line.receive()
    await line.send({"type": "session.created"}, {"type": update["type"] + "d", "session": {}})
    await line.receive_all()


def sent(*inputs: CallerInput, request: Call | None = None, **options: Any) -> ScriptedServer:
    """Hold a call with a server that only listens, and return the server."""

    async def main() -> ScriptedServer:
        async with scripted(confirm) as server:
            await hold(model_at(server.url, **options), inputs, request)
            return server

    return asyncio.run(main())


def session_of(request: Call, **options: Any) -> Any:
    return sent(request=request, **options).lines[0].received[0]


def test_it_holds_calls_and_nothing_else() -> None:
    assert abilities(Realtime) == ["call"]


def test_the_model_is_in_the_address_and_the_key_in_a_header() -> None:
    request = sent().lines[0].request
    assert (request.path, dict(request.query)) == ("/v1/realtime", {"model": "fake model"})
    assert request.headers["Authorization"] == "Bearer key-of-the-test-1"
    assert "OpenAI-Beta" not in request.headers
    assert "Sec-WebSocket-Extensions" not in request.headers


def test_an_address_may_already_end_in_realtime() -> None:
    model = Realtime(base_url="ws://h/v1/realtime", model="m")
    assert model.session_url("ws://h/v1/realtime", call()) == "ws://h/v1/realtime?model=m"


def test_azure_takes_its_key_in_another_header() -> None:
    azure = Realtime(base_url="https://me.openai.azure.com/openai/v1", model="m", api_key="k-1")
    assert azure.auth_headers("k-1") == {"api-key": "k-1"}
    assert Realtime(model="m").auth_headers("k-1") == {"Authorization": "Bearer k-1"}


def test_a_session_is_configured_with_instructions_tools_and_voice() -> None:
    request = call(instructions="Be brief.", tools=(TOOL,), language="en")
    assert session_of(request, voice="marin", transcription="whisper") == {
        "type": "session.update",
        "session": {
            "type": "realtime",
            "output_modalities": ["audio"],
            "instructions": "Be brief.",
            "tools": [
                {"type": "function", "name": "book", "description": "Book a table", "parameters": {"type": "object"}}
            ],
            "audio": {
                "input": {
                    "format": {"type": "audio/pcm", "rate": 24000},
                    "transcription": {"model": "whisper", "language": "en"},
                    "turn_detection": {"type": "server_vad"},
                },
                "output": {"format": {"type": "audio/pcm", "rate": 24000}, "voice": "marin"},
            },
        },
    }


def test_what_is_not_set_is_left_to_the_server() -> None:
    session = session_of(call())["session"]
    assert set(session) == {"type", "output_modalities", "audio"}
    assert set(session["audio"]["input"]) == {"format", "turn_detection"}


def test_a_caller_who_states_the_end_of_turns_turns_detection_off() -> None:
    request = call(turn_detection="caller")
    assert session_of(request)["session"]["audio"]["input"]["turn_detection"] is None
    assert session_of(request, dialect="openai-beta")["session"]["turn_detection"] is None
    extra = {"audio": {"input": {"turn_detection": {"silence_duration_ms": 200}}}}
    assert session_of(request, extra=extra)["session"]["audio"]["input"]["turn_detection"] is None


def test_extra_fields_are_merged_into_the_session() -> None:
    extra = {"audio": {"input": {"turn_detection": {"silence_duration_ms": 200}}}, "output_modalities": None}
    session = session_of(call(), extra=extra, vad="semantic_vad")["session"]
    assert session["audio"]["input"]["turn_detection"] == {"type": "semantic_vad", "silence_duration_ms": 200}
    assert session["audio"]["input"]["format"]["rate"] == 24000
    assert "output_modalities" not in session


def test_the_beta_has_flat_settings_and_a_header() -> None:
    server = sent(request=call(instructions="Be brief."), dialect="openai-beta", voice="marin")
    assert server.lines[0].request.headers["OpenAI-Beta"] == "realtime=v1"
    assert server.lines[0].received[0]["session"] == {
        "modalities": ["audio", "text"],
        "instructions": "Be brief.",
        "voice": "marin",
        "input_audio_format": "pcm16",
        "output_audio_format": "pcm16",
        "turn_detection": {"type": "server_vad"},
    }


def test_a_transcription_session_has_its_model_in_the_session() -> None:
    server = sent(frame(), EndOfAudio(), request=call(mode="transcribe", language="de"))
    assert dict(server.lines[0].request.query) == {"intent": "transcription"}
    update, append, commit = server.lines[0].received
    assert update["session"] == {
        "type": "transcription",
        "audio": {
            "input": {
                "format": {"type": "audio/pcm", "rate": 24000},
                "transcription": {"model": "fake model", "language": "de"},
                "turn_detection": {"type": "server_vad"},
            }
        },
    }
    assert (append["type"], commit) == ("input_audio_buffer.append", {"type": "input_audio_buffer.commit"})


def test_a_transcription_session_of_the_beta_has_its_own_event() -> None:
    update = session_of(call(mode="transcribe"), dialect="openai-beta")
    assert update["type"] == "transcription_session.update"
    assert update["session"]["input_audio_transcription"] == {"model": "fake model"}


def test_frames_are_appended_in_base64() -> None:
    samples = np.array([1, -2, 300], np.int16)
    append = sent(AudioFrame(samples)).lines[0].received[1]
    assert base64.b64decode(append["audio"]) == samples.tobytes()


def test_the_end_of_a_turn_commits_and_asks_for_a_response() -> None:
    received = sent(frame(), EndOfTurn(), request=call(turn_detection="caller")).lines[0].received
    assert [message["type"] for message in received[2:]] == ["input_audio_buffer.commit", "response.create"]


def test_the_end_of_a_turn_asks_a_recogniser_for_no_response() -> None:
    received = sent(frame(), EndOfTurn(), request=call(turn_detection="caller", mode="transcribe")).lines[0].received
    assert [message["type"] for message in received[2:]] == ["input_audio_buffer.commit"]


def test_what_was_not_played_is_truncated() -> None:
    received = sent(Truncate("item-1", 1.2345)).lines[0].received
    expected = {"item_id": "item-1", "content_index": 0, "audio_end_ms": 1234}
    assert received[1] == {"type": "conversation.item.truncate", **expected}


def test_the_result_of_a_tool_is_followed_by_a_request_for_a_response() -> None:
    received = sent(ToolResult("call-1", "book", '{"ok": true}')).lines[0].received
    assert received[1:] == [
        {
            "type": "conversation.item.create",
            "item": {"type": "function_call_output", "call_id": "call-1", "output": '{"ok": true}'},
        },
        {"type": "response.create"},
    ]


def test_a_caller_who_starts_a_turn_cancels_the_response_once_and_its_late_audio_is_not_played() -> None:
    late = {"type": "response.output_audio.delta", "response_id": "r1", "item_id": "item-1", "delta": "AAAA"}

    async def respond(line: Line) -> None:
        await line.receive()
        await line.send({"type": "session.updated"}, {"type": "response.created", "response": {"id": "r1"}})
        await line.receive()
        await line.send(late)
        await line.receive_all()

    async def main() -> tuple[list[str], list[str]]:
        async with scripted(respond) as server:
            turn = [StartOfTurn(), EventKind.OTHER, Truncate("item-1", 0.5), EndOfTurn()]
            events = await hold(
                model_at(server.url), [EventKind.RESPONSE_STARTED, *turn], call(turn_detection="caller")
            )
            return kinds(events), [message["type"] for message in server.lines[0].received[1:]]

    received, sent_types = asyncio.run(main())
    assert "audio" not in received
    commit = ["input_audio_buffer.commit", "response.create"]
    assert sent_types == ["response.cancel", "conversation.item.truncate", *commit]


def test_a_server_that_does_not_confirm_settings_is_used_and_reported() -> None:
    async def silent(line: Line) -> None:
        await line.send({"type": "session.created"})
        await line.receive_all()

    async def main() -> Any:
        async with scripted(silent) as server:
            return await hold(model_at(server.url, connect_timeout=0.2), [frame()])

    assert kinds(asyncio.run(main())) == ["error", "ready"]


async def book_a_table(line: Line) -> None:
    """Call a tool in the first response, and speak in the second."""
    await line.receive()
    await line.send({"type": "session.updated"})
    await line.receive_until("response.create")
    arguments = {"call_id": "c1", "item_id": "i1", "name": "book", "arguments": '{"day": "Friday"}'}
    await line.send({"type": "response.function_call_arguments.done", **arguments})
    await line.receive_until("conversation.item.create")
    await line.receive_until("response.create")
    audio = base64.b64encode(np.arange(480, dtype=np.int16).tobytes()).decode()
    await line.send(
        {"type": "response.created", "response": {"id": "r2"}},
        {"type": "response.output_audio.delta", "response_id": "r2", "item_id": "i2", "delta": audio},
        {"type": "response.done", "response": {"id": "r2", "status": "completed"}},
    )
    await line.receive_all()


def test_a_call_with_a_tool_and_audio_in_both_directions() -> None:
    async def main() -> Any:
        async with scripted(book_a_table) as server:
            result = ToolResult("c1", "book", "{}")
            script = [frame(), EndOfTurn(), EventKind.TOOL_CALL, result, EventKind.RESPONSE_DONE]
            return await hold(model_at(server.url), script, call(turn_detection="caller", tools=(TOOL,)))

    events = asyncio.run(main())
    assert kinds(events) == ["ready", "tool_call", "response_started", "audio", "response_done"]
    assert events[1].data == {"call_id": "c1", "name": "book", "arguments": {"day": "Friday"}}
    assert events[3].seconds == pytest.approx(0.02)
    assert events[3].audio.tolist() == list(range(480))


def test_rates_follow_the_dialect() -> None:
    def rates(**options: Any) -> tuple[int, int]:
        model = Realtime(model="m", **options)
        return model.input_rate, model.output_rate

    assert rates() == (24_000, 24_000)
    assert rates(dialect="vllm") == (16_000, 16_000)
    assert rates(rate=8_000) == (8_000, 8_000)
    assert session_of(call(), rate=16_000)["session"]["audio"]["output"]["format"]["rate"] == 16_000


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(SpecError, match="dialect must be openai, openai-beta or vllm, not 'gemini'"):
        Realtime(model="m", dialect="gemini")  # type: ignore[arg-type]
