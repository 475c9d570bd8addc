"""Interrupted and crashed measurements keep their requests and leave no process behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from auricle.testing.fake_server import FakeServer, Script

pytestmark = pytest.mark.flaky(reruns=2)  # depends on the timing of a busy machine

StartPerf = Callable[..., subprocess.Popen[str]]


def list_processes(column: str) -> list[tuple[int, str]]:
    """Return the pid and another column of `ps` for every process."""
    output = subprocess.run(["ps", "-eo", f"pid,{column}"], capture_output=True, text=True, check=True).stdout
    pairs = (line.split() for line in output.splitlines()[1:])
    return [(int(pid), value) for pid, value in pairs]


def list_descendants(pid: int) -> set[int]:
    parents = list_processes("ppid")
    descendants: set[int] = set()
    generation = {pid}
    while generation:
        generation = {child for child, parent in parents if int(parent) in generation} - descendants
        descendants |= generation
    return descendants


def select_running(pids: set[int]) -> set[int]:
    return {pid for pid, state in list_processes("stat") if pid in pids and not state.startswith("Z")}


def wait_until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition was not met in time"
        time.sleep(0.05)


@pytest.fixture
def start_perf(manifest: Callable[..., Path], tmp_path: Path) -> Iterator[StartPerf]:
    """Start `auricle perf` in a subprocess; wait until a count of the server exceeds a number."""
    rows = ({"id": str(number), "question": f"w {number}", "answer": f"w {number}"} for number in range(20))
    data = manifest(rows)
    processes: list[subprocess.Popen[str]] = []

    def start(server: FakeServer, *arguments: str, count: str = "answered", above: int = 10) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "auricle", "perf", str(data), "--as", "qa", "-o", str(tmp_path / "run")]
        model = ["-m", "openai", "-M", f"base_url={server.url}", "-M", "model=fake"]
        process = subprocess.Popen(
            [*command, *model, "--duration", "60", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        wait_until(lambda: sum(server.stats()[count].values()) > above)
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("senders", [1, 2])
@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_keeps_what_was_measured(
    start_perf: StartPerf, tmp_path: Path, senders: int, signal_number: signal.Signals
) -> None:
    with FakeServer(Script(latency=0.05)) as server:
        process = start_perf(server, "--load", "constant:30", "--senders", str(senders))
        children = list_descendants(process.pid)
        assert len(children) == (senders if senders > 1 else 0)
        process.send_signal(signal_number)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 128 + signal_number, err
    assert "Traceback" not in err
    assert "constant:30" in out
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["interrupted"]
    assert summary["points"][0]["counts"]["all"]["ok"] > 10
    assert summary["points"][0]["health"]["stopped"] == "interrupted"
    assert (tmp_path / "run" / "report.html").exists()
    assert not select_running(children)


def test_interrupt_skips_the_remaining_points(start_perf: StartPerf, tmp_path: Path) -> None:
    with FakeServer(Script(latency=0.05)) as server:
        process = start_perf(server, "--load", "closed:2,4,8")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    assert [path.name for path in (tmp_path / "run").iterdir() if path.is_dir()] == ["00-closed-2"]


def test_server_that_stops_is_reported_as_failures(start_perf: StartPerf, tmp_path: Path) -> None:
    with FakeServer(Script(latency=0.05)) as server:
        process = start_perf(server, "--load", "constant:30", "--max-errors", "20")
    out, err = process.communicate(timeout=30)
    assert process.returncode == 3, err
    assert "no connection" in out or "broke off" in out
    assert "requests failed" in out


def test_senders_end_when_their_parent_is_killed(start_perf: StartPerf) -> None:
    with FakeServer(Script(latency=0.05)) as server:
        process = start_perf(server, "--load", "constant:30", "--senders", "2")
        children = list_descendants(process.pid)
        assert len(children) == 2
        process.send_signal(signal.SIGKILL)
        wait_until(lambda: not select_running(children), seconds=10)


def test_killed_sender_is_one_line(start_perf: StartPerf) -> None:
    with FakeServer(Script(latency=0.05)) as server:
        process = start_perf(server, "--load", "constant:30", "--senders", "2")
        children = list_descendants(process.pid)
        os.kill(min(children), signal.SIGKILL)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 2
    assert "A sender process ended unexpectedly" in err.splitlines()[-1]
    assert "Traceback" not in err
    assert not select_running(children)


def test_interrupt_before_the_load_starts_is_not_an_error(start_perf: StartPerf) -> None:
    with FakeServer(Script(latency=1.5)) as server:
        process = start_perf(server, "--load", "closed:2", count="received", above=0)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130, err
    assert "Traceback" not in err
