"""The fake server, asked over real sockets by a client that knows nothing of it."""

import base64
import gc
import http.client
import io
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
import wave
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

pytest.importorskip("aiohttp")

from auricle.core.errors import SpecError
from auricle.testing.fake_server import FAULTS, FakeServer, Script, compute_digest

CHAT = "/v1/chat/completions"
SPEECH = "/v1/audio/transcriptions"
GEMINI = "/v1beta/models/fake:generateContent"
SOUND = b"RIFF not really"


@pytest.fixture
def serve(request: pytest.FixtureRequest) -> Any:
    """Start a server with this script; it is stopped when the test ends."""

    def start(**script: Any) -> Any:
        server = FakeServer(Script(**script))
        server.__enter__()
        request.addfinalizer(lambda: server.__exit__(None, None, None))
        return server

    return start


class Reply:
    def __init__(self, response: Any) -> None:
        self.status = response.status
        self.headers = response.headers
        self.content = response.read()

    def json(self) -> Any:
        return json.loads(self.content)

    def text(self) -> Any:
        return self.json()["choices"][0]["message"]["content"]

    def events(self) -> Any:
        lines = self.content.decode().split("\n\n")
        assert lines.pop() == ""
        assert all(line.startswith("data: ") for line in lines)
        return [line.removeprefix("data: ") for line in lines]


