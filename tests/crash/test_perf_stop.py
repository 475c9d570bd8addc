"""Measurements that are ended before their time: what was seen is kept, and nobody is left."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiohttp")

from auricle.testing.fake_server import FakeServer, Script

pytestmark = pytest.mark.flaky(reruns=2)  # it is about time, and machines rest


def family(pid: Any) -> Any:
    """A process's descendants, by their numbers."""
    told = subprocess.run(["ps", "-eo", "pid,ppid"], capture_output=True, text=True, check=True)
    pairs = [tuple(map(int, line.split())) for line in told.stdout.splitlines()[1:]]
    found, new = set(), {pid}
    while new:
        new = {child for child, parent in pairs if parent in new} - found
        found |= new
    return found


def alive(pids: Any) -> Any:
    told = subprocess.run(["ps", "-eo", "pid,stat"], capture_output=True, text=True, check=True)
    lines = (line.split() for line in told.stdout.splitlines()[1:])
    return {int(pid) for pid, stat in lines if int(pid) in pids and not stat.startswith("Z")}


def until(seen: Any, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not seen():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.05)


@pytest.fixture
def started(manifest: Any, tmp_path: Path) -> Iterator[Any]:
    """`auricle perf` in a process, while it sends; it is given to whoever wants to end it."""
    data = manifest({"id": str(n), "question": f"w {n}", "answer": f"w {n}"} for n in range(20))
    out = tmp_path / "run"
    processes = []

    def start(server: Any, *words: Any) -> Any:
        command = [sys.executable, "-m", "auricle", "perf", str(data), "--as", "qa", "-o", str(out)]
        model = ["-m", "openai", "-M", f"base_url={server.url}", "-M", "model=fake"]
        process = subprocess.Popen(
            [*command, *model, "--duration", "60", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        processes.append(process)
        until(lambda: sum(server.stats()["answered"].values()) > 10)
        return process

    yield start
    for each in processes:
        each.kill()
        each.communicate()


@pytest.mark.parametrize("senders", [1, 2])
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_what_was_measured_until_then_is_told(started: Any, tmp_path: Path, senders: int, sign: Any) -> None:
    with FakeServer(Script(latency=0.05)) as server:
        process = started(server, "--load", "constant:30", "--senders", str(senders))
        children = family(process.pid)
        assert len(children) == (senders if senders > 1 else 0)
        process.send_signal(sign)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "constant:30" in out
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["interrupted"]
    assert summary["points"][0]["counts"]["all"]["ok"] > 10
    assert summary["points"][0]["health"]["stopped"] == "interrupted"
    assert (tmp_path / "run" / "report.html").exists()
    assert not alive(children)


def test_points_after_an_interrupt_are_not_begun(started: Any, tmp_path: Path) -> None:
    with FakeServer(Script(latency=0.05)) as server:
        process = started(server, "--load", "closed:2,4,8")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    assert [path.name for path in (tmp_path / "run").iterdir() if path.is_dir()] == ["00-closed-2"]


def test_a_server_that_dies_is_told_as_failures(started: Any, tmp_path: Path) -> None:
    with FakeServer(Script(latency=0.05)) as server:
        process = started(server, "--load", "constant:30", "--max-errors", "20")
    out, err = process.communicate(timeout=30)
    assert process.returncode == 3, err
    assert "no connection" in out or "broke off" in out
    assert "requests failed" in out


def test_senders_do_not_outlive_whoever_started_them(started: Any) -> None:
    with FakeServer(Script(latency=0.05)) as server:
        process = started(server, "--load", "constant:30", "--senders", "2")
        children = family(process.pid)
        assert len(children) == 2
        process.send_signal(signal.SIGKILL)
        until(lambda: not alive(children), seconds=10)


def test_a_killed_sender_is_told_in_one_line(started: Any) -> None:
    with FakeServer(Script(latency=0.05)) as server:
        process = started(server, "--load", "constant:30", "--senders", "2")
        children = family(process.pid)
        os.kill(min(children), signal.SIGKILL)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 2
    assert "A sender died" in err.splitlines()[-1]
    assert "Traceback" not in err
    assert not alive(children)


def test_an_interrupt_before_anything_was_sent_is_no_error(manifest: Any, tmp_path: Path) -> None:
    data = manifest({"id": str(n), "question": f"w {n}", "answer": f"w {n}"} for n in range(20))
    with FakeServer(Script(latency=1.5)) as server:
        words = ["-m", "openai", "-M", f"base_url={server.url}", "-M", "model=fake"]
        command = [sys.executable, "-m", "auricle", "perf", str(data), "--as", "qa", *words]
        with subprocess.Popen(
            [*command, "--load", "closed:2", "--duration", "30", "-o", str(tmp_path / "run")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            until(lambda: sum(server.stats()["received"].values()))
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=20)
    assert process.returncode == 130, err
    assert "Traceback" not in err
