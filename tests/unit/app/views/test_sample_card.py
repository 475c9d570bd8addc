"""Tests of sample cards."""

from pathlib import Path

import pytest

from auricle.app.views.sample_card import build_alignment, build_metadata_chips, format_score
from auricle.text import split_words
from tests.support import app_runs
from tests.support.app_pages import page_text
from tests.unit.app.conftest import DrawRun

ACCURACY = {"metric": "accuracy", "unit": "share", "higher_is_better": True}
RATING = {"metric": "lcc", "unit": "", "higher_is_better": True}


def test_audio_outside_the_allowed_folders_is_not_played(draw: DrawRun, hostile_runs: Path) -> None:
    app = draw("samples", hostile_runs, run="outside-audio")
    assert not app.get("audio")
    assert "outside the folders the app may read" in page_text(app)


@pytest.mark.parametrize(
    ("row", "number", "text"),
    [
        ({"stat.accuracy": 1.0}, ACCURACY, "correct"),
        ({"stat.accuracy": 0.0}, ACCURACY, "incorrect"),
        ({"stat.accuracy": float("nan")}, ACCURACY, ""),
        ({"stat.lcc": 2.0, "reference.lcc": 3.5}, RATING, "error 1.5"),
        ({}, None, ""),
    ],
)
def test_score_is_formatted(row: dict[str, float], number: dict[str, object] | None, text: str) -> None:
    assert format_score(row, number) == text


def test_alignment_marks_deleted_and_inserted_words() -> None:
    assert build_alignment("turn it on", "turn on", split_words) == "turn <del>it</del> on"
    assert build_alignment("turn it on", "turn it up", split_words) == "turn it <del>on</del> <ins>up</ins>"


def test_alignment_escapes_markup() -> None:
    assert "<script" not in build_alignment(app_runs.SCRIPT, "x", split_words)


def test_metadata_without_values_has_no_chips() -> None:
    assert build_metadata_chips({}) is None
    assert "north" in str(build_metadata_chips({"accent": "north"}))
