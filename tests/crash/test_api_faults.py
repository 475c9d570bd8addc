"""Servers that fail in every way, and runs that are killed: each sample ends once, and rightly."""

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
from pathlib import Path
from typing import Any

import pytest

from auricle import api
from auricle.engine.spec import Spec
from auricle.models.openai import OpenAI
from auricle.testing.fake_server import FakeServer, Script, compute_digest

MAY_PASS = {"429", "500", "503", "408", "drop", "cut", "garbage"}
FINAL = {"400": "HTTP 400", "401": "HTTP 401", "404": "HTTP 404", "html": "web page"}
SHARES = dict(
    zip(
        ("429", "500", "503", "408", "drop", "cut", "garbage", "400", "html", "empty"),
        (0.06, 0.05, 0.02, 0.03, 0.03, 0.03, 0.02, 0.03, 0.01, 0.02),
        strict=True,
    )
)
ATTEMPTS = 4


def rows(samples: Any) -> Any:
    return ({"id": f"s{at}", "question": f"w {at}", "answer": f"w {at}"} for at in range(samples))


@pytest.fixture
def data(manifest: Any) -> Any:
    return lambda samples: manifest(rows(samples))


def command(data: Any, url: Any, out: Any, *words: Any) -> Any:
    model = ["-m", "openai", "-M", f"base_url={url}", "-M", "model=fake"]
    start = ["run", str(data), "--as", "qa", "-o", str(out)]
    return [*start, *model, *map(str, words)]


def process(words: Any) -> Any:
    return [sys.executable, "-m", "auricle", *words]


def journal(out: Any) -> Any:
    return [json.loads(line) for line in (out / "outputs.jsonl").read_bytes().splitlines()]


def bodies(data: Any, url: Any, stream: Any) -> Any:
    """What is going to be sent about each sample, by its id."""
    model = OpenAI(base_url=url, model="fake")
    spec = Spec(task="qa", task_args={"data": str(data)}, model="openai")
    previewed = api.preview(spec, has_model=False)
    return {sample.id: model.encode_body(asked, stream) for sample, ((asked, _),) in previewed}


def foretold(script: Any, body: Any) -> Any:
    """What becomes of a request, and at which attempt."""
    digest = compute_digest(body)
    for attempt in range(1, ATTEMPTS + 1):
        fault = script.fault(digest, attempt)
        if fault not in MAY_PASS:
            break
    return fault, attempt


@dataclass
class Ordeal:
    """A run against a server that fails, beside what was bound to come of it."""

    told: subprocess.CompletedProcess
    lines: list[dict]
    stats: dict
    ends: dict[str, tuple[str | None, int]]
    digests: dict[str, str]
    document: dict

    def by_digest(self) -> Any:
        return {self.digests[name]: end for name, end in self.ends.items()}


@pytest.fixture(scope="module", params=[(5000, False, False), (600, True, True)], ids=["5000 whole", "600 streamed"])
def ordeal(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, warm: Any) -> Any:
    samples, stream, adaptive = request.param
    folder = tmp_path_factory.mktemp("ordeal")
    path, out = folder / "mine.jsonl", folder / "run"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows(samples)))
    script = Script(faults=SHARES, retry_after=0.01)
    with FakeServer(script) as server:
        ways = ("-M", f"stream={json.dumps(stream)}", "-M", f"adaptive={json.dumps(adaptive)}")
        words = ("--attempts", ATTEMPTS, *ways)
        called = command(path, server.url, out, *words)
        told = warm(called, folder, folder)
        sent = bodies(path, server.url, stream)
        return Ordeal(
            told=told,
            lines=journal(out),
            stats=server.stats(),
            ends={name: foretold(script, body) for name, body in sent.items()},
            digests={name: compute_digest(body) for name, body in sent.items()},
            document=json.loads((out / "metrics.json").read_text()),
        )


def test_a_third_of_the_attempts_fail_or_all_this_proves_nothing(ordeal: Any) -> None:
    attempts = sum(ordeal.stats["received"].values())
    assert set(ordeal.stats["faults"]) == set(SHARES)
    assert sum(ordeal.stats["faults"].values()) > 0.25 * attempts


def test_every_sample_ends_once(ordeal: Any) -> None:
    assert Counter(line["id"] for line in ordeal.lines) == dict.fromkeys(ordeal.ends, 1)


