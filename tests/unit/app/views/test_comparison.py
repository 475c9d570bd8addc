"""Tests of the comparison of two runs."""

import shutil
from pathlib import Path

import pytest

from tests.support.app_pages import count_charts, page_text
from tests.unit.app.conftest import DrawRun

pytestmark = pytest.mark.slow


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
