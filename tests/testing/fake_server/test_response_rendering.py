import base64
import io
import json
import time
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auricle.testing.fake_server import FakeServer, Script
from auricle.testing.fake_server.request_parsing import ParsedRequest, measure_seconds
from auricle.testing.fake_server.response_rendering import (
    SAMPLE_RATE,
    build_answer,
    compute_logprob,
    compute_text_logprobs,
    synthesise_audio,
)
from tests.testing.fake_server.conftest import (
    CHAT_PATH,
    GEMINI_PATH,
    TRANSCRIPTION_PATH,
    Reply,
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
    reply = upload(start_server(reply="good morning"), response_format="text")
    assert reply.headers["Content-Type"].startswith("text/plain")
    assert reply.content == b"good morning\n"


def test_verbose_transcript_has_language_duration_and_segments(
    start_server: StartServer, tone: Callable[..., Path]
) -> None:
    recording = tone("a.wav", seconds=0.5).read_bytes()
    server = start_server(reply="good morning")
    document = upload(server, recording=recording, response_format="verbose_json", language="de").json()
    assert document["language"] == "de"
    assert document["duration"] == 0.5
    assert [segment["text"] for segment in document["segments"]] == ["good morning"]
    assert document["segments"][0]["end"] == 0.5


def test_verbose_transcript_has_words_if_requested(start_server: StartServer, tone: Callable[..., Path]) -> None:
    recording = tone("a.wav", seconds=0.5).read_bytes()
    fields = {"response_format": "verbose_json", "timestamp_granularities[]": "word"}
    document = upload(start_server(reply="so be it"), TRANSCRIPTION_PATH, "a.wav", recording, **fields).json()
    assert "segments" not in document
    assert [word["word"] for word in document["words"]] == ["so", "be", "it"]
    assert document["words"][1] == {"word": "be", "start": pytest.approx(0.167), "end": pytest.approx(0.333)}


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


PROMPT_LOGPROBS = [compute_logprob(" two", "one"), compute_logprob(" three", "one two")]


def send_completion(server: FakeServer, prompt: Any = "one two three", **fields: Any) -> Reply:
    return send(server, "/v1/completions", json.dumps({"model": "fake", "prompt": prompt, **fields}))


def complete(server: FakeServer, prompt: str = "one two three", **fields: Any) -> Any:
    return send_completion(server, prompt, **fields).json()["choices"][0]


def prompt_entries(prompt_logprobs: list[dict[str, Any] | None]) -> list[dict[str, Any]]:
    """Return the entries of all tokens but the first, which has none."""
    first, *rest = prompt_logprobs
    assert first is None
    return [next(iter(entry.values())) for entry in rest if entry is not None]


def test_logprob_of_a_token_depends_on_its_context() -> None:
    assert compute_logprob("a", "b") == compute_logprob("a", "b")
    assert compute_logprob("a", "b") != compute_logprob("a", "c")
    assert -4 <= compute_logprob("a") <= 0
    assert compute_text_logprobs("one two three") == [
        ("one", None), (" two", PROMPT_LOGPROBS[0]), (" three", PROMPT_LOGPROBS[1]),
    ]  # fmt: skip


def test_completion_answers_with_the_last_line_of_the_prompt(start_server: StartServer) -> None:
    choice = complete(start_server(), "some words\nhow are you", max_tokens=2)
    assert (choice["text"], choice["finish_reason"]) == ("how are", "length")


def test_prompt_logprobs_have_one_entry_per_token(start_server: StartServer) -> None:
    entries = prompt_entries(complete(start_server(), prompt_logprobs=0)["prompt_logprobs"])
    assert [entry["decoded_token"] for entry in entries] == [" two", " three"]
    assert [entry["logprob"] for entry in entries] == pytest.approx(PROMPT_LOGPROBS)


def test_echo_has_the_same_logprobs(start_server: StartServer) -> None:
    choice = complete(start_server(), echo=True, logprobs=1, max_tokens=0)
    assert choice["text"] == "one two three"
    logprobs = choice["logprobs"]
    assert logprobs["tokens"] == ["one", " two", " three"]
    assert logprobs["text_offset"] == [0, 3, 7]
    assert logprobs["token_logprobs"][1:] == pytest.approx(PROMPT_LOGPROBS)
    assert logprobs["token_logprobs"][0] is None


def test_continued_chat_ends_with_the_begun_answer(start_server: StartServer) -> None:
    messages = [{"role": "user", "content": "is it"}, {"role": "assistant", "content": "a cat"}]
    options = {"prompt_logprobs": 0, "add_generation_prompt": False, "continue_final_message": True}
    reply = send(start_server(), CHAT_PATH, json.dumps({"model": "fake", "messages": messages, **options}))
    tokens = [entry["decoded_token"] for entry in prompt_entries(reply.json()["prompt_logprobs"])]
    assert tokens == [" is", " it", "\nassistant:", " a", " cat"]


def test_top_logprobs_are_in_descending_order(start_server: StartServer) -> None:
    reply = chat(start_server(), "B", logprobs=True, top_logprobs=20)
    top = reply.json()["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
    logprobs = [entry["logprob"] for entry in top]
    assert len(top) == 20
    assert logprobs == sorted(logprobs, reverse=True)


@pytest.mark.parametrize(
    ("fields", "message"),
    [({"top_logprobs": 21, "logprobs": True}, "from 0 to 20"), ({"top_logprobs": 5}, "requires `logprobs`")],
)
def test_invalid_top_logprobs_are_rejected(start_server: StartServer, fields: dict[str, Any], message: str) -> None:
    reply = chat(start_server(), "B", **fields)
    assert reply.status == 400
    assert message in reply.json()["error"]["message"]


def test_prompt_must_be_a_string(start_server: StartServer) -> None:
    reply = send_completion(start_server(), ["one", "two"])
    assert (reply.status, reply.json()["error"]["message"]) == (400, "`prompt` must be a non-empty string.")


def test_logprobs_can_be_omitted(start_server: StartServer) -> None:
    server = start_server(no_logprobs=True)
    choice = complete(server, prompt_logprobs=0, echo=True, logprobs=1)
    assert choice["logprobs"] is None
    assert "prompt_logprobs" not in choice
    assert chat(server, "B", logprobs=True).json()["choices"][0]["logprobs"] is None


def test_stream_has_a_role_then_text_then_an_end(start_server: StartServer) -> None:
    reply = chat(start_server(), stream=True)
    assert reply.headers["Content-Type"] == "text/event-stream"
    assert reply.deltas() == [
        {"role": "assistant", "content": ""},
        {"content": "hello"},
        {"content": " there"},
        {"content": " world"},
        {},
    ]
    assert json.loads(reply.events()[-2])["choices"][0]["finish_reason"] == "stop"


def test_stream_ends_with_usage_on_request(start_server: StartServer) -> None:
    events = chat(start_server(), stream=True, stream_options={"include_usage": True}).events()
    last = json.loads(events[-2])
    assert last["choices"] == []
    assert last["usage"]["completion_tokens"] == 3


def test_stream_reports_token_counts_continuously_on_request(start_server: StartServer) -> None:
    options = {"include_usage": True, "continuous_usage_stats": True}
    events = chat(start_server(tokens_per_event=2), stream=True, stream_options=options).events()
    counted = [event for event in map(json.loads, events[:-1]) if "usage" in event]
    assert [event["usage"]["completion_tokens"] for event in counted] == [2, 3, 3]
    assert [bool(event["choices"]) for event in counted] == [True, True, False]


def test_stream_has_the_logprobs_of_each_token(start_server: StartServer) -> None:
    _, first, *_ = chat(start_server(), stream=True, logprobs=True).events()
    (entry,) = json.loads(first)["choices"][0]["logprobs"]["content"]
    assert entry["token"] == "hello"


def test_spoken_answer_may_be_streamed(start_server: StartServer) -> None:
    spoken: dict[str, Any] = {"modalities": ["text", "audio"], "audio": {"format": "pcm16"}}
    deltas = chat(start_server(), stream=True, **spoken).deltas()
    chunks = [delta["audio"] for delta in deltas if "audio" in delta]
    assert "".join(chunk.get("transcript", "") for chunk in chunks) == "hello there world"
    samples = b"".join(base64.b64decode(chunk.get("data", "")) for chunk in chunks)
    assert len(samples) == round(0.15 * 24_000) * 2


def test_stream_keeps_its_pace(start_server: StartServer) -> None:
    server = start_server(pace=20)
    start = time.perf_counter()
    chat(server, "a b c d e f", stream=True)
    assert time.perf_counter() - start >= 5 / 20


def test_reply_waits_for_the_latency(start_server: StartServer) -> None:
    server = start_server(latency=0.1)
    start = time.perf_counter()
    chat(server)
    assert time.perf_counter() - start >= 0.1


def test_completion_may_be_streamed(start_server: StartServer) -> None:
    body = {"model": "fake", "prompt": "hello there", "stream": True, "stream_options": {"include_usage": True}}
    *events, last = send(start_server(), "/v1/completions", json.dumps(body)).events()
    documents = [json.loads(event) for event in events]
    assert "".join(document["choices"][0]["text"] for document in documents[:-1]) == "hello there"
    assert documents[-2]["choices"][0]["finish_reason"] == "stop"
    assert documents[-1]["usage"]["completion_tokens"] == 2
    assert last == "[DONE]"


def test_gemini_streams_responses_without_an_end_marker(start_server: StartServer) -> None:
    body = json.dumps({"contents": [{"parts": [{"text": "hello there"}]}]})
    path = GEMINI_PATH.replace(":generate", ":streamGenerate") + "?alt=sse"
    documents = [json.loads(event) for event in send(start_server(), path, body).events()]
    candidates = [document["candidates"][0] for document in documents]
    assert [candidate["content"]["parts"][0]["text"] for candidate in candidates] == ["", "hello", " there", ""]
    assert candidates[-1]["finishReason"] == "STOP"
    assert documents[-1]["usageMetadata"]["candidatesTokenCount"] == 2


def spoken_answer(text: str, audio_format: str) -> bytes:
    request = ParsedRequest(model="fake", reply_text=text, input_tokens=1, audio_format=audio_format)
    return synthesise_audio(build_answer(request, "digest", Script()))


def test_length_of_the_tone_follows_from_the_number_of_tokens() -> None:
    assert len(spoken_answer("one two three", "pcm16")) == round(0.15 * SAMPLE_RATE) * 2
    assert len(spoken_answer("", "pcm16")) == len(spoken_answer("one", "pcm16"))


def test_wav_has_the_length_of_its_samples() -> None:
    assert measure_seconds(spoken_answer("one two three four", "wav")) == pytest.approx(0.2)
