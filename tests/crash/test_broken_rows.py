"""Data in which one row in twenty is invalid, each in a different way."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

GOOD = 152


@pytest.fixture
def broken(tmp_path: Path, tone: Any) -> Any:
    """Write eight invalid rows among 152 valid ones."""
    good = tone("good.wav", seconds=0.3)
    (tmp_path / "truncated.wav").write_bytes(good.read_bytes()[:2000])
    (tmp_path / "zero.wav").write_bytes(b"")
    (tmp_path / "text.wav").write_text("this is not audio")
    nan = np.full(1600, np.nan, dtype=np.float32)
    soundfile.write(tmp_path / "nan.wav", nan, 16_000, subtype="FLOAT")
    bad: list[Any] = [
        {"id": "missing", "audio": "nowhere.wav", "text": "x"},
        {"id": "truncated", "audio": "truncated.wav", "text": "x"},
        {"id": "zero", "audio": "zero.wav", "text": "x"},
        {"id": "text", "audio": "text.wav", "text": "x"},
        {"id": "nan", "audio": "nan.wav", "text": "x"},
        "{not json",
        {"id": "g5", "audio": "good.wav", "text": "good"},
        {"id": "typed", "audio": 17, "text": "x"},
    ]
    rows: list[Any] = [{"id": f"g{number}", "audio": "good.wav", "text": "good"} for number in range(GOOD)]
    for index, row in enumerate(bad):
        rows.insert(20 * (index + 1) - 1, row)
    path = tmp_path / "mine.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


LISTENER = '''
from auricle import BatchModel, Generation

class Listens(BatchModel):
    """Needs decoded audio, so that damaged files are noticed; always answers `good`."""
    sample_rate = 16_000

    def generate(self, batch):
        return [Generation(text="good") for request in batch]
'''


@pytest.fixture
def finished(auricle: Any, broken: Any, tmp_path: Path) -> Any:
    (tmp_path / "listens.py").write_text(LISTENER)
    done = auricle("run", broken, "--as", "asr", "-m", "listens.py:Listens", "-o", "run")
    return done, json.loads((tmp_path / "run" / "metrics.json").read_text())


def test_run_completes_and_counts_failures(finished: Any) -> None:
    done, metrics = finished
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    expected = {"total": 160, "answered": GOOD, "failed": 8, "empty": 0, "skipped": 0, "audio_not_sent": 0}
    assert expected.items() <= metrics["outcomes"].items()


def test_each_failure_has_its_line_and_reason(finished: Any) -> None:
    _, metrics = finished
    messages = {example["origin"]: example["message"] for kind in metrics["failures"] for example in kind["examples"]}
    expected = {20: "nowhere.wav", 40: "truncated.wav", 60: "zero.wav", 80: "text.wav", 100: "nan.wav"}
    for line, name in expected.items():
        assert name in messages[f"mine.jsonl:{line}"]
    assert "not valid JSON" in messages["mine.jsonl:120"]
    assert "duplicate id 'g5'" in messages["mine.jsonl:140"]
    assert "int" in messages["mine.jsonl:160"]


def test_score_has_coverage_and_bounds(finished: Any) -> None:
    done, metrics = finished
    (wer,) = [number for number in metrics["numbers"] if number["metric"] == "wer" and not number["field"]]
    assert (wer["value"], wer["scored"], wer["total"]) == (0.0, GOOD, 160)
    assert wer["best"] == 0.0
    assert wer["worst"] == pytest.approx(7 / (GOOD + 7))  # all but the one that is not valid JSON
    assert wer["unbounded"] == 1
    assert "95.0 %" in done.stdout
    assert "8 failed" in done.stdout


def test_failed_samples_are_retried_when_the_run_is_resumed(
    finished: Any, auricle: Any, broken: Any, tmp_path: Path, tone: Any
) -> None:
    tone("nowhere.wav")
    done = auricle("run", broken, "--as", "asr", "-m", "listens.py:Listens", "-o", "run")
    assert done.returncode == 3
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert metrics["outcomes"]["failed"] == 7
