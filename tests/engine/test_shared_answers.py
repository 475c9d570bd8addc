"""Answers that an ordinary run and a run under conditions share."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle.engine.factory import Evaluation
from auricle.engine.shared_answers import share_clean_answers
from auricle.engine.spec import Spec

CONDITIONS = ("--perturb", "noise:snr=10,0")


@pytest.fixture
def run(auricle: Any, manifest: Any, tone: Any) -> Any:
    tone("1.wav")
    manifest([{"id": "1", "audio": "1.wav", "text": "hello"}])
    return lambda *words: auricle("run", "mine.jsonl", "--as", "asr", "-m", "echo", *words)


def count_lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def test_clean_part_uses_the_answers_of_an_ordinary_run(run: Any, tmp_path: Path) -> None:
    run()
    result = run(*CONDITIONS)
    assert "the answers of runs/asr-mine-echo are used again" in result.stderr
    suite = tmp_path / "runs/asr-mine-conditions-echo"
    first, clean = (
        json.loads((path / "outputs.jsonl").read_text()) for path in (tmp_path / "runs/asr-mine-echo", suite / "clean")
    )
    assert first == clean
    assert "used again" not in run(*CONDITIONS).stderr


def test_ordinary_run_uses_the_answers_of_the_clean_part(run: Any, tmp_path: Path) -> None:
    run(*CONDITIONS)
    assert "the answers of runs/asr-mine-conditions-echo/clean are used again" in run().stderr
    assert count_lines(tmp_path / "runs/asr-mine-echo/outputs.jsonl") == 1


def test_fresh_runs_and_other_models_share_nothing(run: Any, auricle: Any) -> None:
    run()
    assert "used again" not in run(*CONDITIONS, "--fresh").stderr
    other = auricle("run", "mine.jsonl", "--as", "asr", "-m", "fake-api", *CONDITIONS)
    assert "used again" not in other.stderr


def test_damaged_suite_is_no_candidate(tmp_path: Path) -> None:
    suite = tmp_path / "demo-conditions-echo"
    suite.mkdir()
    (suite / "suite.json").write_text("{")
    evaluation = Evaluation.prepare(Spec(task="demo", model="echo"))
    assert share_clean_answers(evaluation, tmp_path / "demo-echo", tmp_path) is None
