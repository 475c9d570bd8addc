"""Tests of the page that compares runs."""

import os
import shutil
from pathlib import Path

import pytest

from tests.support.app_pages import page_text
from tests.unit.app.conftest import DrawRun

pytestmark = pytest.mark.slow


def test_runs_without_a_common_metric_are_explained(draw: DrawRun, runs: Path) -> None:
    app = draw("compare", runs, a="asr-small", b="emotion-first")
    assert not app.error
    assert "These runs have no comparable metric" in page_text(app)
    assert "Not compared" in page_text(app)


def test_run_is_not_compared_with_itself(draw: DrawRun, runs: Path) -> None:
    assert "A and B are the same run" in page_text(draw("compare", runs, a="asr-small", b="asr-small"))


def test_default_baseline_has_the_same_task(draw: DrawRun, runs: Path) -> None:
    assert draw("compare", runs, b="quiz-good").selectbox[0].value == "quiz-bad"


def test_custom_code_of_a_run_is_not_executed(draw: DrawRun, hostile_runs: Path) -> None:
    app = draw("compare", hostile_runs, a="custom-code", b="markup-asr")
    assert "which the app does not execute" in app.error[0].value
    assert not (hostile_runs.parent / "executed").exists()


def test_run_with_stale_metrics_is_not_compared(draw: DrawRun, runs: Path, tmp_path: Path) -> None:
    for name in ("asr-small", "asr-large"):
        shutil.copytree(runs / name, tmp_path / name)
    written = (tmp_path / "asr-small" / "metrics.json").stat().st_mtime
    os.utime(tmp_path / "asr-small" / "outputs.jsonl", (written + 10, written + 10))
    app = draw("compare", tmp_path, a="asr-small", b="asr-large")
    assert "are out of date" in app.error[0].value
    assert "auricle score asr-small" in app.error[0].value.replace("\\", "")


def test_at_least_two_runs_are_needed(draw: DrawRun, tmp_path: Path) -> None:
    assert "At least two runs are needed" in page_text(draw("compare", tmp_path))


def test_run_and_load_test_are_not_compared(draw: DrawRun, runs: Path, load_test: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "asr-small", tmp_path / "run")
    shutil.copytree(load_test, tmp_path / "load")
    app = draw("compare", tmp_path, a="run", b="load")
    assert "load is a load test and the other run is not" in page_text(app)
