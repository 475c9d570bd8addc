"""`auricle words`: lost, confused and inserted words of a run."""

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.support.cli_types import RunAuricle


@pytest.fixture
def speech_run(auricle: RunAuricle, tmp_path: Path) -> Path:
    """A run of two samples, in one of which Anna became Hanna."""
    for name in ("call hanna now", "good morning"):  # what the model echo answers
        soundfile.write(tmp_path / f"{name}.wav", np.zeros(800), 8000)
    rows = [
        {"id": "a", "audio": "call hanna now.wav", "text": "Call Anna now"},
        {"id": "b", "audio": "good morning.wav", "text": "Good morning"},
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    auricle("run", "rows.jsonl", "--as", "asr", "-m", "echo", "-o", "run")
    return tmp_path / "run"


def test_words_are_printed_with_an_example(auricle: RunAuricle, speech_run: Path) -> None:
    lines = auricle("words", "run").stdout.splitlines()
    assert lines[0] == "WER (basic), 2 samples"
    assert any(line.split()[:4] == ["anna", "1", "1", "100.00"] for line in lines)
    assert any(line.startswith("anna → hanna") and line.endswith("a: call {anna→hanna} now") for line in lines)
    assert '<section id="words"' in (speech_run / "report.html").read_text()


def test_the_places_of_one_word_are_printed(auricle: RunAuricle, speech_run: Path) -> None:
    assert auricle("words", "run", "--word", "Anna").stdout.splitlines() == [
        "anna was lost in 1 of 1 places:", "  a: call {anna→hanna} now",
    ]  # fmt: skip
    assert auricle("words", "run", "--word", "hanna").stdout.splitlines() == [
        "hanna was wrongly written in 1 places:", "  a: call {anna→hanna} now",
    ]  # fmt: skip
    assert "is in no reference" in auricle("words", "run", "--word", "berta").stdout
    wrong = auricle("words", "run", "--word", "two words")
    assert wrong.returncode == 2
    assert "--word takes one word" in wrong.stderr


def test_json_has_all_counts(auricle: RunAuricle, speech_run: Path) -> None:
    document = json.loads(auricle("words", "run", "--json").stdout)
    assert document["words"][0]["share"] == 1.0
    assert document["confusions"] == [
        {"reference": "anna", "answer": "hanna", "count": 1, "examples": [{"id": "a", "text": "call {anna→hanna} now"}]}
    ]
    assert json.loads(auricle("words", "run", "--word", "anna", "--json").stdout)["lost"]["occurrences"] == 1


def test_runs_without_an_error_rate_are_refused(auricle: RunAuricle, speech_run: Path) -> None:
    auricle("score", "run", "--metrics", "exact_match")
    refused = auricle("words", "run")
    assert refused.returncode == 2
    assert "has no error rate" in refused.stderr
    assert "auricle score run --add-metrics wer" in refused.stderr
