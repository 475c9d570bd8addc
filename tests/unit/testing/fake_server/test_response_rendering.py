import base64
import io
import json
import wave
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.testing.fake_server.conftest import (
    GEMINI_PATH,
    StartServer,
    audio_description,
    chat,
    encode_base64,
    send,
    upload,
)


def test_chat_completion_repeats_the_question(start_server: StartServer) -> None:
    document = chat(start_server()).json()
    assert document["object"] == "chat.completion"
    (choice,) = document["choices"]
    assert choice["message"]["role"] == "assistant"
    assert choice["message"]["content"] == "hello there world"
    assert choice["finish_reason"] == "stop"
    assert document["usage"] == {"prompt_tokens": 3, "completion_tokens": 3, "total_tokens": 6}


def test_script_may_set_the_reply(start_server: StartServer) -> None:
    assert chat(start_server(reply="42")).text() == "42"


def test_same_request_gets_the_same_bytes(start_server: StartServer) -> None:
    assert chat(start_server()).content == chat(start_server()).content


def test_answer_is_truncated_at_the_token_limit(start_server: StartServer) -> None:
    (choice,) = chat(start_server(), max_tokens=2).json()["choices"]
    assert choice["message"]["content"] == "hello there"
    assert choice["finish_reason"] == "length"


def test_logprobs_are_included_on_request(start_server: StartServer) -> None:
    server = start_server()
    (choice,) = chat(server, logprobs=True).json()["choices"]
    entries = choice["logprobs"]["content"]
    assert "".join(entry["token"] for entry in entries) == "hello there world"
    assert all(-4 <= entry["logprob"] <= 0 for entry in entries)
    assert chat(server).json()["choices"][0]["logprobs"] is None


def test_answer_may_be_spoken(start_server: StartServer) -> None:
    reply = chat(start_server(), modalities=["text", "audio"], audio={"voice": "any", "format": "wav"})
    message = reply.json()["choices"][0]["message"]
    assert message["content"] is None
    assert message["audio"]["transcript"] == "hello there world"
    with wave.open(io.BytesIO(base64.b64decode(message["audio"]["data"]))) as file:
        assert file.getnframes() / file.getframerate() == pytest.approx(0.15)


def test_usage_can_be_omitted(start_server: StartServer) -> None:
    server = start_server(no_usage=True)
    assert "usage" not in chat(server).json()
    events = chat(server, stream=True, stream_options={"include_usage": True}).events()
    assert not any("usage" in event for event in events)


def test_transcript_may_be_plain_text(start_server: StartServer) -> None:
    reply = upload(start_server(), response_format="text")
    assert reply.headers["Content-Type"].startswith("text/plain")
    assert reply.content == b"good morning\n"


def test_verbose_transcript_has_language_duration_and_segments(
    start_server: StartServer, tone: Callable[..., Path]
) -> None:
    recording = tone("a.wav", seconds=0.5).read_bytes()
    document = upload(start_server(), recording=recording, response_format="verbose_json", language="de").json()
    assert document["language"] == "de"
    assert document["duration"] == 0.5
    assert [segment["text"] for segment in document["segments"]] == ["good morning"]
    assert document["segments"][0]["end"] == 0.5


def test_translation_is_english(start_server: StartServer) -> None:
    path = "/v1/audio/translations"
    document = upload(start_server(reply="x"), path, response_format="verbose_json", language="de").json()
    assert (document["task"], document["language"], document["text"]) == ("translate", "english", "x")


def test_gemini_reply_has_candidates_and_usage(start_server: StartServer) -> None:
    parts = [{"text": "What is this?"}, {"inlineData": {"mimeType": "audio/wav", "data": encode_base64()}}]
    document = send(start_server(), GEMINI_PATH, json.dumps({"contents": [{"role": "user", "parts": parts}]})).json()
    assert document["candidates"][0]["content"]["parts"] == [{"text": audio_description()}]
    assert document["usageMetadata"]["promptTokenCount"] == 4
    assert document["usageMetadata"]["candidatesTokenCount"] == 2


def test_gemini_error_has_a_status_name(start_server: StartServer) -> None:
    assert send(start_server(), GEMINI_PATH, b"{}").json()["error"]["status"] == "INVALID_ARGUMENT"