def test_every_sample_is_answered_or_failed_as_was_foretold(ordeal: Any) -> None:
    for line in ordeal.lines:
        fault, _ = ordeal.ends[line["id"]]
        if fault in (None, "empty"):
            assert line["error"] is None
            assert line["outputs"][0]["text"] == ("" if fault else f"w {line['id'][1:]}")
        else:
            assert line["outputs"] == []
            assert line["error"]["kind"] == ("Refused" if fault in FINAL else "Transient")
            assert FINAL.get(fault, "127.0.0.1") in line["error"]["message"]


def test_every_attempt_was_worth_it_and_none_too_many(ordeal: Any) -> None:
    assert {line["id"]: line["attempts"] for line in ordeal.lines} == {
        name: attempt for name, (_, attempt) in ordeal.ends.items()
    }
    assert ordeal.stats["received"] == {digest: attempt for digest, (_, attempt) in ordeal.by_digest().items()}


def test_nothing_is_answered_twice(ordeal: Any) -> None:
    assert ordeal.stats["answered"] == {digest: 1 for digest, (fault, _) in ordeal.by_digest().items() if fault is None}


def test_the_numbers_tell_their_coverage(ordeal: Any) -> None:
    faults = [fault for fault, _ in ordeal.ends.values() if fault not in (None, "empty")]
    total, failed = len(ordeal.ends), len(faults)
    assert ordeal.document["outcomes"]["failed"] == failed > 0
    number = ordeal.document["numbers"][0]
    assert (number["total"], number["failed"]) == (total, failed)
    assert number["scored"] == total - failed
    kinds = Counter("Refused" if fault in FINAL else "Transient" for fault in faults)
    assert {each["kind"]: each["count"] for each in ordeal.document["failures"]} == kinds


def test_a_run_with_failures_says_so_without_a_traceback(ordeal: Any) -> None:
    assert ordeal.told.returncode == 3
    assert "Traceback" not in ordeal.told.stderr
    assert f"{ordeal.document['outcomes']['failed']} failed" in ordeal.told.stderr


@pytest.mark.parametrize("processes", [1, 2])
def test_a_run_killed_against_a_server_asks_again_only_what_was_in_flight(
    auricle: Any, data: Any, tmp_path: Path, processes: int
) -> None:
    samples, places, window = 400, 16, 0.05
    # What is answered within the moment before a commit, and what is being answered.
    most_lost = places * (1 + round(0.4 / window))
    out, path = tmp_path / "run", data(samples)
    with FakeServer(Script(latency=window)) as server:
        words = command(path, server.url, out, "-j", places, "--processes", processes)
        for _ in range(2):
            kill_midway(words, out / "outputs.jsonl")
            held = {line["id"] for line in journal(out) if "id" in line}
            assert 0 < len(held) < samples
            assert sum(server.stats()["answered"].values()) <= len(held) + 2 * most_lost
        told = auricle(*words)
        assert told.returncode == 0, told.stderr
        answered = server.stats()["answered"]
    lines = journal(out)
    assert Counter(line["id"] for line in lines) == {f"s{at}": 1 for at in range(samples)}
    assert all(line["outputs"][0]["text"] == f"w {line['id'][1:]}" for line in lines)
    assert len(answered) == samples
    assert sum(answered.values()) <= samples + 2 * most_lost


