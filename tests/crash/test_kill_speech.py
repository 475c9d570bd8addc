"""A synthesiser and the recogniser that transcribes it, each killed in the middle."""

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROWS = 40
MODELS = """
import time
import numpy as np

def log(name, line):
    with open(f"{name}.log", "a") as file:
        file.write(f"{line}\\n")

def speak(text):
    time.sleep(0.02)
    log("spoken", text)
    return np.sin(np.arange(1600) * (0.1 + int(text.split()[1]) / 100)).astype(np.float32) / 2, 16_000

def transcribe(audio):
    time.sleep(0.02)
    log("heard", audio.hash)
    return "number"
"""


def kill_after(child: Any, log: Path, lines: int) -> None:
    """Kill a process when its model has answered this often."""
    while not log.exists() or log.read_bytes().count(b"\n") < lines:
        assert child.poll() is None, "the process ended too early"
        time.sleep(0.005)
    child.kill()
    child.wait()


@pytest.mark.slow
def test_nothing_that_is_on_disk_is_spoken_or_transcribed_again(
    auricle: Any, begin: Any, manifest: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = manifest({"id": f"s{row}", "text": f"number {row}"} for row in range(ROWS))
    Path("models.py").write_text(MODELS)
    run = ["run", str(data), "--as", "tts", "-T", "metrics=speech_duration", "-m", "models.py:speak", "-o", "run"]
    score = ["score", "run", "--recogniser", "models.py:transcribe"]
    for command, name, file in ((run, "spoken", "outputs"), (score, "heard", "verdicts")):
        kill_after(begin(*command), Path(f"{name}.log"), ROWS * 3 // 4)
        stored = Path(f"run/{file}.jsonl").read_bytes().count(b"\n")
        assert 1 < stored < ROWS
        finished = auricle(*command)
        assert finished.returncode == 0, finished.stderr
        calls = Counter(Path(f"{name}.log").read_text().splitlines())
        assert len(calls) == ROWS
        is_judged = file == "verdicts"
        assert calls.total() <= 2 * ROWS - (stored - is_judged), "only what was not on disk is requested again"
    numbers = {number["metric"]: number for number in json.loads(Path("run/metrics.json").read_text())["numbers"]}
    assert numbers["round_trip_wer"]["scored"] == ROWS
    assert numbers["round_trip_wer"]["value"] == pytest.approx(0.5)
