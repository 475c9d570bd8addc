"""Runs against servers that fail in many ways, and runs that are killed."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from auricle import Generate, Sample, api
from auricle.engine.spec import Spec
from auricle.models.openai import OpenAI
from auricle.testing.fake_server import FakeServer, Script, compute_digest

TRANSIENT = {"429", "500", "503", "408", "drop", "cut", "garbage"}
FINAL = {"400": "HTTP 400", "401": "HTTP 401", "404": "HTTP 404", "html": "web page"}
SHARES = dict(
    zip(
        ("429", "500", "503", "408", "drop", "cut", "garbage", "400", "html", "empty"),
        (0.06, 0.05, 0.02, 0.03, 0.03, 0.03, 0.02, 0.03, 0.01, 0.02),
        strict=True,
    )
)
MAX_ATTEMPTS = 4


def rows(count: int) -> Iterator[dict[str, str]]:
    return ({"id": f"s{row}", "question": f"w {row}", "answer": f"w {row}"} for row in range(count))


@pytest.fixture
def data(manifest: Any) -> Any:
    return lambda count: manifest(rows(count))


def command(data: Path, url: str, out: Path, *options: object) -> list[str]:
    model = ["-m", "openai", "-M", f"base_url={url}", "-M", "model=fake"]
    start = ["run", str(data), "--as", "qa", "-o", str(out)]
    return [*start, *model, *map(str, options)]


def process(words: list[str]) -> list[str]:
    return [sys.executable, "-m", "auricle", *words]


def journal(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "outputs.jsonl").read_bytes().splitlines()]


def bodies(data: Path, url: str, stream: bool) -> dict[str, Any]:
    """Return the body of the request of each sample, by id."""
    model = OpenAI(base_url=url, model="fake")
    spec = Spec(task="qa", task_args={"data": str(data)}, model="openai")
    encoded = {}
    for sample, ((request, _),) in api.preview(spec, has_model=False):
        assert isinstance(sample, Sample)
        assert isinstance(request, Generate)
        encoded[sample.id] = model.encode_request(request, stream=stream).body
    return encoded


def predict_outcome(script: Script, body: Any) -> tuple[str | None, int]:
    """Return the last fault of a request, if any, and the number of attempts."""
    digest = compute_digest(body)
    for attempt in range(1, MAX_ATTEMPTS + 1):
        fault = script.draw_fault(digest, attempt)
        if fault not in TRANSIENT:
            break
    return fault, attempt


@dataclass
class FaultyRun:
    """A run against a failing server, with the predicted outcome of each sample."""

    done: subprocess.CompletedProcess[str]
    lines: list[dict[str, Any]]
    stats: dict[str, Any]
    outcomes: dict[str, tuple[str | None, int]]
    digests: dict[str, str]
    document: dict[str, Any]

    def by_digest(self) -> dict[str, tuple[str | None, int]]:
        return {self.digests[name]: outcome for name, outcome in self.outcomes.items()}


@pytest.fixture(scope="module", params=[(1500, False, False), (400, True, True)], ids=["1500 complete", "400 streamed"])
def faulty_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, warm: Any) -> FaultyRun:
    count, stream, adaptive = request.param
    folder = tmp_path_factory.mktemp("faulty")
    path, out = folder / "mine.jsonl", folder / "run"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows(count)))
    script = Script(faults=SHARES, retry_after=0.01)
    with FakeServer(script) as server:
        options = ("-M", f"stream={json.dumps(stream)}", "-M", f"adaptive={json.dumps(adaptive)}")
        done = warm(command(path, server.url, out, "--max-attempts", MAX_ATTEMPTS, *options), folder, folder)
        sent = bodies(path, server.url, stream)
        return FaultyRun(
            done=done,
            lines=journal(out),
            stats=server.stats(),
            outcomes={name: predict_outcome(script, body) for name, body in sent.items()},
            digests={name: compute_digest(body) for name, body in sent.items()},
            document=json.loads((out / "metrics.json").read_text()),
        )


def test_a_quarter_of_the_attempts_fail(faulty_run: FaultyRun) -> None:
    attempts = sum(faulty_run.stats["received"].values())
    assert set(faulty_run.stats["faults"]) == set(SHARES)
    assert sum(faulty_run.stats["faults"].values()) > 0.25 * attempts


def test_every_sample_has_one_record(faulty_run: FaultyRun) -> None:
    assert Counter(line["id"] for line in faulty_run.lines) == dict.fromkeys(faulty_run.outcomes, 1)


def test_every_sample_is_answered_or_failed_as_predicted(faulty_run: FaultyRun) -> None:
    for line in faulty_run.lines:
        fault, _ = faulty_run.outcomes[line["id"]]
        if fault in (None, "empty"):
            assert line["error"] is None
            assert line["outputs"][0]["text"] == ("" if fault else f"w {line['id'][1:]}")
        else:
            assert line["outputs"] == []
            assert line["error"]["kind"] == ("Rejected" if fault in FINAL else "Transient")
            assert FINAL.get(fault or "", "127.0.0.1") in line["error"]["message"]


def test_number_of_attempts_is_as_predicted(faulty_run: FaultyRun) -> None:
    assert {line["id"]: line["attempts"] for line in faulty_run.lines} == {
        name: attempt for name, (_, attempt) in faulty_run.outcomes.items()
    }
    assert faulty_run.stats["received"] == {digest: attempt for digest, (_, attempt) in faulty_run.by_digest().items()}


def test_no_request_is_answered_twice(faulty_run: FaultyRun) -> None:
    assert faulty_run.stats["answered"] == {
        digest: 1 for digest, (fault, _) in faulty_run.by_digest().items() if fault is None
    }


def test_numbers_have_the_right_coverage(faulty_run: FaultyRun) -> None:
    faults = [fault for fault, _ in faulty_run.outcomes.values() if fault not in (None, "empty")]
    total, failed = len(faulty_run.outcomes), len(faults)
    assert faulty_run.document["outcomes"]["failed"] == failed > 0
    number = faulty_run.document["numbers"][0]
    assert (number["total"], number["failed"]) == (total, failed)
    assert number["scored"] == total - failed
    kinds = Counter("Rejected" if fault in FINAL else "Transient" for fault in faults)
    assert {failure["kind"]: failure["count"] for failure in faulty_run.document["failures"]} == kinds


def test_failures_are_reported_without_a_traceback(faulty_run: FaultyRun) -> None:
    assert faulty_run.done.returncode == 3
    assert "Traceback" not in faulty_run.done.stderr
    assert f"{faulty_run.document['outcomes']['failed']} failed" in faulty_run.done.stderr


@pytest.mark.parametrize("processes", [1, 2])
def test_killed_run_sends_again_only_what_was_in_flight(
    auricle: Any, data: Any, tmp_path: Path, processes: int
) -> None:
    samples, concurrency, latency = 400, 16, 0.05
    # What is answered shortly before a commit, and what is in flight.
    max_lost = concurrency * (1 + round(0.4 / latency))
    out, path = tmp_path / "run", data(samples)
    with FakeServer(Script(latency=latency)) as server:
        words = command(path, server.url, out, "-j", concurrency, "--processes", processes)
        for _ in range(2):
            kill_midway(words, out / "outputs.jsonl")
            recorded = {line["id"] for line in journal(out) if "id" in line}
            assert 0 < len(recorded) < samples
            assert sum(server.stats()["answered"].values()) <= len(recorded) + 2 * max_lost
        done = auricle(*words)
        assert done.returncode == 0, done.stderr
        answered = server.stats()["answered"]
    lines = journal(out)
    assert Counter(line["id"] for line in lines) == {f"s{row}": 1 for row in range(samples)}
    assert all(line["outputs"][0]["text"] == f"w {line['id'][1:]}" for line in lines)
    assert len(answered) == samples
    assert sum(answered.values()) <= samples + 2 * max_lost


def kill_midway(words: list[str], journal: Path) -> None:
    before = journal.stat().st_size if journal.exists() else 0
    child = subprocess.Popen(process(words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while child.poll() is None and (not journal.exists() or journal.stat().st_size <= before):
            time.sleep(0.005)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    content = journal.read_bytes()  # remove a partial line, as opening the run does
    journal.write_bytes(content[: content.rfind(b"\n") + 1])


# --- unusable servers ----------------------------------------------------------------


@contextmanager
def dead_host() -> Iterator[str]:
    with socket.socket() as unused:  # bound, so that no other program uses the port; not listening
        unused.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{unused.getsockname()[1]}/v1"


@contextmanager
def full_host() -> Iterator[str]:
    """Yield the address of a host that accepts no more connections."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        clients = [socket.socket() for _ in range(4)]
        for client in clients:
            client.setblocking(False)
            client.connect_ex(server.getsockname())
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        for client in clients:
            client.close()


