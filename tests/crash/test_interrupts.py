"""Ctrl-C and SIGTERM in every phase of a command: no traceback, and the run can be resumed."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROWS = 30
WRAPPER = """
import importlib, importlib.abc, pathlib, sys, time

def wait_here():
    pathlib.Path("reached").touch()
    while not pathlib.Path("go").exists():
        time.sleep(0.05)

class Waiting(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == module:
            wait_here()

module, _, attribute = sys.argv[1].partition(":")
if attribute:
    owner, (*path, last) = importlib.import_module(module), attribute.split(".")
    for name in path:
        owner = getattr(owner, name)
    original = getattr(owner, last)
    def waiting(*arguments, **options):
        wait_here()
        return original(*arguments, **options)
    setattr(owner, last, waiting)
else:
    sys.meta_path.insert(0, Waiting())
sys.argv[:2] = ["auricle"]
import runpy
runpy.run_module("auricle", run_name="__main__")
"""
PHASES = {
    "imports": "auricle.cli",
    "imports of the command": "auricle.cli.run",
    "task": "auricle.engine.factory:Evaluation.prepare",
    "model loading": "auricle.testing.models:FakeApi.__init__",
    "scoring": "auricle.scoring.score_table:ScoreTable.__init__",
    "report": "auricle.report.run_html:render_report",
}
"""Where a run waits: a module that is imported, or a function that is called."""

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path, manifest: Any) -> Iterator[Start]:
    """Start a run that waits in a phase; its data has thirty rows."""
    manifest({"id": str(row), "question": f"q{row}", "answer": f"q{row}"} for row in range(ROWS))
    (tmp_path / "wrapper.py").write_text(WRAPPER)
    processes = []

    def start(phase: str, *options: str) -> "subprocess.Popen[str]":
        command = [
            sys.executable,
            "wrapper.py",
            phase,
            "run",
            "mine.jsonl",
            "--as",
            "qa",
            "-m",
            "fake-api",
            "-o",
            "run",
        ]
        process = subprocess.Popen(
            [*command, *options], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def wait_for(path: Path, process: "subprocess.Popen[str]") -> None:
    while not path.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def check_resumed(auricle: Any, tmp_path: Path) -> None:
    done = auricle("run", "mine.jsonl", "--as", "qa", "-m", "fake-api", "-o", "run")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "run" / "outputs.jsonl").read_bytes().splitlines()
    assert sorted(json.loads(line)["id"] for line in lines) == sorted(str(row) for row in range(ROWS))
    assert (tmp_path / "run" / "report.html").exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("phase", PHASES)
def test_signal_in_any_phase_ends_the_command_without_a_traceback(
    start: Start, auricle: Any, tmp_path: Path, phase: str, number: signal.Signals, code: int
) -> None:
    process = start(PHASES[phase])
    wait_for(tmp_path / "reached", process)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode in (code, -number)  # during imports the signal itself ends the process
    assert "Traceback" not in stderr
    assert "Interrupted" in stderr or process.returncode < 0
    check_resumed(auricle, tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("phase", ["model loading", "report", "imports of the command"])
def test_second_signal_at_once_prints_no_traceback(
    start: Start, auricle: Any, tmp_path: Path, phase: str, number: signal.Signals
) -> None:
    process = start(PHASES[phase])
    wait_for(tmp_path / "reached", process)
    process.send_signal(number)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode in (128 + number, -number)
    assert "Traceback" not in stderr
    check_resumed(auricle, tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "options", [["-M", "delay=60", "-j", "4"], ["-M", "delay=60", "--processes", "2"]], ids=["one process", "senders"]
)
def test_second_signal_during_inference_does_not_wait_for_requests(
    begin: Any, manifest: Any, tmp_path: Path, number: signal.Signals, options: list[str]
) -> None:
    rows = ({"id": str(row), "question": f"q{row}", "answer": f"q{row}"} for row in range(ROWS))
    process = begin("run", manifest(rows), "--as", "qa", "-m", "fake-api", "-o", "run", *options)
    while not (tmp_path / "run" / "progress.json").exists():
        time.sleep(0.01)
    time.sleep(0.5)  # until requests are in flight
    for _ in range(2):
        process.send_signal(number)
        time.sleep(0.5)
    assert process.wait() == -number
    assert "Traceback" not in process.files[1].read_text()


def test_sigterm_finishes_requests_and_prints_how_to_resume(begin: Any, manifest: Any, tmp_path: Path) -> None:
    rows = ({"id": str(row), "question": f"q{row}", "answer": f"q{row}"} for row in range(500))
    process = begin("run", manifest(rows), "--as", "qa", "-m", "fake-api", "-M", "delay=0.1", "-j", "2", "-o", "run")
    journal = tmp_path / "run" / "outputs.jsonl"
    while not journal.exists() or not journal.stat().st_size:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 143
    assert "Resume with: auricle run" in process.files[1].read_text()
    assert (tmp_path / "run" / "report.html").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_score_is_interrupted_without_a_traceback(
    auricle: Any, manifest: Any, tmp_path: Path, number: signal.Signals
) -> None:
    rows = ({"id": str(row), "question": f"q{row}", "answer": f"q{row}"} for row in range(ROWS))
    assert auricle("run", manifest(rows), "--as", "qa", "-m", "fake-api", "-o", "run").returncode == 0
    (tmp_path / "wrapper.py").write_text(WRAPPER)
    command = [sys.executable, "wrapper.py", PHASES["scoring"], "score", "run"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(tmp_path / "reached", process)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert "Traceback" not in stderr
    check_resumed(auricle, tmp_path)


@pytest.mark.parametrize("kind", ["def", "async def"], ids=["thread", "event loop"])
def test_second_signal_ends_a_model_that_never_returns(begin: Any, manifest: Any, tmp_path: Path, kind: str) -> None:
    body = "    pathlib.Path('reached').touch()\n    time.sleep(600)\n"
    (tmp_path / "hangs.py").write_text(f"import pathlib, time\n\n{kind} hangs(text) -> str:\n{body}")
    rows = manifest([{"question": "q", "answer": "a"}])
    process = begin("run", rows, "--as", "qa", "-m", "hangs.py:hangs", "-o", "run")
    while not (tmp_path / "reached").exists():
        time.sleep(0.01)
    log = process.files[1]
    process.send_signal(signal.SIGINT)
    while "waiting for 1 call of" not in log.read_text():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    sent_at = time.monotonic()
    assert process.wait() == -signal.SIGINT
    assert time.monotonic() - sent_at < 5
    assert "Another Ctrl-C ends the program at once." in log.read_text()
    assert "Traceback" not in log.read_text()
