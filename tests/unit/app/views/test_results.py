"""Tests of which sections the results of a run have."""

from pathlib import Path

import pytest

from tests.support.app_pages import page_text
from tests.unit.app.conftest import DrawRun

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("run", "section"),
    [
        ("asr-small", "Kinds of error"),
        ("emotion-first", "Confusions"),
        ("dimensions-first", "Dimensions"),
        ("music-fine", "Predictions against ratings"),
        ("pairs-rough", "Pairwise preferences"),
        ("quiz-bad", "Answers"),
    ],
)
def test_results_have_the_section_of_their_kind(draw: DrawRun, runs: Path, run: str, section: str) -> None:
    app = draw("benchmark", runs, run=run)
    assert not app.error
    assert section in [subheader.value for subheader in app.subheader]


def test_incorrect_answers_come_first(draw: DrawRun, runs: Path) -> None:
    text = page_text(draw("benchmark", runs, run="quiz-bad"))
    assert "incorrect; incorrect first." in text
    assert 'class="incorrect"' in text


def test_run_that_is_not_scored_yet_is_reported(draw: DrawRun, runs: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "spec.json").write_bytes((runs / "asr-small" / "spec.json").read_bytes())
    app = draw("benchmark", tmp_path, run="new")
    assert "has not been scored yet" in app.error[0].value.replace("\\", "")


def test_results_of_a_load_test_are_its_load_points(draw: DrawRun, load_test: Path) -> None:
    assert "Load points" in page_text(draw("benchmark", load_test.parent, run="load"))