def send(server: Any, path: Any, body: Any = None, headers: Any = None, method: str = "POST", timeout: int = 20) -> Any:
    """One request on a connection of its own."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=timeout)
    try:
        connection.request(method, path, body, headers or {})
        return Reply(connection.getresponse())
    finally:
        connection.close()


def body(text: str = "hello there world", **rest: Any) -> Any:
    messages = [{"role": "user", "content": text}]
    return json.dumps({"model": "fake", "messages": messages, **rest}).encode()


def ask(server: Any, text: str = "hello there world", headers: Any = None, timeout: int = 20, **rest: Any) -> Any:
    return send(server, CHAT, body(text, **rest), headers, timeout=timeout)


def upload(server: Any, path: Any = SPEECH, name: str = "good_morning.wav", sound: Any = SOUND, **fields: Any) -> Any:
    boundary = uuid.uuid4().hex
    disposition = "Content-Disposition: form-data; name"
    parts = [f'{disposition}="{key}"\r\n\r\n{value}'.encode() for key, value in {"model": "fake", **fields}.items()]
    file = f'; filename="{name}"' if name else ""
    kind = "Content-Type: audio/wav"
    parts.append(f'{disposition}="file"{file}\r\n{kind}\r\n\r\n'.encode() + sound)
    edge = f"--{boundary}".encode()
    content = b"".join(edge + b"\r\n" + part + b"\r\n" for part in parts) + edge + b"--\r\n"
    return send(server, path, content, {"Content-Type": f'multipart/form-data; boundary="{boundary}"'})


def encoded(sound: Any = SOUND) -> Any:
    return base64.b64encode(sound).decode()


def heard(sound: Any = SOUND) -> Any:
    return f"heard {compute_digest(sound)[:6]}"


# --- conversations ---------------------------------------------------------------


def test_a_question_is_repeated(serve: Any) -> None:
    document = ask(serve()).json()
    assert document["object"] == "chat.completion"
    (choice,) = document["choices"]
    assert choice["message"]["role"] == "assistant"
    assert choice["message"]["content"] == "hello there world"
    assert choice["finish_reason"] == "stop"
    assert document["usage"] == {"prompt_tokens": 3, "completion_tokens": 3, "total_tokens": 6}


def test_the_last_user_turn_is_the_one_repeated(serve: Any) -> None:
    turns = [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": "yes"},
        {"role": "user", "content": [{"type": "text", "text": "second"}]},
        {"role": "assistant", "content": "well"},
    ]
    reply = send(serve(), CHAT, json.dumps({"model": "fake", "messages": turns}))
    assert reply.text() == "second"


def test_the_script_may_say_the_reply(serve: Any) -> None:
    assert ask(serve(reply="42")).text() == "42"


def test_the_same_request_has_the_same_reply_to_the_byte(serve: Any) -> None:
    assert ask(serve()).content == ask(serve()).content


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"type": "input_audio", "input_audio": {"data": encoded(), "format": "wav"}}, heard()),
        ({"type": "input_audio", "input_audio": {"data": encoded(), "format": "mp3"}}, heard()),
        ({"type": "audio_url", "audio_url": {"url": f"data:audio/wav;base64,{encoded()}"}}, heard()),
        ({"type": "audio_url", "audio_url": {"url": "https://host/a.wav"}}, heard(b"https://host/a.wav")),
        (
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{encoded()}"}},
            heard().replace("heard", "saw"),
        ),
    ],
)
def test_what_is_heard_or_seen_is_told_by_its_digest(serve: Any, part: Any, words: Any) -> None:
    assert ask(serve(), [{"type": "text", "text": "What is it?"}, part]).text() == words


def test_a_long_sound_is_taken(serve: Any) -> None:
    sound = bytes(range(256)) * 8000
    part = {"type": "input_audio", "input_audio": {"data": encoded(sound), "format": "wav"}}
    assert ask(serve(), [part]).text() == heard(sound)


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[]",
        b'{"model": "fake"}',
        b'{"messages": [{"role": "user", "content": "x"}]}',
        b'{"model": "fake", "messages": ["x"]}',
        body([{"type": "smell"}]),
        body(5),
        body([{"type": "input_audio", "input_audio": {"data": "#", "format": "wav"}}]),
        body(max_tokens="many"),
        body(modalities=["audio"], audio={"format": "mp3"}),
    ],
)
def test_the_malformed_is_refused_with_a_reason(serve: Any, content: Any) -> None:
    server = serve()
    reply = send(server, CHAT, content)
    assert reply.status == 400
    assert reply.json()["error"]["type"] == "invalid_request_error"
    assert reply.json()["error"]["message"]
    assert server.stats()["refused"] == {"invalid_request": 1}


def test_an_answer_stops_at_the_limit(serve: Any) -> None:
    (choice,) = ask(serve(), max_tokens=2).json()["choices"]
    assert choice["message"]["content"] == "hello there"
    assert choice["finish_reason"] == "length"


def test_a_chinese_character_is_a_token(serve: Any) -> None:
    assert ask(serve(), "今天 好").json()["usage"]["completion_tokens"] == 3


def test_log_probabilities_are_told_when_asked_for(serve: Any) -> None:
    server = serve()
    (choice,) = ask(server, logprobs=True).json()["choices"]
    content = choice["logprobs"]["content"]
    assert "".join(each["token"] for each in content) == "hello there world"
    assert all(-4 <= each["logprob"] <= 0 for each in content)
    assert ask(server).json()["choices"][0]["logprobs"] is None


def test_an_answer_may_be_spoken(serve: Any) -> None:
    reply = ask(serve(), modalities=["text", "audio"], audio={"voice": "any", "format": "wav"})
    message = reply.json()["choices"][0]["message"]
    assert message["content"] is None
    assert message["audio"]["transcript"] == "hello there world"
    with wave.open(io.BytesIO(base64.b64decode(message["audio"]["data"]))) as file:
        assert file.getnframes() / file.getframerate() == pytest.approx(0.15)


def test_token_counts_can_be_withheld(serve: Any) -> None:
    server = serve(no_usage=True)
    assert "usage" not in ask(server).json()
    events = ask(server, stream=True, stream_options={"include_usage": True}).events()
    assert not any("usage" in event for event in events)


# --- streams ---------------------------------------------------------------------


def deltas(events: Any) -> Any:
    return [json.loads(event)["choices"][0]["delta"] for event in events]


def test_a_stream_has_a_role_then_words_then_an_end(serve: Any) -> None:
    reply = ask(serve(), stream=True)
    assert reply.headers["Content-Type"] == "text/event-stream"
    *chunks, done = reply.events()
    assert done == "[DONE]"
    assert deltas(chunks) == [
        {"role": "assistant", "content": ""},
        {"content": "hello"},
        {"content": " there"},
        {"content": " world"},
        {},
    ]
    assert json.loads(chunks[-1])["choices"][0]["finish_reason"] == "stop"


def test_a_stream_ends_with_token_counts_when_asked_to(serve: Any) -> None:
    events = ask(serve(), stream=True, stream_options={"include_usage": True}).events()
    last = json.loads(events[-2])
    assert last["choices"] == []
    assert last["usage"]["completion_tokens"] == 3


def test_a_stream_counts_its_tokens_as_they_come_when_asked_to(serve: Any) -> None:
    wanted = {"include_usage": True, "continuous_usage_stats": True}
    events = ask(serve(tokens_per_event=2), stream=True, stream_options=wanted).events()
    told = [event for event in map(json.loads, events[:-1]) if "usage" in event]
    assert [event["usage"]["completion_tokens"] for event in told] == [2, 3, 3]
    assert [bool(event["choices"]) for event in told] == [True, True, False]


def test_a_stream_tells_log_probabilities_token_by_token(serve: Any) -> None:
    _, first, *_ = ask(serve(), stream=True, logprobs=True).events()
    (told,) = json.loads(first)["choices"][0]["logprobs"]["content"]
    assert told["token"] == "hello"


def test_a_spoken_answer_may_be_streamed(serve: Any) -> None:
    sounds = {"modalities": ["text", "audio"], "audio": {"format": "pcm16"}}
    events = ask(serve(), stream=True, **sounds).events()
    spoken = [delta["audio"] for delta in deltas(events[:-1]) if "audio" in delta]
    words = "".join(each.get("transcript", "") for each in spoken)
    sound = b"".join(base64.b64decode(each.get("data", "")) for each in spoken)
    assert words == "hello there world"
    assert len(sound) == round(0.15 * 24_000) * 2


def test_a_stream_keeps_its_pace(serve: Any) -> None:
    server = serve(pace=20)
    began = time.perf_counter()
    ask(server, "a b c d e f", stream=True)
    assert time.perf_counter() - began >= 5 / 20


def test_a_reply_waits_for_the_latency(serve: Any) -> None:
    server = serve(latency=0.1)
    began = time.perf_counter()
    ask(server)
    assert time.perf_counter() - began >= 0.1


def test_jitter_is_computed_and_bounded() -> None:
    script = Script(latency=1, jitter=0.5)
    delays = [script.draw_delay(compute_digest(bytes([at])), 1) for at in range(100)]
    assert all(1 <= delay <= 1.5 for delay in delays)
    assert len(set(delays)) == 100


# --- the other protocols -----------------------------------------------------------


def test_a_transcript_is_read_off_the_file_name(serve: Any) -> None:
    assert upload(serve()).json()["text"] == "good morning"


@pytest.mark.parametrize("name", ["gr%C3%BC%C3%9Fe.wav", "grüße.wav"])
def test_a_file_name_need_not_be_ascii(serve: Any, name: str) -> None:
    assert upload(serve(), name=name).json()["text"] == "grüße"


def test_a_nameless_sound_is_told_by_its_digest(serve: Any) -> None:
    assert upload(serve(), name="").json()["text"] == heard()


def test_a_transcript_may_be_plain_text(serve: Any) -> None:
    reply = upload(serve(), response_format="text")
    assert reply.headers["Content-Type"].startswith("text/plain")
    assert reply.content == b"good morning\n"


def test_a_verbose_transcript_has_language_duration_and_segments(serve: Any, tone: Any) -> None:
    sound = tone("a.wav", seconds=0.5).read_bytes()
    reply = upload(serve(), sound=sound, response_format="verbose_json", language="de").json()
    assert reply["language"] == "de"
    assert reply["duration"] == 0.5
    assert [each["text"] for each in reply["segments"]] == ["good morning"]
    assert reply["segments"][0]["end"] == 0.5


def test_a_translation_is_english(serve: Any) -> None:
    path = "/v1/audio/translations"
    reply = upload(serve(reply="x"), path, response_format="verbose_json", language="de").json()
    assert (reply["task"], reply["language"], reply["text"]) == ("translate", "english", "x")


def test_a_form_without_a_file_or_with_a_strange_wish_is_refused(serve: Any) -> None:
    server = serve()
    assert send(server, SPEECH, body()).status == 400
    assert upload(server, response_format="srt").status == 400


def test_the_same_upload_is_the_same_body_whatever_its_boundary(serve: Any) -> None:
    server = serve()
    upload(server)
    upload(server)
    assert list(server.stats()["answered"].values()) == [2]


def test_gemini_is_spoken_too(serve: Any) -> None:
    inline = {"inlineData": {"mimeType": "audio/wav", "data": encoded()}}
    parts = [{"text": "What is said?"}, inline]
    reply = send(serve(), GEMINI, json.dumps({"contents": [{"role": "user", "parts": parts}]}))
    document = reply.json()
    assert document["candidates"][0]["content"]["parts"] == [{"text": heard()}]
    assert document["usageMetadata"]["promptTokenCount"] == 4
    assert document["usageMetadata"]["candidatesTokenCount"] == 2


def test_gemini_is_refused_in_its_own_words(serve: Any) -> None:
    reply = send(serve(), GEMINI, b"{}")
    assert reply.json()["error"]["status"] == "INVALID_ARGUMENT"


def test_azure_names_the_model_in_the_path(serve: Any) -> None:
    server = serve(key="secret", models=("mine",))
    path = "/openai/deployments/mine/chat/completions?api-version=2024-10-21"
    content = json.dumps({"messages": [{"role": "user", "content": "hi"}]})
    reply = send(server, path, content, {"api-key": "secret"})
    assert reply.text() == "hi"
    assert reply.json()["model"] == "mine"


def test_models_are_listed(serve: Any) -> None:
    reply = send(serve(models=("a", "b")), "/v1/models", method="GET")
    assert [each["id"] for each in reply.json()["data"]] == ["a", "b"]


def test_what_is_not_there_is_not_found(serve: Any) -> None:
    server = serve()
    assert send(server, "/v1/other", b"{}").status == 404
    assert send(server, CHAT, method="GET").status == 404


# --- who is let in -----------------------------------------------------------------


def test_only_the_right_key_is_let_in(serve: Any) -> None:
    server = serve(key="secret")
    refused = ask(server, headers={"Authorization": "Bearer wrong"})
    assert refused.status == 401
    assert refused.json()["error"]["code"] == "invalid_api_key"
    assert ask(server).status == 401
    for headers in ({"Authorization": "Bearer secret"}, {"api-key": "secret"}, {"x-goog-api-key": "secret"}):
        assert ask(server, headers=headers).status == 200


def test_only_a_known_model_is_let_in(serve: Any) -> None:
    reply = ask(serve(models=("other",)))
    assert reply.status == 404
    assert reply.json()["error"]["code"] == "model_not_found"


def test_one_more_than_the_capacity_is_sent_away(serve: Any) -> None:
    server = serve(capacity=2, faults={"hang": 1}, retry_after=3)
    waiting = [http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=20) for _ in "ab"]
    for connection in waiting:
        connection.request("POST", CHAT, body())
    assert eventually(lambda: server.stats()["at_once"] == 2)
    away = ask(server)
    assert away.status == 429
    assert away.headers["Retry-After"] == "3"
    for connection in waiting:
        connection.close()
    assert eventually(lambda: server.stats()["at_once"] == 0)
    stats = server.stats()
    assert stats["most_at_once"] == 3
    assert stats["refused"] == {"rate_limit_exceeded": 1}
    assert sum(stats["received"].values()) == 2


# --- faults ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["400", "401", "404", "408", "429", "500", "503"])
def test_a_status_can_be_dealt(serve: Any, kind: str) -> None:
    server = serve(faults={kind: 1}, retry_after=0.25)
    reply = ask(server)
    assert reply.status == int(kind)
    assert reply.json()["error"]["message"]
    assert reply.headers.get("Retry-After") == ("0.25" if kind == "429" else None)
    assert server.stats()["faults"] == {kind: 1}
    assert server.stats()["answered"] == {}


def test_a_connection_can_be_dropped(serve: Any) -> None:
    with pytest.raises(http.client.RemoteDisconnected):
        ask(serve(faults={"drop": 1}))


def test_a_reply_can_be_cut(serve: Any) -> None:
    with pytest.raises(http.client.IncompleteRead) as caught:
        ask(serve(faults={"cut": 1}))
    assert len(caught.value.partial) - caught.value.expected in (0, -1)


@pytest.mark.parametrize("pace", [None, 200])
def test_a_stream_can_be_cut(serve: Any, pace: int | None) -> None:
    with pytest.raises(http.client.IncompleteRead) as caught:
        ask(serve(faults={"cut": 1}, pace=pace), "a b c d", stream=True)
    assert caught.value.partial.count(b'"content"') == 3
    assert b"[DONE]" not in caught.value.partial


def test_a_web_page_can_come_instead(serve: Any) -> None:
    reply = ask(serve(faults={"html": 1}))
    assert reply.status == 200
    assert reply.headers["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("stream", [False, True])
def test_garbage_can_come_instead(serve: Any, stream: bool) -> None:
    reply = ask(serve(faults={"garbage": 1}), stream=stream)
    assert reply.status == 200
    with pytest.raises(json.JSONDecodeError):
        json.loads(reply.content.removeprefix(b"data: "))


def test_an_answer_can_be_empty(serve: Any) -> None:
    server = serve(faults={"empty": 1})
    assert ask(server).text() == ""
    *chunks, _ = ask(server, stream=True).events()
    assert deltas(chunks) == [{"role": "assistant", "content": ""}, {}]
    assert server.stats()["faults"] == {"empty": 2}
    assert server.stats()["answered"] == {}


def test_a_server_can_hang_until_the_client_goes(serve: Any) -> None:
    server = serve(faults={"hang": 1})
    with pytest.raises(TimeoutError):
        ask(server, timeout=0.1)
    assert eventually(lambda: server.stats()["abandoned"] == 1)
    assert server.stats()["at_once"] == 0


@pytest.mark.parametrize("stream", [False, True])
def test_a_reply_can_be_endless(serve: Any, stream: bool) -> None:
    server = serve(faults={"endless": 1})
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=20)
    connection.request("POST", CHAT, body(stream=stream))
    response = connection.getresponse()
    assert len(response.read(20)) == 20
    assert len(response.read(20)) == 20
    connection.close()
    response.close()
    assert eventually(lambda: server.stats()["abandoned"] == 1)


def eventually(done: Any) -> Any:
    deadline = time.monotonic() + 10
    while not done() and time.monotonic() < deadline:
        time.sleep(0.01)
    return done()


def test_faults_are_dealt_as_foretold(serve: Any) -> None:
    script = Script(faults={"429": 0.3, "500": 0.2, "empty": 0.1}, seed=7)
    server = serve(faults=script.faults, seed=7)
    for at in range(100):
        ask(server, f"number {at}")
    digests = [compute_digest(body(f"number {at}")) for at in range(100)]
    dealt = [script.draw_fault(digest, 1) for digest in digests]
    stats = server.stats()
    assert stats["faults"] == Counter(kind for kind in dealt if kind)
    assert stats["answered"] == {digest: 1 for digest, kind in zip(digests, dealt, strict=True) if not kind}


def test_each_attempt_draws_anew() -> None:
    script = Script(faults={"500": 0.5})
    dealt = {script.draw_fault(compute_digest(b"x"), attempt) for attempt in range(1, 30)}
    assert dealt == {None, "500"}


def test_another_seed_deals_otherwise() -> None:
    def dealt(seed: Any) -> Any:
        script = Script(faults={"500": 0.5}, seed=seed)
        return [script.draw_fault(compute_digest(bytes([at])), 1) for at in range(50)]

    assert dealt(0) == dealt(0)
    assert dealt(0) != dealt(1)


def test_shares_are_met() -> None:
    script = Script(faults={"429": 0.1, "cut": 0.05})
    dealt = Counter(script.draw_fault(compute_digest(str(at).encode()), 1) for at in range(20_000))
    assert dealt["429"] / 20_000 == pytest.approx(0.1, abs=0.01)
    assert dealt["cut"] / 20_000 == pytest.approx(0.05, abs=0.01)


def test_after_so_many_attempts_a_body_is_answered(serve: Any) -> None:
    server = serve(faults={"503": 1}, fault_attempts=2)
    assert [ask(server).status for _ in range(3)] == [503, 503, 200]


@pytest.mark.parametrize(
    "wrong",
    [
        {"faults": {"418": 0.1}},
        {"faults": {"429": 1.5}},
        {"faults": {"429": 0.6, "500": 0.6}},
        {"latency": -1},
        {"pace": 0},
    ],
)
def test_an_impossible_script_is_refused(wrong: Any) -> None:
    with pytest.raises(SpecError):
        Script(**wrong)


# --- counts ------------------------------------------------------------------------


def test_every_request_is_counted_once(serve: Any) -> None:
    server = serve()
    for text in ("a", "b", "b"):
        ask(server, text)
    upload(server)
    send(server, "/v1/models", method="GET")
    told = json.loads(send(server, "/stats", method="GET").content)
    assert told == server.stats()
    assert told["requests"] == {CHAT: 3, SPEECH: 1, "/v1/models": 1}
    assert told["received"] == told["answered"]
    assert told["answered"][compute_digest(body("a"))] == 1
    assert told["answered"][compute_digest(body("b"))] == 2
    assert told["faults"] == {}
    assert told["abandoned"] == 0


def test_many_at_once_are_all_counted(serve: Any) -> None:
    server = serve(latency=0.02)
    threads = [threading.Thread(target=lambda at=at: [ask(server, f"{at} {n}") for n in range(10)]) for at in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stats = server.stats()
    assert len(stats["answered"]) == 100
    assert set(stats["answered"].values()) == {1}
    assert 1 < stats["most_at_once"] <= 10


# --- starting and stopping -----------------------------------------------------------


def test_stopping_leaves_nothing_behind() -> None:
    before = threading.active_count()
    with FakeServer(Script(faults={"hang": 1})) as server:
        kept = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=20)
        kept.request("GET", "/stats")
        kept.getresponse().read()
        waiting = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=20)
        waiting.request("POST", CHAT, body())
        assert eventually(lambda: server.stats()["at_once"] == 1)
    assert threading.active_count() == before
    with pytest.raises(ConnectionError):
        ask(server)
    kept.close()
    waiting.close()
    gc.collect()


def test_a_port_in_use_is_the_callers_to_handle() -> None:
    with FakeServer() as server:
        second = FakeServer(port=urlsplit(server.url).port)
        with pytest.raises(OSError, match="in use"):
            second.__enter__()
    gc.collect()


def test_a_coroutine_may_start_and_stop_it() -> None:
    import asyncio

    async def main() -> Any:
        server = FakeServer()
        await server.start()
        reply = await asyncio.to_thread(ask, server)
        await server.stop()
        return reply.text()

    assert asyncio.run(main()) == "hello there world"


# --- the command ---------------------------------------------------------------------


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Any]:
    """Start the command; stop it if the test has not."""
    started = []

    def start(*words: Any) -> Any:
        line = [sys.executable, "-m", "auricle", "fake-server", *words]
        process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.skipif(os.name == "nt", reason="interrupts are sent otherwise there")
def test_the_command_serves_until_interrupted(command: Any) -> None:
    process = command("--port", "0", "--reply", "hi", "--fault", "429=0", "--key", "K")
    first, example = process.stdout.readline(), process.stdout.readline()
    url = first.removeprefix("Listening at ").split(";")[0]
    assert f"auricle ask -m openai -M base_url={url} -M model=fake --text hello" in example

    class Started:
        pass

    Started.url = url
    assert ask(Started, headers={"Authorization": "Bearer K"}).text() == "hi"
    process.send_signal(signal.SIGINT)
    _, complaints = process.communicate(timeout=20)
    assert complaints == ""
    assert process.returncode == 0


def test_a_port_in_use_is_one_line(auricle: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = auricle("fake-server", "--port", port)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"Port {port} is in use" in done.stderr


@pytest.mark.parametrize("fault", ["429", "x=0.1", "429=2"])
def test_a_wrong_fault_is_one_line(auricle: Any, fault: str) -> None:
    done = auricle("fake-server", "--port", "0", "--fault", fault)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_without_aiohttp_the_extra_is_named(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['aiohttp'] = None; sys.argv = ['auricle', 'fake-server']\n"
        "from auricle.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert "auricle[api]" in done.stderr
    assert done.stderr.count("\n") == 1


def test_every_fault_is_told_in_the_documentation(pytestconfig: Any) -> None:
    page = (pytestconfig.rootpath / "docs" / "fake-server.md").read_text(encoding="utf-8")
    assert [kind for kind in FAULTS if f"`{kind}`" not in page] == []
