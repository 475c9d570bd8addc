"""Replicas that die or hang: a retry, not a sample; the last one's end is the run's."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

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
def work(tmp_path: Path) -> Any:
    (tmp_path / "slow.py").write_text(MODEL)
    (tmp_path / "pids").mkdir()
    rows = ({"id": str(at), "question": f"q{at}", "answer": f"q{at}"} for at in range(500))
    (tmp_path / "data.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    return tmp_path


def command(work: Any, *more: Any) -> Any:
    words = ["run", str(work / "data.jsonl"), "--as", "qa", "-o", str(work / "run")]
    words += ["-m", f"{work / 'slow.py'}:Slow", "-M", f"folder={work / 'pids'}", *more]
    return [sys.executable, "-m", "auricle", *words]


def run(work: Any, *more: Any) -> Any:
    return subprocess.run(command(work, *more), capture_output=True, text=True, timeout=120)


def answered(work: Any) -> Any:
    lines = (work / "run" / "outputs.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    return sorted(int(each["id"]) for each in records if not each["error"]), records


def pids(work: Any) -> Any:
    return [int(each.name[4:]) for each in (work / "pids").glob("pid-*")]


LANES = {"here": [], "elsewhere": ["-M", f"python={sys.executable}"], "ray": ["--backend", "ray"]}


@pytest.mark.parametrize("lanes", LANES)
def test_one_of_two_killed_half_way_costs_a_retry_and_no_sample(work: Any, lanes: Any) -> None:
    if lanes == "ray":
        pytest.importorskip("ray")
    more = LANES[lanes]
    with subprocess.Popen(
        command(work, "--replicas", "2", *more), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        journal = work / "run" / "outputs.jsonl"
        until = time.monotonic() + 60
        while not journal.exists() or journal.read_bytes().count(b"\n") < 200:
            assert time.monotonic() < until
            time.sleep(0.02)
        os.kill(pids(work)[0], signal.SIGKILL)
        assert running.wait(60) == 0
        running.communicate()
    ids, _ = answered(work)
    assert ids == list(range(500))
    assert len(pids(work)) == 3


def test_a_replica_that_hangs_is_ended_and_its_batch_asked_again(work: Any) -> None:
    done = run(work, "--replicas", "2", "--batch-timeout", "2", "-M", "hang=q123")
    assert done.returncode == 0, done.stderr
    assert answered(work)[0] == list(range(500))


def test_a_sample_that_kills_every_replica_fails_alone(work: Any) -> None:
    done = run(work, "--replicas", "2", "-M", "die=q77", "--attempts", "2", "--limit", "100")
    assert done.returncode == 3, done.stderr
    ids, records = answered(work)
    assert ids == [at for at in range(100) if at != 77]
    (error,) = [each["error"] for each in records if each["error"]]
    assert error == {"kind": "Transient", "message": "a process of the model ended"}


def test_an_actor_that_cannot_load_its_model_is_one_line(work: Any) -> None:
    pytest.importorskip("ray")
    done = run(work, "--backend", "ray", "-M", "hang=3", "-M", "die=0", "-M", "folder=/no/where")
    assert done.returncode == 2, done.stderr
    assert "FileNotFoundError" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_the_end_of_the_last_replica_is_the_runs_and_says_what_to_do(work: Any) -> None:
    done = run(work, "--replicas", "2", "-M", "die=always")
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert "without answering anything" in last
    assert "give the same command again" in last
    assert "Traceback" not in done.stderr


def test_a_python_that_lacks_what_is_needed_is_told_of_before_anything_is_made(work: Any) -> None:
    done = run(work, "-M", "python=/nowhere/bin/python")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("auricle: python=/nowhere/bin/python cannot be run")
    assert not (work / "run").exists()
