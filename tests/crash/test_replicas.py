"""Replicas that crash or hang."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.extras import require_extra

MODEL = """
import os, time
from pathlib import Path
from auricle import BatchModel, Generation

class Slow(BatchModel):
    batch_size = 8

    def __init__(self, folder, hang="", die=""):
        self.folder, self.hang, self.die = Path(folder), hang, die
        (self.folder / f"pid-{os.getpid()}").touch()

    def generate(self, batch):
        time.sleep(0.02)
        texts = [str(request.turns[-1].parts[-1]) for request in batch]
        if self.hang in texts and not (self.folder / "hung").exists():
            (self.folder / "hung").touch()
            time.sleep(600)
        if self.die and (self.die == "always" or self.die in texts):
            os._exit(9)
        return [Generation(text=text) for text in texts]
"""


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "slow.py").write_text(MODEL)
    (tmp_path / "pids").mkdir()
    rows = ({"id": str(row), "question": f"q{row}", "answer": f"q{row}"} for row in range(500))
    (tmp_path / "data.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    return tmp_path


def command(work: Path, *options: str) -> list[str]:
    words = ["run", str(work / "data.jsonl"), "--as", "qa", "-o", str(work / "run")]
    words += ["-m", f"{work / 'slow.py'}:Slow", "-M", f"folder={work / 'pids'}", *options]
    return [sys.executable, "-m", "auricle", *words]


def run(work: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(work, *options), capture_output=True, text=True, timeout=120)


def answered(work: Path) -> tuple[list[int], list[dict[str, Any]]]:
    lines = (work / "run" / "outputs.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    return sorted(int(record["id"]) for record in records if not record["error"]), records


def pids(work: Path) -> list[int]:
    return [int(path.name[4:]) for path in (work / "pids").glob("pid-*")]


DEPLOYMENTS = {"this python": [], "another python": ["-M", f"python={sys.executable}"], "ray": ["--backend", "ray"]}


@pytest.mark.parametrize("deployment", DEPLOYMENTS)
def test_killed_replica_loses_no_sample(work: Path, deployment: str) -> None:
    if deployment == "ray":
        require_extra("ray")
    with subprocess.Popen(
        command(work, "--replicas", "2", *DEPLOYMENTS[deployment]), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        journal = work / "run" / "outputs.jsonl"
        deadline = time.monotonic() + 120
        while not journal.exists() or journal.read_bytes().count(b"\n") < 200:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.kill(pids(work)[0], signal.SIGKILL)
        assert running.wait(60) == 0
        running.communicate()
    ids, _ = answered(work)
    assert ids == list(range(500))
    assert len(pids(work)) == 3


def test_hanging_replica_is_killed_and_its_batch_retried(work: Path) -> None:
    done = run(work, "--replicas", "2", "--timeout", "2", "-M", "hang=q123")
    assert done.returncode == 0, done.stderr
    assert answered(work)[0] == list(range(500))


def is_running(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout
    return bool(state) and not state.startswith("Z")


def wait_until_ended(work: Path) -> None:
    deadline = time.monotonic() + 40
    while any(map(is_running, pids(work))):
        assert time.monotonic() < deadline, "a replica outlives its run"
        time.sleep(0.1)


@pytest.mark.parametrize("deployment", DEPLOYMENTS)
def test_replicas_end_with_a_killed_run_even_in_a_batch_that_hangs(work: Path, deployment: str) -> None:
    if deployment == "ray":
        require_extra("ray")
    options = ["--replicas", "2", "-M", "hang=q3", *DEPLOYMENTS[deployment]]
    with subprocess.Popen(command(work, *options), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        while not (work / "pids" / "hung").exists() or len(pids(work)) < 2:
            assert running.poll() is None
            time.sleep(0.02)
        running.kill()
    wait_until_ended(work)


def test_replica_ends_a_batch_that_hangs_if_the_run_cannot(work: Path) -> None:
    options = ["--replicas", "2", "-M", "hang=q3", "--timeout", "3"]
    with subprocess.Popen(command(work, *options), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        while not (work / "pids" / "hung").exists():
            assert running.poll() is None
            time.sleep(0.01)
        running.send_signal(signal.SIGSTOP)
        try:
            deadline = time.monotonic() + 60
            while all(map(is_running, pids(work))):
                assert time.monotonic() < deadline, "the batch is still running"
                time.sleep(0.1)
        finally:
            running.send_signal(signal.SIGCONT)
        assert running.wait(60) == 0
    assert answered(work)[0] == list(range(500))
    logs = "".join(path.read_text() for path in (work / "run" / "logs").iterdir())
    assert "slow.py" in logs  # where the batch was


def test_sample_that_crashes_every_replica_fails_alone(work: Path) -> None:
    done = run(work, "--replicas", "2", "-M", "die=q77", "--max-attempts", "2", "--limit", "100")
    assert done.returncode == 3, done.stderr
    ids, records = answered(work)
    assert ids == [row for row in range(100) if row != 77]
    (error,) = [record["error"] for record in records if record["error"]]
    assert error == {"kind": "Transient", "message": "a worker process crashed"}


def test_actor_that_cannot_load_its_model_is_reported_in_one_line(work: Path) -> None:
    require_extra("ray")
    done = run(work, "--backend", "ray", "-M", "hang=3", "-M", "die=0", "-M", "folder=/no/where")
    assert done.returncode == 2, done.stderr
    assert "FileNotFoundError" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_run_stops_when_the_last_replica_is_lost(work: Path) -> None:
    done = run(work, "--replicas", "2", "-M", "die=always")
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert "crashed 8 times without an answer" in last
    assert "run the same command again" in last
    assert "Traceback" not in done.stderr


def test_missing_python_is_reported_before_the_run_starts(work: Path) -> None:
    done = run(work, "-M", "python=/nowhere/bin/python")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("auricle: python=/nowhere/bin/python cannot be run")
    assert not (work / "run").exists()
