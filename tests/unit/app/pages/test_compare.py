"""Tests of the page that compares runs."""

import shutil
from pathlib import Path

import pytest

from tests.support.app_pages import count_charts, page_text
from tests.support.journal_lines import change_line
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
    journal = tmp_path / "asr-small" / "outputs.jsonl"
    first = journal.read_bytes().splitlines()[0]
    journal.write_bytes(journal.read_bytes() + change_line(first, id="added"))
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


# --- the comparison of two runs ------------------------------------------------------------


def test_recognisers_are_compared_sample_by_sample(draw: DrawRun, runs: Path) -> None:
    app = draw("compare", runs, a="asr-small", b="asr-large")
    assert "WER" in app.metric[0].label
    assert "16 pairs" in page_text(app)
    assert "Samples that changed" in [subheader.value for subheader in app.subheader]
    assert "<del>" in page_text(app)


def test_classifiers_have_both_matrices_and_their_difference(draw: DrawRun, runs: Path) -> None:
    app = draw("compare", runs, a="emotion-first", b="emotion-second")
    assert count_charts(app) == 3
    assert "How to read it" in page_text(app)
    assert "Predicted label" in page_text(app)


def test_models_of_dimensions_have_shifts_but_no_matrix(draw: DrawRun, runs: Path) -> None:
    app = draw("compare", runs, a="dimensions-first", b="dimensions-second")
    assert not count_charts(app)
    assert "Shift of means" in page_text(app)


def test_load_tests_are_compared_as_on_the_command_line(draw: DrawRun, load_test: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        shutil.copytree(load_test, tmp_path / name)
    app = draw("compare", tmp_path, a="a", b="b")
    assert not app.error
    assert "constant:5" in app.code[0].value