@contextmanager
def scripted(**script: Any) -> Iterator[str]:
    with FakeServer(Script(**script)) as server:
        yield server.url


UNUSABLE_SERVERS = {
    "a dead host": (dead_host, "no connection to 127.0.0.1"),
    "a host that accepts no connection": (full_host, "did not accept a connection within 0.3 s"),
    "a wrong key": (lambda: scripted(key="right"), "HTTP 401 from 127.0.0.1"),
    "a wrong name": (lambda: scripted(models=("other",)), "HTTP 404 from 127.0.0.1"),
    "a web page": (lambda: scripted(faults={"html": 1.0}), "returned a web page"),
}
ENDLESS_SERVERS = {
    "silence": ("hang", "false", "sent nothing for 0.3 s"),
    "an endless answer": ("endless", "false", "did not finish its answer within 0.5 s"),
    "an endless stream": ("endless", "true", "did not finish its answer within 0.5 s"),
}
SHORT_TIMEOUTS = ("-M", "connect_timeout=0.3", "-M", "read_timeout=0.3", "-M", "timeout=0.5")


@pytest.mark.parametrize(("server", "message"), UNUSABLE_SERVERS.values(), ids=UNUSABLE_SERVERS)
def test_run_against_an_unusable_server_aborts_with_one_line(
    auricle: Any, data: Any, tmp_path: Path, server: Any, message: str
) -> None:
    with server() as url:
        done = auricle(*command(data(500), url, tmp_path / "run", *SHORT_TIMEOUTS, "--max-attempts", 3))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("auricle: The first 20 requests failed with the same error: ")
    assert message in line
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("server", "message"), [UNUSABLE_SERVERS["a dead host"], UNUSABLE_SERVERS["a wrong key"]], ids=["dead", "key"]
)
def test_few_failing_samples_are_each_reported(
    auricle: Any, data: Any, tmp_path: Path, server: Any, message: str
) -> None:
    with server() as url:
        done = auricle(*command(data(3), url, tmp_path / "run", *SHORT_TIMEOUTS, "--max-attempts", 1))
    assert done.returncode == 3
    assert done.stdout.count(message) == 3
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("fault", "stream", "message"), ENDLESS_SERVERS.values(), ids=ENDLESS_SERVERS)
def test_endless_answers_time_out(
    auricle: Any, data: Any, tmp_path: Path, fault: str, stream: str, message: str
) -> None:
    with scripted(faults={fault: 1.0}) as url:
        options = (*SHORT_TIMEOUTS, "-M", f"stream={stream}", "--max-attempts", 2)
        done = auricle(*command(data(3), url, tmp_path / "run", *options))
    assert done.returncode == 3
    assert done.stdout.count(message) == 3
    assert "Traceback" not in done.stderr


