"""Runs against API servers: requests, cache, costs, judges and redaction."""

import base64
import json
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
import soundfile

from auricle.testing.fake_server import FakeServer, Script

KEY, HEADER, IN_URL, JUDGE_KEY = "sk-Sesame1234", "hdr-Swordfish77", "url-Mellon4321", "jdg-Xyzzy99"
SECRETS = (KEY, HEADER, IN_URL, JUDGE_KEY)


@pytest.fixture
def ask_all(auricle: Any, manifest: Any) -> Any:
    """Run a task with text rows; by default the server echoes each question."""

    def call(url: Any, *words: Any, rows: int = 30, out: str = "run", env: Any = None) -> Any:
        data = manifest(rows if isinstance(rows, list) else questions(rows))
        model = ("-m", "openai", "-M", f"base_url={url}", "-M", "model=fake")
        inputs = ("run", data, "--as", "qa", *model, "-o", out, *words)
        return auricle(*inputs, env={**os.environ, **(env or {})})

    return call


def questions(number: Any) -> Any:
    return [{"id": f"s{at}", "question": f"word {at}", "answer": f"word {at}"} for at in range(number)]


def records(folder: Any) -> Any:
    """Return the journal lines by sample id, and check that there is one per sample."""
    lines = [json.loads(line) for line in (folder / "outputs.jsonl").read_bytes().splitlines()]
    assert set(Counter(line["id"] for line in lines).values()) <= {1}
    return {line["id"]: line for line in lines}


def answers(folder: Any) -> Any:
    return {name: line["outputs"] for name, line in records(folder).items()}


def metrics(folder: Any) -> Any:
    return json.loads((folder / "metrics.json").read_text())


def counted(server: Any) -> Any:
    return sum(server.stats()["requests"].values())


# --- senders ------------------------------------------------------------------------


def test_two_sender_processes_give_the_same_results_as_one(ask_all: Any, tmp_path: Path) -> None:
    script = Script(faults={"429": 0.1, "400": 0.1}, retry_after=0.01)
    with FakeServer(script) as server:
        one = ask_all(server.url, out="one", rows=200)
    with FakeServer(script, port=urlsplit(server.url).port or 0) as server:
        two = ask_all(server.url, "--processes", "2", out="two", rows=200)
        assert set(server.stats()["answered"].values()) == {1}
    assert (one.returncode, two.returncode) == (3, 3), two.stderr
    first, second = tmp_path / "one", tmp_path / "two"
    assert answers(first) == answers(second)
    assert count_failures(first) == count_failures(second)
    for name in ("numbers", "outcomes", "usage"):
        assert metrics(first)[name] == metrics(second)[name]


def count_failures(folder: Any) -> Any:
    return {name: line["error"] for name, line in records(folder).items()}


def test_audio_reaches_the_server_with_one_or_two_senders(
    auricle: Any, manifest: Any, tone: Any, tmp_path: Path
) -> None:
    rows = [{"id": f"{at}", "audio": str(tone(f"{at}.wav", 0.1 + at / 100)), "text": "x"} for at in range(6)]
    data = manifest(rows)
    for processes in (1, 2):
        with FakeServer() as server:
            model = ("-m", "openai", "-M", f"base_url={server.url}", "-M", "model=fake")
            out = ("-o", f"run{processes}", "--processes", processes)
            done = auricle("run", data, "--as", "asr", *model, *out)
            assert done.returncode == 0, done.stderr
    one, two = answers(tmp_path / "run1"), answers(tmp_path / "run2")
    assert one == two
    assert len({item[0]["text"] for item in one.values()}) == 6


# --- several servers ----------------------------------------------------------------


def test_two_servers_share_the_work(ask_all: Any, tmp_path: Path) -> None:
    script = Script(latency=0.01)
    with FakeServer(script) as first, FakeServer(script) as second:
        done = ask_all(f"{first.url},{second.url}", rows=300)
        shares = counted(first), counted(second)
    assert done.returncode == 0, done.stderr
    assert sum(shares) == 300
    assert min(shares) > 60


def test_unreachable_server_fails_no_sample_if_another_works(ask_all: Any, tmp_path: Path) -> None:
    with FakeServer() as server:
        dead = "http://127.0.0.1:9/v1"
        done = ask_all(f"{dead},{server.url}", rows=100)
        assert counted(server) == 100
    assert done.returncode == 0, done.stderr
    assert not any(item["error"] for item in records(tmp_path / "run").values())


