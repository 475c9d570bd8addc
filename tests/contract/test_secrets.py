"""No secret reaches a file of a run or the terminal, however it was given and wherever it is repeated."""

import json
import os
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

BABBLER = """
import sys

from auricle import BatchModel, Generation


class Babbler(BatchModel):
    batch_size = 1

    def __init__(self, **arguments):
        self.arguments = arguments

    def generate(self, batch):
        print("stdout", self.arguments)
        print("stderr", self.arguments, file=sys.stderr)
        if "word 3" in str(batch):
            raise ValueError(f"cannot use {self.arguments}")
        return [Generation(text=f"I was given {self.arguments}") for _ in batch]
"""
NAMES = (
    *("apikey", "api-key", "authorization", "bearer", "api_keys", "access_key_id", "token2", "cookie", "passphrase"),
    *("X-Secret", "clientSecret", "unsuspicious", "pw", "pass", "psk", "otp", "signature", "pem", "dsn", "openai"),
)
SECRETS = {name: f"Zq{number}xK9vL{number}mW4tR7yB2nC5" for number, name in enumerate(NAMES, 10)}
IN_HEADER, NESTED, IN_VARIABLE = "hdr-Swordfish77", "nst-Mellon4321", "var-Xyzzy99Plugh"
IN_URL = ("qry-Abracadabra1", "frg-Sesame987654", "usr-Rosebud12345", "Zq99xK9vL99mW4tR7yB2nC5")
ALL_SECRETS = (*SECRETS.values(), IN_HEADER, NESTED, IN_VARIABLE, *IN_URL)


@pytest.fixture
def rows(manifest: Any, tmp_path: Path) -> Path:
    (tmp_path / "babbler.py").write_text(BABBLER)
    path: Path = manifest([{"id": f"s{at}", "question": f"word {at}", "answer": "x"} for at in range(5)])
    return path


def arguments() -> list[str]:
    pairs = [f"{name}={secret}" for name, secret in SECRETS.items()]
    pairs += [f'default_headers={{"X-Team": "{IN_HEADER}"}}', f'extra={{"api-key": "{NESTED}"}}', f"note={IN_VARIABLE}"]
    pairs += ["endpoint=http://me:{2}@host/{3}/x?code={0}&v=1#key={1}".format(*IN_URL)]
    return [word for pair in pairs for word in ("-M", pair)]


def assert_no_secret(folder: Path, done: Any) -> None:
    places = {str(path.relative_to(folder)): path.read_bytes().lower() for path in folder.rglob("*") if path.is_file()}
    assert {"spec.json", "outputs.jsonl", "metrics.json", "report.html"} <= {*places}
    places |= {"stdout": done.stdout.lower().encode(), "stderr": done.stderr.lower().encode()}
    starts = [secret[:12].lower().encode() for secret in ALL_SECRETS]
    assert [(place, start) for place, content in places.items() for start in starts if start in content] == []


def test_arguments_of_a_model_are_hidden_wherever_it_repeats_them(auricle: Any, rows: Path, tmp_path: Path) -> None:
    env = {**os.environ, "SERVICE_TOKEN": IN_VARIABLE}
    command = ("run", rows, "--as", "qa", "-m", "babbler.py:Babbler", *arguments(), "-o", "run")
    done = auricle(*command, env=env)
    assert done.returncode == 3, done.stderr  # one sample failed
    assert_no_secret(tmp_path / "run", done)
    stored = (tmp_path / "run/outputs.jsonl").read_text()
    assert "I was given {'apikey': '…'" in stored
    assert "cannot use {'apikey': '…'" in stored
    assert auricle(*command, env=env).returncode == 3, "the same command resumes the run"


@pytest.mark.slow
def test_arguments_of_a_model_are_hidden_in_the_logs_of_workers(auricle: Any, rows: Path, tmp_path: Path) -> None:
    command = ("run", rows, "--as", "qa", "-m", "babbler.py:Babbler", *arguments(), "--replicas", "2", "-o", "run")
    done = auricle(*command, env={**os.environ, "SERVICE_TOKEN": IN_VARIABLE})
    assert done.returncode == 3, done.stderr
    logs = "".join(path.read_text() for path in (tmp_path / "run/logs").glob("replica-*.log"))
    assert "stdout {'apikey': '…'" in logs
    assert "stderr {'apikey': '…'" in logs
    assert_no_secret(tmp_path / "run", done)


class Repeater(BaseHTTPRequestHandler):
    """A server that answers with the key, in several forms, and tries to control the terminal."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        key = self.headers["Authorization"].removeprefix("Bearer ")
        text = (
            f"\x1b]0;owned\x07\x1b[31mYou are {key}, {key.upper()}, {key[:14]}**** and {self.headers['X-Team']}\x9b2J"
        )
        is_refusal = self.path.startswith("/refuse")
        document = {"error": {"message": text}} if is_refusal else {"choices": [{"message": {"content": text}}]}
        content = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture
def server() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Repeater)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("path", ["answer", "refuse"])
@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_key_that_a_server_repeats_is_neither_stored_nor_shown(
    auricle: Any, rows: Path, tmp_path: Path, server: str, path: str, processes: int
) -> None:
    key = SECRETS["apikey"]
    model = ("-m", "openai", "-M", f"base_url={server}/{path}", "-M", "model=x", "-M", "api_key_env=WHO")
    headers = ("-M", 'headers={"X-Team": "$TEAM"}', "--processes", str(processes), "--max-attempts", "1")
    env = {**os.environ, "WHO": key, "TEAM": IN_HEADER}
    done = auricle("run", rows, "--as", "qa", *model, *headers, "-o", "run", "--cache-path", "run/cache.db", env=env)
    assert done.returncode in (0, 3), done.stderr
    assert_no_secret(tmp_path / "run", done)
    assert "You are …, …, … and …" in (tmp_path / "run/outputs.jsonl").read_text()
    for command in (("samples", "run"), ("show", "run"), ("samples", "run", "--json")):
        shown = auricle(*command)
        assert not {"\x1b", "\x9b", "\x07"} & {*shown.stdout, *shown.stderr}
        assert_no_secret(tmp_path / "run", shown)
    assert "You are …, …, … and …" in auricle("samples", "run").stdout


def test_ask_shows_neither_a_key_nor_control_sequences(auricle: Any, server: str) -> None:
    model = ("-m", "openai", "-M", f"base_url={server}/answer", "-M", "model=x")
    done = auricle("ask", *model, "--text", "hello", env={**os.environ, "OPENAI_API_KEY": SECRETS["apikey"]})
    assert done.stdout == "You are …, …, … and None\n"


CAREFUL = """
class Careful:
    def __init__(self, size: int = 1): ...

    def generate(self, batch): ...
"""


@pytest.mark.parametrize("model", ["openai", "careful.py:Careful"])
def test_nothing_is_written_if_a_model_does_not_accept_an_argument(
    auricle: Any, rows: Path, tmp_path: Path, model: str
) -> None:
    (tmp_path / "careful.py").write_text(CAREFUL)
    done = auricle("run", rows, "--as", "qa", "-m", model, "-M", "mistyped=hunter2", "-o", "run")
    assert done.returncode == 2
    assert "mistyped" in done.stderr
    assert "hunter2" not in done.stderr
    assert not (tmp_path / "run").exists()
