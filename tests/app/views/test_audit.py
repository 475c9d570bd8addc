"""Labelling replies in the app."""

import shutil
from pathlib import Path

import pytest

from auricle.runs.run_directory import Run
from auricle.studies.readings.document import read_audit, write_audit
from auricle.studies.readings.report import draw_audit
from auricle.tasks.labels.metrics import option_accuracy
from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import page_text


@pytest.fixture
def audited(runs: Path, tmp_path: Path) -> Path:
    """A folder with a copy of a run of which three replies were drawn."""
    path = Path(shutil.copytree(runs / "quiz-bad", tmp_path / "runs" / "quiz"))
    write_audit(path, draw_audit(Run.load(path).records(), option_accuracy, count=3, seed=0))
    return path


def test_a_run_without_an_audit_names_the_command(draw: DrawRun, runs: Path) -> None:
    assert "Run `auricle audit quiz-bad` to draw replies." in page_text(draw("benchmark", runs, run="quiz-bad"))


def test_runs_that_read_no_replies_have_no_audit(draw: DrawRun, runs: Path) -> None:
    assert "Check how answers were read" not in [
        each.label for each in draw("benchmark", runs, run="asr-small").expander
    ]


def test_buttons_store_labels_and_go_on_to_the_next_reply(draw: DrawRun, audited: Path) -> None:
    app = draw("benchmark", audited.parent, fresh=True, run="quiz")
    assert "0 of 3 replies labelled" in page_text(app)
    for position, name in enumerate(("Right", "Wrong", "Right"), 1):
        assert app.number_input[0].value == position
        next(button for button in app.button if button.label == name).click().run()
        assert not app.exception
    audit = read_audit(audited)
    assert audit
    assert [item.label for item in audit.items] == ["right", "wrong", "right"]
    assert "Answers read right (option_accuracy): 66.67" in page_text(app).replace("\u202f", " ")