def test_other_server_takes_over_when_one_stops(ask_all: Any, tmp_path: Path) -> None:
    script = Script(latency=0.02)
    leaving = FakeServer(script)
    leaving.__enter__()
    with FakeServer(script) as lasting:
        stop = threading.Thread(target=stop_after, args=(leaving, 60))
        stop.start()
        done = ask_all(f"{leaving.url},{lasting.url}", rows=400)
        stop.join()
        gone, stayed = (sum(item.stats()["answered"].values()) for item in (leaving, lasting))
    assert done.returncode == 0, done.stderr
    stored = records(tmp_path / "run")
    assert len(stored) == 400
    assert not any(item["error"] for item in stored.values())
    assert gone >= 60
    assert stayed >= 400 - gone > 0


def stop_after(server: Any, answered: Any) -> None:
    while sum(server.stats()["answered"].values()) < answered:
        time.sleep(0.002)
    server.__exit__(None, None, None)


# --- the cache ----------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path: Path) -> Any:
    return "--cache-path", tmp_path / "answers.sqlite"


def test_cached_responses_are_reused_by_another_run(ask_all: Any, cache: Any, tmp_path: Path) -> None:
    with FakeServer() as server:
        ask_all(server.url, *cache, out="first")
        requests = counted(server)
        second = ask_all(server.url, *cache, out="second")
        assert counted(server) == requests == 30
    assert second.returncode == 0
    assert "30 answers from the cache" in second.stdout
    assert answers(tmp_path / "first") == answers(tmp_path / "second")
    first, again = (metrics(tmp_path / name) for name in ("first", "second"))
    assert first["numbers"] == again["numbers"]
    assert (first["usage"]["cached"], again["usage"]["cached"]) == (0, 30)
    assert again["usage"]["input_tokens"] is None


@pytest.mark.parametrize(
    "change",
    [("-T", "prompt=Please repeat: {question}"), ("-M", "model=other"), ("-M", 'extra={"temperature": 0.7}')],
    ids=["prompt", "model", "temperature"],
)
def test_cache_misses_for_another_question_or_model(ask_all: Any, cache: Any, change: Any) -> None:
    with FakeServer() as server:
        ask_all(server.url, *cache, rows=5, out="first")
        ask_all(server.url, *cache, *change, rows=5, out="second")
        assert counted(server) == 10


def test_cache_ignores_api_key_and_timeouts(ask_all: Any, cache: Any) -> None:
    with FakeServer() as server:
        ask_all(server.url, *cache, rows=5, out="first")
        change = ("-M", 'headers={"X-Team": "a"}', "-M", "timeout=7", "-M", "rpm=6000", "--processes", "2")
        ask_all(server.url, *cache, *change, rows=5, out="second")
        assert counted(server) == 5


def test_failures_are_not_cached(ask_all: Any, cache: Any, tmp_path: Path) -> None:
    with FakeServer(Script(faults={"400": 0.4})) as server:
        assert ask_all(server.url, *cache, rows=20, out="first").returncode == 3
        failed = sum(1 for item in records(tmp_path / "first").values() if item["error"])
        before = counted(server)
        ask_all(server.url, *cache, rows=20, out="second")
        assert 0 < failed < 20
        assert counted(server) - before == failed


def test_concurrent_runs_share_the_cache(ask_all: Any, cache: Any, tmp_path: Path, manifest: Any) -> None:
    with FakeServer(Script(latency=0.01)) as server:
        both = [
            threading.Thread(target=ask_all, args=(server.url, *cache), kwargs={"out": name, "rows": 200})
            for name in ("first", "second")
        ]
        for item in both:
            item.start()
        for item in both:
            item.join()
        before = counted(server)
        assert 200 <= before <= 400
        third = ask_all(server.url, *cache, rows=200, out="third")
        assert counted(server) == before
    assert third.returncode == 0, third.stderr
    assert answers(tmp_path / "first") == answers(tmp_path / "second")


# --- costs --------------------------------------------------------------------------


