"""Pulled plugs: killed at twenty random moments, a run ends as if nothing had happened."""

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
KILLS = 20


@pytest.fixture
def data(manifest: Any) -> Any:
    dice = random.Random(1)
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    rows = (
        {
            "id": f"s{at}",
            "question": (said := " ".join(dice.choices(words, k=dice.randint(1, 12)))),
            "answer": said,
            "subset": f"part{at % 3}",
        }
        for at in range(SAMPLES)
    )
    return manifest(rows)


def command(data: Any, out: Any, model: Any) -> Any:
    words = ["run", str(data), "--as", "qa", "-o", str(out)]
    return [*words, "-T", "metrics=wer,exact_match", "-m", model[0], *model[1:]]


@pytest.fixture
def kill_somewhere(begin: Any) -> Any:
    """Start the run, wait until it writes, and kill it at a random moment after that."""

    def kill(words: Any, journal: Any, dice: Any) -> Any:
        before = journal.stat().st_size if journal.exists() else 0
        child = begin(*words)
        try:
            while child.poll() is None and (not journal.exists() or journal.stat().st_size == before):
                time.sleep(0.005)
            time.sleep(dice.uniform(0, 0.2))
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
def test_a_run_killed_twenty_times_ends_as_if_it_had_not_been(
    auricle: Any, data: Any, tmp_path: Path, kill_somewhere: Any, model: Any
) -> None:
    dice = random.Random(model[0])
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    many = ("-j", "200") if model[0] == "fake-api" else ()
    sizes = []
    for _ in range(KILLS):
        extra = ("-j", str(dice.choice([4, 16, 24]))) if model[0] == "fake-api" else ()
        sizes.append(kill_somewhere([*command(data, killed, model), *extra], killed / "outputs.jsonl", dice))
    assert sizes == sorted(sizes), "a journal only grows, but for one torn line"
    for run in (killed, whole):
        assert auricle(*command(data, run, model), *many).returncode == 0

    lines = [json.loads(line) for line in (killed / "outputs.jsonl").read_bytes().splitlines()]
    assert Counter(line["id"] for line in lines) == {f"s{at}": 1 for at in range(SAMPLES)}
    assert not any(line["error"] for line in lines)
    first, second = (json.loads((run / "metrics.json").read_text()) for run in (killed, whole))
    assert first["numbers"] == second["numbers"]
    assert first["outcomes"] == second["outcomes"]


def test_kills_happen_before_the_run_is_over(data: Any, tmp_path: Path, kill_somewhere: Any) -> None:
    """Otherwise the test above would prove nothing."""
    out = tmp_path / "run"
    words = command(data, out, ("fake-api", "-M", "delay=0.06"))
    kill_somewhere(words, out / "outputs.jsonl", random.Random(0))
    lines = (out / "outputs.jsonl").read_bytes().count(b"\n")
    assert 0 < lines < SAMPLES
    assert not (out / "progress.json").exists()


def test_a_killed_pass_is_left_out_of_both_sides_of_the_speed(
    auricle: Any, data: Any, tmp_path: Path, kill_somewhere: Any
) -> None:
    out = tmp_path / "run"
    journal, words = out / "outputs.jsonl", command(data, out, ("fake-api", "-M", "delay=0.06"))
    assert auricle(*words, "--limit", "100").returncode == 0
    before = json.loads((out / "progress.json").read_text())["passes"]
    kill_somewhere(words, journal, random.Random(0))
    assert json.loads((out / "progress.json").read_text()) == {"passes": before}
    killed = journal.read_bytes().count(b"\n") - 100
    assert 0 < killed < SAMPLES - 100
    assert auricle(*words, "-j", "200").returncode == 0
    speed = json.loads((out / "metrics.json").read_text())["speed"]
    assert (speed["passes"], speed["samples"]) == (2, SAMPLES - killed)
    passes = json.loads((out / "progress.json").read_text())["passes"]
    assert speed["wall_seconds"] == pytest.approx(sum(each["wall_seconds"] for each in passes))


def test_ctrl_c_drains_and_says_how_to_resume(auricle: Any, data: Any, tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = command(data, out, ("fake-api", "-M", "delay=0.05"))
    child = subprocess.Popen(
        [sys.executable, "-m", "auricle", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    journal = out / "outputs.jsonl"
    while child.poll() is None and (not journal.exists() or not journal.stat().st_size):
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    _, told = child.communicate(timeout=20)
    assert child.returncode == 130
    assert "Traceback" not in told
    assert "nothing answered is lost. Resume with: auricle run" in told
    answered = journal.read_bytes().count(b"\n")
    assert 0 < answered < SAMPLES
    assert "is not finished" in auricle("show", out).stdout
    done = auricle(*words, "-j", "200")
    assert done.returncode == 0
    assert f"{answered} answered before" in done.stderr
