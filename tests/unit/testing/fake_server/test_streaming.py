import base64
import json
import time
from typing import Any

from tests.unit.testing.fake_server.conftest import GEMINI_PATH, StartServer, chat, send


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