def test_run_stops_at_its_budget_and_can_be_resumed(ask_all: Any, tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("currency: EUR\nfake: {request: 0.01}\n")
    paying = ("--prices", prices, "-j", "4", "-M", f'headers={{"X-Team": "{KEY}"}}')
    with FakeServer(Script(latency=0.005)) as server:
        done = ask_all(server.url, *paying, "--max-cost", "1.5", rows=400)
        spent = counted(server)
        assert done.returncode == 3
        assert "EUR spent, the limit is 1.50 EUR" in done.stderr
        assert "Resume with a higher --max-cost: auricle run" in done.stderr
        assert KEY not in done.stderr + done.stdout
        assert "Traceback" not in done.stderr
        assert 150 <= spent <= 154
        assert len(records(tmp_path / "run")) == spent
        done = ask_all(server.url, *paying, "--max-cost", "5", rows=400)
        assert done.returncode == 0, done.stderr
        assert counted(server) == 400
        assert set(server.stats()["answered"].values()) == {1}
    assert metrics(tmp_path / "run")["usage"]["cost"] == pytest.approx(4.0)


# --- judges -------------------------------------------------------------------------


def test_answers_can_be_judged_again_by_another_server(
    auricle: Any, manifest: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = manifest(questions(20))
    judged = ("-T", "metrics=judge-reference,exact_match")
    with (
        FakeServer() as model,
        FakeServer(Script(reply="Verdict: yes", key=JUDGE_KEY)) as kind,
        FakeServer(Script(reply="Verdict: no", faults={"429": 0.2}, retry_after=0.01)) as strict,
    ):
        requests = ("-m", "openai", "-M", f"base_url={model.url}", "-M", "model=fake")
        by = ("--judge", "openai", "-J", f"base_url={kind.url}", "-J", "model=kind")
        run = ("run", data, "--as", "qa", *requests, *judged, *by, "-J", "api_key_env=JUDGE_KEY")
        monkeypatch.setenv("JUDGE_KEY", JUDGE_KEY)
        done = auricle(*run, "-o", "run")
        assert done.returncode == 0, done.stderr
        assert value(tmp_path / "run", "judge-reference") == 1.0
        again = ("--judge", "openai", "-J", f"base_url={strict.url}", "-J", "model=strict")
        done = auricle("score", "run", *again)
        assert done.returncode == 0, done.stderr
        assert value(tmp_path / "run", "judge-reference") == 0.0
        assert value(tmp_path / "run", "exact_match") == 1.0
        assert [sum(item.stats()["answered"].values()) for item in (model, kind, strict)] == [20] * 3
    assert_no_secret(tmp_path / "run", done.stdout, done.stderr)


def value(folder: Any, metric: Any) -> Any:
    return next(item["value"] for item in metrics(folder)["numbers"] if item["metric"] == metric and not item["field"])


# --- redaction -----------------------------------------------------------------------


class Echo(BaseHTTPRequestHandler):
    """A server that repeats the whole request in its error, as some do when they refuse a key."""

    protocol_version = "HTTP/1.1"
    status = 401
    kind = "json"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        words = f"Incorrect key: {self.headers} at {self.path}; you sent {body}"
        if self.kind == "redirect":
            self.reply(302, words.encode(), Location=f"http://elsewhere{self.path}")
        elif self.kind == "stream":
            event = json.dumps({"error": {"message": words}})
            self.reply(200, f"data: {event}\n\n".encode(), **{"Content-Type": "text/event-stream"})
        elif self.kind == "json":
            self.reply(self.status, json.dumps({"error": {"message": words}}).encode())
        elif self.kind == "odd":
            self.reply(200, json.dumps({words: words}).encode())
        else:
            self.reply(self.status, f"<html><p>{words}</p></html>".encode())

    def reply(self, status: Any, content: Any, **headers: Any) -> None:
        self.send_response(status)
        for name, item in {"Content-Length": len(content), **headers}.items():
            self.send_header(name, str(item))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def echoing() -> Iterator[Any]:
    def start(**behaviour: Any) -> Any:
        handler = type("Handler", (Echo,), behaviour)
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        started.append(server)
        return f"127.0.0.1:{server.server_port}"

    started: list[Any] = []
    yield start
    for server in started:
        server.shutdown()
        server.server_close()


@pytest.fixture
def noise(tmp_path: Path, manifest: Any) -> Any:
    """Write rows with random audio, and return excerpts by which a leak would be noticed."""
    folder = tmp_path / "sounds"
    folder.mkdir()
    rows, dice = [], np.random.default_rng(1)
    for at in range(3):
        path = folder / f"{at}.wav"
        soundfile.write(path, dice.uniform(-0.5, 0.5, 4000).astype(np.float32), 16_000)
        rows.append({"id": f"{at}", "audio": str(path), "text": "hello"})
    return manifest(rows), folder


def stretches(folder: Any) -> Iterator[Any]:
    """Return excerpts of every clip, raw and in base64."""
    for path in folder.glob("*.wav"):
        content = path.read_bytes()
        encoded = base64.b64encode(content)
        for at in (0, 300, 3000):
            yield content[at + 44 : at + 64]
            yield encoded[at + 60 : at + 84]


def assert_no_secret(folder: Any, *texts: Any, sounds: Any = None) -> None:
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    assert files
    needles = [secret.encode() for secret in SECRETS]
    needles += list(stretches(sounds)) if sounds else []
    places = {str(path): path.read_bytes() for path in files}
    places |= {f"output {at}": text.encode() for at, text in enumerate(texts)}
    leaks = [(name, needle) for name, content in places.items() for needle in needles if needle in content]
    assert not leaks


@pytest.mark.parametrize("processes", [1, 2])
def test_successful_run_stores_no_key_and_no_audio(auricle: Any, noise: Any, tmp_path: Path, processes: int) -> None:
    data, sounds = noise
    with FakeServer(Script(key=KEY)) as server:
        words = [
            *("-M", f"base_url={server.url}", "-M", "model=fake", "-M", "api_key_env=MY_KEY"),
            *("-M", f'headers={{"X-Team": "{HEADER}", "X-More": "$MORE"}}'),
            *("--cache-path", "kept/answers.sqlite", "--processes", processes),
        ]
        done = auricle(
            *("run", data, "--as", "asr", "-m", "openai", *words, "-o", "kept/run"),
            env={**os.environ, "MY_KEY": KEY, "MORE": IN_URL},
        )
        assert done.returncode == 0, done.stderr
        assert sum(server.stats()["answered"].values()) == 3
    assert_no_secret(tmp_path / "kept", done.stdout, done.stderr, sounds=sounds)


TELLTALES = {
    "a refusal": ({}, 2),
    "a fault": ({"status": 500}, 1),
    "a page": ({"kind": "html"}, 1),
    "a redirection": ({"kind": "redirect"}, 1),
    "an odd answer": ({"kind": "odd"}, 1),
    "a stream": ({"kind": "stream"}, 1),
}


@pytest.mark.parametrize(("behaviour", "processes"), TELLTALES.values(), ids=TELLTALES)
def test_secrets_echoed_by_a_server_are_not_stored(
    auricle: Any,
    noise: Any,
    tmp_path: Path,
    echoing: Any,
    behaviour: Any,
    processes: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data, sounds = noise
    words = [
        *("-M", f"base_url=http://{echoing(**behaviour)}/v1?key={IN_URL}", "-M", "model=fake"),
        *("-M", f'headers={{"X-Team": "{HEADER}"}}'),
        *("-M", f"stream={json.dumps(behaviour.get('kind') == 'stream')}", "--max-attempts", "2"),
        *("--cache-path", "kept/answers.sqlite", "--processes", processes),
    ]
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    done = auricle("run", data, "--as", "asr", "-m", "openai", *words, "-o", "kept/run")
    assert done.returncode == 3, done.stderr
    kinds = {item["error"]["kind"] for item in records(tmp_path / "kept/run").values()}
    assert kinds <= {"Rejected", "Transient"}
    assert_no_secret(tmp_path / "kept", done.stdout, done.stderr, sounds=sounds)


def test_password_in_base_url_is_not_stored(auricle: Any, noise: Any, tmp_path: Path, echoing: Any) -> None:
    data, _ = noise
    words = ("-M", f"base_url=http://me:{IN_URL}@{echoing()}/v1", "-M", "model=fake")
    done = auricle("run", data, "--as", "asr", "-m", "openai", *words, "-o", "kept/run")
    assert done.returncode == 3, done.stderr
    assert_no_secret(tmp_path / "kept", done.stdout, done.stderr)


@pytest.mark.parametrize(
    "words",
    [
        (f"base_url=127.0.0.1/v1?key={IN_URL}",),
        (f"base_url=ftp://me:{IN_URL}@host/v1",),
        (f"api_key={IN_URL}", "rpm=none"),
        (f"headers=Token {IN_URL}",),
    ],
    ids=["a key in an address", "a password in an address", "a key", "a header"],
)
def test_error_for_a_wrong_argument_contains_no_secret(auricle: Any, noise: Any, words: Any) -> None:
    data, _ = noise
    inputs = [item for word in ("model=fake", *words) for item in ("-M", word)]
    done = auricle("run", data, "--as", "asr", "-m", "openai", *inputs, "-o", "kept/run")
    assert done.returncode == 2
    assert done.stderr.startswith("auricle: ")
    assert done.stderr.count("\n") == 1
    assert IN_URL not in done.stderr


def test_ask_command_prints_no_secret(auricle: Any, noise: Any, echoing: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    _, sounds = noise
    words = ("-M", f"base_url=http://{echoing()}/v1", "-M", "model=x")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    done = auricle("ask", "-m", "openai", *words, sounds / "0.wav")
    assert done.returncode == 2
    assert done.stderr.startswith("auricle: HTTP 401 from 127.0.0.1")
    assert done.stderr.count("\n") == 1
    assert KEY not in done.stdout + done.stderr


def test_key_may_be_part_of_base_url(ask_all: Any) -> None:
    with FakeServer(Script(key=IN_URL)) as server:
        done = ask_all(f"{server.url}?key={IN_URL}", rows=3)
    assert done.returncode == 0, done.stderr


def test_python_api_sends_the_same_requests_as_the_command_line(manifest: Any, tmp_path: Path) -> None:
    from auricle import Spec, evaluate

    data = manifest(questions(10))
    with FakeServer() as server:
        arguments = {"base_url": server.url, "model": "fake"}
        spec = Spec(task="qa", task_args={"data": str(data)}, model="openai", model_args=arguments)
        numbers = evaluate(spec, tmp_path / "run")
        assert sum(server.stats()["answered"].values()) == 10
    assert {number.metric: number.value for number in numbers}["exact_match"] == 1.0
