"""A judge killed in mid-sentence goes on where it stopped, and says nothing twice."""

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

SAMPLES, KILLS, PLACES = 400, 6, 8
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
def words(manifest: Any, tmp_path: Path) -> Any:
    rows = ({"id": f"s{at}", "question": f"number {'x' * (at % 37)} {at}"} for at in range(SAMPLES))
    data = manifest(rows)
    (tmp_path / "judges.py").write_text(JUDGE)
    judge = ["--judge", f"{tmp_path / 'judges.py'}:Slow", "-j", str(PLACES)]

    def command(out: Any) -> Any:
        start = ["run", str(data), "--as", "open", "-m", "echo"]
        given = ["-T", "metrics=judge-1-5", "-J", f"log={tmp_path / out}.log", *judge]
        return [*start, "-o", str(tmp_path / out), *given]

    return command


def kill_somewhere(child: Any, journal: Any, dice: Any) -> None:
    before = journal.stat().st_size if journal.exists() else 0
    try:
        while child.poll() is None and (not journal.exists() or journal.stat().st_size == before):
            time.sleep(0.005)
        time.sleep(dice.uniform(0, 0.1))
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()


def test_a_judge_killed_again_and_again_ends_as_if_it_had_not_been(
    auricle: Any, begin: Any, words: Any, tmp_path: Path
) -> None:
    dice = random.Random(1)
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    for _ in range(KILLS):
        kill_somewhere(begin(*words("killed")), killed / "verdicts.jsonl", dice)
    assert (killed / "verdicts.jsonl").read_bytes().count(b"\n") < SAMPLES
    for out in ("killed", "whole"):
        assert auricle(*words(out)).returncode == 0

    lines = [json.loads(line) for line in (killed / "verdicts.jsonl").read_bytes().splitlines()]
    said = Counter(line["key"] for line in lines if "key" in line)
    assert set(said.values()) == {1}
    assert len(said) == SAMPLES
    numbers = [json.loads((run / "metrics.json").read_text())["numbers"] for run in (killed, whole)]
    values = [[(each["metric"], each["value"], each["scored"]) for each in run] for run in numbers]
    assert values[0] == values[1]
    asked = (tmp_path / "killed.log").stat().st_size
    assert asked <= SAMPLES + KILLS * PLACES * 12, "only what was not yet on disk is asked again"


def test_ctrl_c_lets_the_judge_finish_and_says_how_to_go_on(auricle: Any, words: Any, tmp_path: Path) -> None:
    journal = tmp_path / "run" / "verdicts.jsonl"
    child = subprocess.Popen(
        [sys.executable, "-m", "auricle", *words("run")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not journal.exists() or journal.read_bytes().count(b"\n") < 5:
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    _, told = child.communicate(timeout=20)
    assert child.returncode == 130
    assert "Traceback" not in told
    assert "verdicts are missing, 0 failed. Ask for them: auricle run" in told
    kept = journal.read_bytes().count(b"\n") - 1
    assert kept == (tmp_path / "run.log").stat().st_size, "all that was asked is kept"
    assert 0 < kept < SAMPLES
    assert auricle(*words("run")).returncode == 0
    assert (tmp_path / "run.log").stat().st_size == SAMPLES