SERVERS_FOR_ASK = {
    name: (*UNUSABLE_SERVERS[name], "false") for name in ("a dead host", "a wrong key", "a web page")
} | {
    name: (partial(scripted, faults={fault: 1.0}), message, stream)
    for name, (fault, stream, message) in ENDLESS_SERVERS.items()
    if name != "an endless answer"
}


@pytest.mark.parametrize(("server", "message", "stream"), SERVERS_FOR_ASK.values(), ids=SERVERS_FOR_ASK)
def test_failing_ask_is_reported_in_one_line(auricle: Any, server: Any, message: str, stream: str) -> None:
    with server() as url:
        model = ("-m", "openai", "-M", f"base_url={url}", "-M", "model=fake", *SHORT_TIMEOUTS)
        done = auricle("ask", *model, "-M", f"stream={stream}", "--text", "hello")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("auricle: ")
    assert message in line
    assert done.stdout == ""


def test_sender_processes_abort_early_too(auricle: Any, data: Any, tmp_path: Path) -> None:
    with dead_host() as url:
        done = auricle(*command(data(500), url, tmp_path / "run", *SHORT_TIMEOUTS, "--processes", 2))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("auricle: The first 20 requests failed with the same error: no connection to")


def test_ctrl_c_lets_senders_finish_their_requests(data: Any, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with FakeServer(Script(latency=0.1)) as server:
        words = command(data(2000), server.url, out, "-j", 16, "--processes", 2)
        words += ["-M", 'headers={"X-Key": "sk-Sesame1234"}']
        child = subprocess.Popen(
            process(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        while not (out / "outputs.jsonl").exists() or not (out / "outputs.jsonl").stat().st_size:
            time.sleep(0.01)
        # To the process group, as a terminal does.
        os.killpg(child.pid, signal.SIGINT)
        _, stderr = child.communicate(timeout=20)
        answered = sum(server.stats()["answered"].values())
    assert child.returncode == 130
    assert "Traceback" not in stderr
    assert "Resume with: auricle run" in stderr
    assert '"X-Key":"…"' in stderr
    assert "Sesame" not in stderr
    assert len(journal(out)) == answered
