"""Runs under conditions give the same answers whatever executes them, and after the process was killed."""

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

MODEL = '''
import hashlib
import time
from auricle import BatchModel, Generation

class Digest(BatchModel):
    """Answers with a digest of the sound it gets."""

    batch_size = 2

    def generate(self, batch):
        time.sleep(0.02)
        return [Generation(text=hashlib.sha256(r.audios[0].decode(16_000).tobytes()).hexdigest()) for r in batch]
'''
CONDITIONS = ("--perturb", "noise:snr=10,0,kind=babble", "--perturb", "loss:rate=0.2")
ROWS = 12


@pytest.fixture
def run(auricle: Any, begin: Any, manifest: Any, tmp_path: Path) -> Any:
    random = np.random.default_rng(0)
    rows = []
    for number in range(ROWS):
        time_axis = np.arange(8000) / 16_000
        sound = 0.1 * np.sin(2 * np.pi * (200 + 40 * number) * time_axis) + 0.01 * random.standard_normal(8000)
        soundfile.write(tmp_path / f"{number}.wav", sound, 16_000)
        rows.append(
            {"id": str(number), "audio": f"{number}.wav", "text": f"word {number}", "speaker": f"s{number % 9}"}
        )
    (tmp_path / "digest.py").write_text(MODEL)
    manifest(rows)

    def call(out: str, *options: str, start: bool = False) -> Any:
        words = ("run", "mine.jsonl", "--as", "asr", "-m", "digest.py:Digest", "-o", out, "--infer-only", *CONDITIONS)
        return (begin if start else auricle)(*words, *options)

    return call


def read_answers(folder: Path) -> dict[str, dict[str, str]]:
    """Return the answer to each sample under each condition."""
    return {
        path.parent.name: {
            line["id"]: line["outputs"][0]["text"] for line in map(json.loads, path.read_text().splitlines())
        }
        for path in sorted(folder.glob("*/outputs.jsonl"))
    }


def test_answers_do_not_depend_on_what_executes_the_run(run: Any, tmp_path: Path) -> None:
    for name, options in {"one": (), "batches": ("--batch-size", "5"), "four": ("--replicas", "4")}.items():
        result = run(name, *options)
        assert result.returncode == 0, result.stderr
    answers = read_answers(tmp_path / "one")
    assert list(answers) == ["clean", "loss-rate-0.2", "noise-snr-0-kind-babble", "noise-snr-10-kind-babble"]
    assert all(len(by_id) == ROWS for by_id in answers.values())
    assert len({text for by_id in answers.values() for text in by_id.values()}) == 4 * ROWS
    assert read_answers(tmp_path / "batches") == answers
    assert read_answers(tmp_path / "four") == answers


def test_killed_run_continues_with_the_same_answers(run: Any, tmp_path: Path) -> None:
    run("whole")
    process = run("killed", start=True)
    second_part = tmp_path / "killed/noise-snr-10-kind-babble/outputs.jsonl"
    for _ in range(600):
        if second_part.exists() and second_part.stat().st_size:
            break
        time.sleep(0.05)
    process.kill()
    process.wait()
    resumed = run("killed")
    assert resumed.returncode == 0, resumed.stderr
    assert "answered before" in resumed.stderr
    assert read_answers(tmp_path / "killed") == read_answers(tmp_path / "whole")