def kill_midway(words: Any, journal: Any) -> None:
    before = journal.stat().st_size if journal.exists() else 0
    child = subprocess.Popen(process(words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while child.poll() is None and (not journal.exists() or journal.stat().st_size <= before):
            time.sleep(0.005)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    content = journal.read_bytes()  # as opening it would: what is torn is cut
    journal.write_bytes(content[: content.rfind(b"\n") + 1])


# --- servers that cannot be asked ----------------------------------------------------


@contextmanager
def dead() -> Iterator[Any]:
    with socket.socket() as unused:  # bound, so that nobody else is; not listening
        unused.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{unused.getsockname()[1]}/v1"


@contextmanager
def full() -> Iterator[Any]:
    """A host that takes no more connections: the rest wait at the door."""
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
def scripted(**script: Any) -> Iterator[Any]:
    with FakeServer(Script(**script)) as server:
        yield server.url


ALWAYS = {
    "a dead host": (dead, "no connection to 127.0.0.1"),
    "a host that takes no connection": (full, "did not take a connection within 0.3 s"),
    "a wrong key": (lambda: scripted(key="right"), "HTTP 401 from 127.0.0.1"),
    "a wrong name": (lambda: scripted(models=("other",)), "HTTP 404 from 127.0.0.1"),
    "a web page": (lambda: scripted(faults={"html": 1.0}), "answered with a web page"),
}
SLOW = {
    "silence": ("hang", "false", "sent nothing for 0.3 s"),
    "an endless answer": ("endless", "false", "did not finish its answer within 0.5 s"),
    "an endless stream": ("endless", "true", "did not end its answer within 0.5 s"),
}
HASTE = (*("-M", "connect_timeout=0.3", "-M", "read_timeout=0.3", "-M", "timeout=0.5"), *("-M", "api_key=wrong"))


@pytest.mark.parametrize(("place", "words"), ALWAYS.values(), ids=ALWAYS)
def test_a_run_that_cannot_succeed_ends_early_with_one_line(
    auricle: Any, data: Any, tmp_path: Path, place: Any, words: Any
) -> None:
    with place() as url:
        told = auricle(*command(data(500), url, tmp_path / "run", *HASTE, "--attempts", 3))
    assert told.returncode == 2
    (line,) = told.stderr.splitlines()
    assert line.startswith("auricle: The first 20 requests all failed alike: ")
    assert words in line
    assert told.stdout == ""


@pytest.mark.parametrize(("place", "words"), [ALWAYS["a dead host"], ALWAYS["a wrong key"]], ids=["dead", "key"])
def test_a_few_samples_that_cannot_be_answered_are_each_told(
    auricle: Any, data: Any, tmp_path: Path, place: Any, words: Any
) -> None:
    with place() as url:
        told = auricle(*command(data(3), url, tmp_path / "run", *HASTE, "--attempts", 1))
    assert told.returncode == 3
    assert told.stdout.count(words) == 3
    assert "Traceback" not in told.stderr


@pytest.mark.parametrize(("fault", "stream", "words"), SLOW.values(), ids=SLOW)
def test_a_server_that_does_not_come_to_an_end_is_left_in_time(
    auricle: Any, data: Any, tmp_path: Path, fault: Any, stream: Any, words: Any
) -> None:
    with scripted(faults={fault: 1.0}) as url:
        given = (*HASTE, "-M", f"stream={stream}", "--attempts", 2)
        told = auricle(*command(data(3), url, tmp_path / "run", *given))
    assert told.returncode == 3
    assert told.stdout.count(words) == 3
    assert "Traceback" not in told.stderr


ASKED = {name: (*ALWAYS[name], "false") for name in ("a dead host", "a wrong key", "a web page")} | {
    name: (lambda fault=fault: scripted(faults={fault: 1.0}), words, stream)
    for name, (fault, stream, words) in SLOW.items()
    if name != "an endless answer"
}


@pytest.mark.parametrize(("place", "words", "stream"), ASKED.values(), ids=ASKED)
def test_one_question_that_is_not_answered_is_one_line(auricle: Any, place: Any, words: Any, stream: Any) -> None:
    with place() as url:
        model = ("-m", "openai", "-M", f"base_url={url}", "-M", "model=fake", *HASTE)
        told = auricle("ask", *model, "-M", f"stream={stream}", "--text", "hello")
    assert told.returncode == 2
    (line,) = told.stderr.splitlines()
    assert line.startswith("auricle: ")
    assert words in line
    assert told.stdout == ""


def test_senders_that_cannot_succeed_end_early_too(auricle: Any, data: Any, tmp_path: Path) -> None:
    with dead() as url:
        told = auricle(*command(data(500), url, tmp_path / "run", *HASTE, "--processes", 2))
    assert told.returncode == 2
    (line,) = told.stderr.splitlines()
    assert line.startswith("auricle: The first 20 requests all failed alike: no connection to")


def test_ctrl_c_lets_senders_finish_what_they_have_in_hand(data: Any, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with FakeServer(Script(latency=0.1)) as server:
        words = command(data(2000), server.url, out, "-j", 16, "--processes", 2)
        words += ["-M", "api_key=sk-Sesame1234"]
        child = subprocess.Popen(
            process(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        while not (out / "outputs.jsonl").exists() or not (out / "outputs.jsonl").stat().st_size:
            time.sleep(0.01)
        # To the whole group, as a terminal sends it.
        os.killpg(child.pid, signal.SIGINT)
        _, told = child.communicate(timeout=20)
        answered = sum(server.stats()["answered"].values())
    assert child.returncode == 130
    assert "Traceback" not in told
    assert "Resume with: auricle run" in told
    assert "api_key=…" in told
    assert "Sesame" not in told
    assert len(journal(out)) == answered
