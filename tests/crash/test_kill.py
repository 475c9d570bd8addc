"""Runs killed at ten random moments."""

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

SAMPLES = 2000
KILLS = 10


@pytest.fixture
def data(manifest: Any) -> Any:
    rng = random.Random(1)
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    rows = (
        {
            "id": f"s{row}",
            "question": (text := " ".join(rng.choices(words, k=rng.randint(1, 12)))),
            "answer": text,
            "subset": f"part{row % 3}",
        }
        for row in range(SAMPLES)
    )
    return manifest(rows)


def command(data: Path, out: Path, model: tuple[str, ...]) -> list[str]:
    words = ["run", str(data), "--as", "qa", "-o", str(out)]
    return [*words, "-T", "metrics=wer,exact_match", "-m", model[0], *model[1:]]


@pytest.fixture
def kill_somewhere(begin: Any) -> Any:
    """Return a function that starts a run and kills it at a random moment after it has written."""

    def kill(words: list[str], journal: Path, rng: random.Random) -> int:
        before = journal.stat().st_size if journal.exists() else 0
        child = begin(*words)
        try:
            while child.poll() is None and (not journal.exists() or journal.stat().st_size == before):
                time.sleep(0.005)
            time.sleep(rng.uniform(0, 0.2))
        finally:
            if child.poll() is None:
                child.kill()
            child.wait()
        return journal.stat().st_size if journal.exists() else 0

    return kill


@pytest.mark.parametrize(
    "model",
    [
        ("fake-api", "-M", "delay=0.06", "-M", "wrong=0.1"),
        ("echo", "-M", "delay=0.03", "-M", "wrong=0.1", "--batch-size", "16"),
    ],
    ids=["async", "batched"],
)
def test_run_killed_ten_times_has_the_results_of_an_uninterrupted_one(
    auricle: Any, data: Path, tmp_path: Path, kill_somewhere: Any, model: tuple[str, ...]
) -> None:
    rng = random.Random(model[0])
    killed, uninterrupted = tmp_path / "killed", tmp_path / "uninterrupted"
    many = ("-j", "200") if model[0] == "fake-api" else ()
    sizes = []
    for _ in range(KILLS):
        extra = ("-j", str(rng.choice([4, 16, 24]))) if model[0] == "fake-api" else ()
        sizes.append(kill_somewhere([*command(data, killed, model), *extra], killed / "outputs.jsonl", rng))
    assert sizes == sorted(sizes), "a journal only grows, except for one partial line"
    for run in (killed, uninterrupted):
        assert auricle(*command(data, run, model), *many).returncode == 0

    lines = [json.loads(line) for line in (killed / "outputs.jsonl").read_bytes().splitlines()]
    assert Counter(line["id"] for line in lines) == {f"s{row}": 1 for row in range(SAMPLES)}
    assert not any(line["error"] for line in lines)
    first, second = (json.loads((run / "metrics.json").read_text()) for run in (killed, uninterrupted))
    assert first["numbers"] == second["numbers"]
    assert first["outcomes"] == second["outcomes"]


def test_run_is_killed_before_its_end(data: Path, tmp_path: Path, kill_somewhere: Any) -> None:
    """Check the premise of the other tests."""
    out = tmp_path / "run"
    words = command(data, out, ("fake-api", "-M", "delay=0.06"))
    kill_somewhere(words, out / "outputs.jsonl", random.Random(0))
    lines = (out / "outputs.jsonl").read_bytes().count(b"\n")
    assert 0 < lines < SAMPLES
    assert json.loads((out / "progress.json").read_text())["complete"] is False


def test_killed_pass_is_excluded_from_the_throughput(
    auricle: Any, data: Path, tmp_path: Path, kill_somewhere: Any
) -> None:
    out = tmp_path / "run"
    journal, words = out / "outputs.jsonl", command(data, out, ("fake-api", "-M", "delay=0.06"))
    assert auricle(*words, "--limit", "100").returncode == 0
    before = json.loads((out / "progress.json").read_text())["passes"]
    kill_somewhere(words, journal, random.Random(0))
    during = json.loads((out / "progress.json").read_text())
    assert (during["complete"], during["passes"]) == (False, before)
    killed = journal.read_bytes().count(b"\n") - 100
    assert 0 < killed < SAMPLES - 100
    assert auricle(*words, "-j", "200").returncode == 0
    speed = json.loads((out / "metrics.json").read_text())["speed"]
    assert (speed["passes"], speed["samples"]) == (2, SAMPLES - killed)
    passes = json.loads((out / "progress.json").read_text())["passes"]
    assert speed["wall_seconds"] == pytest.approx(sum(timing["wall_seconds"] for timing in passes))


def test_ctrl_c_finishes_requests_and_prints_how_to_resume(auricle: Any, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = command(data, out, ("fake-api", "-M", "delay=0.05"))
    child = subprocess.Popen(
        [sys.executable, "-m", "auricle", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    journal = out / "outputs.jsonl"
    while child.poll() is None and (not journal.exists() or not journal.stat().st_size):
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    _, stderr = child.communicate(timeout=20)
    assert child.returncode == 130
    assert "Traceback" not in stderr
    assert "Resume with: auricle run" in stderr
    answered = journal.read_bytes().count(b"\n")
    assert 0 < answered < SAMPLES
    assert auricle("show", out).returncode == 0
    done = auricle(*words, "-j", "200")
    assert done.returncode == 0
    assert f"{answered} answered before" in done.stderr
