"""Rubbish in: one row in twenty is broken, each in its own way, and the run goes on."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

GOOD = 152


@pytest.fixture
def broken(tmp_path: Path, tone: Any) -> Any:
    """Eight broken rows among 152 good ones: five in a hundred."""
    whole = tone("good.wav", seconds=0.3)
    (tmp_path / "truncated.wav").write_bytes(whole.read_bytes()[:2000])
    (tmp_path / "zero.wav").write_bytes(b"")
    (tmp_path / "text.wav").write_text("this is no sound")
    nan = np.full(1600, np.nan, dtype=np.float32)
    soundfile.write(tmp_path / "nan.wav", nan, 16_000, subtype="FLOAT")
    bad = [
        {"id": "missing", "audio": "nowhere.wav", "text": "x"},
        {"id": "truncated", "audio": "truncated.wav", "text": "x"},
        {"id": "zero", "audio": "zero.wav", "text": "x"},
        {"id": "text", "audio": "text.wav", "text": "x"},
        {"id": "nan", "audio": "nan.wav", "text": "x"},
        "{not json",
        {"id": "g5", "audio": "good.wav", "text": "good"},
        {"id": "typed", "audio": 17, "text": "x"},
    ]
    rows = [{"id": f"g{at}", "audio": "good.wav", "text": "good"} for at in range(GOOD)]
    for at, row in enumerate(bad):
        rows.insert(20 * (at + 1) - 1, row)
    path = tmp_path / "mine.jsonl"
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows))
    return path


LISTENER = '''
from auricle import BatchModel, Generation

class Listens(BatchModel):
    """Decodes, so that broken sound shows; says one word."""
    sample_rate = 16_000

    def generate(self, batch):
        return [Generation(text="good") for request in batch]
'''


@pytest.fixture
def finished(auricle: Any, broken: Any, tmp_path: Path) -> Any:
    (tmp_path / "listens.py").write_text(LISTENER)
    done = auricle("run", broken, "--as", "asr", "-m", "listens.py:Listens", "-o", "run")
    return done, json.loads((tmp_path / "run" / "metrics.json").read_text())


def test_the_run_finishes_and_says_what_failed(finished: Any) -> None:
    done, metrics = finished
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    assert metrics["outcomes"] == {"total": 160, "answered": GOOD, "failed": 8, "empty": 0}


def test_each_failure_is_named_with_its_line_and_reason(finished: Any) -> None:
    _, metrics = finished
    told = {example["origin"]: example["message"] for kind in metrics["failures"] for example in kind["examples"]}
    expected = {20: "nowhere.wav", 40: "truncated.wav", 60: "zero.wav", 80: "text.wav", 100: "nan.wav"}
    for line, words in expected.items():
        assert words in told[f"mine.jsonl:{line}"]
    assert "not valid JSON" in told["mine.jsonl:120"]
    assert "duplicate id 'g5'" in told["mine.jsonl:140"]
    assert "int" in told["mine.jsonl:160"]


def test_coverage_and_bounds_stand_beside_the_score(finished: Any) -> None:
    done, metrics = finished
    (wer,) = [n for n in metrics["numbers"] if n["metric"] == "wer" and not n["field"]]
    assert (wer["value"], wer["scored"], wer["total"]) == (0.0, GOOD, 160)
    assert wer["best"] == 0.0
    assert wer["worst"] == pytest.approx(5 / (GOOD + 5))  # the five whose words are known
    assert "95.0 %" in done.stdout
    assert "8 failed" in done.stdout


def test_failed_samples_are_tried_again_when_the_cause_is_gone(
    finished: Any, auricle: Any, broken: Any, tmp_path: Path, tone: Any
) -> None:
    tone("nowhere.wav")
    done = auricle("run", broken, "--as", "asr", "-m", "listens.py:Listens", "-o", "run")
    assert done.returncode == 3
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert metrics["outcomes"]["failed"] == 7
