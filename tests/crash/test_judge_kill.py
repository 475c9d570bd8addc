"""A judge that is killed or interrupted."""

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

SAMPLES, KILLS, CONCURRENCY = 400, 6, 8
JUDGE = """
import asyncio
from pathlib import Path
from auricle import AsyncModel, Generation

class Slow(AsyncModel):
    def __init__(self, log):
        self.log = Path(log)

    async def generate(self, request):
        text = request.turns[0].parts[0]
        await asyncio.sleep(0.02)
        with self.log.open("a") as log:
            log.write(".")
        return Generation(text=f"Score: {1 + len(text) % 5}", tokens=3)
"""


@pytest.fixture
def command_for(manifest: Any, tmp_path: Path) -> Any:
    rows = ({"id": f"s{row}", "question": f"number {'x' * (row % 37)} {row}"} for row in range(SAMPLES))
    data = manifest(rows)
    (tmp_path / "judges.py").write_text(JUDGE)
    judge = ["--judge", f"{tmp_path / 'judges.py'}:Slow", "-j", str(CONCURRENCY)]

    def command(out: str) -> list[str]:
        start = ["run", str(data), "--as", "open", "-m", "echo"]
        options = ["-T", "metrics=judge-1-5", "-J", f"log={tmp_path / out}.log", *judge]
        return [*start, "-o", str(tmp_path / out), *options]

    return command


def kill_somewhere(child: Any, journal: Path, rng: random.Random) -> None:
    before = journal.stat().st_size if journal.exists() else 0
    try:
        while child.poll() is None and (not journal.exists() or journal.stat().st_size == before):
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.1))
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()


def test_killed_judge_has_the_results_of_an_uninterrupted_one(
    auricle: Any, begin: Any, command_for: Any, tmp_path: Path
) -> None:
    rng = random.Random(1)
    killed, uninterrupted = tmp_path / "killed", tmp_path / "uninterrupted"
    for _ in range(KILLS):
        kill_somewhere(begin(*command_for("killed")), killed / "verdicts.jsonl", rng)
    assert (killed / "verdicts.jsonl").read_bytes().count(b"\n") < SAMPLES
    for out in ("killed", "uninterrupted"):
        assert auricle(*command_for(out)).returncode == 0

    lines = [json.loads(line) for line in (killed / "verdicts.jsonl").read_bytes().splitlines()]
    counts = Counter(line["key"] for line in lines if "key" in line)
    assert set(counts.values()) == {1}
    assert len(counts) == SAMPLES
    numbers = [json.loads((run / "metrics.json").read_text())["numbers"] for run in (killed, uninterrupted)]
    values = [[(number["metric"], number["value"], number["scored"]) for number in run] for run in numbers]
    assert values[0] == values[1]
    calls = (tmp_path / "killed.log").stat().st_size
    assert calls <= SAMPLES + KILLS * CONCURRENCY * 12, "only requests that were not yet on disk are sent again"


def test_ctrl_c_lets_the_judge_finish_and_prints_how_to_resume(auricle: Any, command_for: Any, tmp_path: Path) -> None:
    journal = tmp_path / "run" / "verdicts.jsonl"
    child = subprocess.Popen(
        [sys.executable, "-m", "auricle", *command_for("run")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not journal.exists() or journal.read_bytes().count(b"\n") < 5:
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    _, stderr = child.communicate(timeout=20)
    assert child.returncode == 130
    assert "Traceback" not in stderr
    assert "verdicts are missing, 0 failed." in stderr
    verdicts = journal.read_bytes().count(b"\n") - 1
    assert verdicts == (tmp_path / "run.log").stat().st_size, "every reply is stored"
    assert 0 < verdicts < SAMPLES
    assert auricle(*command_for("run")).returncode == 0
    assert (tmp_path / "run.log").stat().st_size == SAMPLES
