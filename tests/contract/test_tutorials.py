"""The tutorials that need no fresh environment, executed as their readers do; `test_first_hour.py` has the others."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support import paths, tutorials

pytestmark = pytest.mark.slow
TUTORIALS = paths.DOCS / "tutorials"


def run_tutorial(name: str, folder: Path) -> dict[str, str]:
    return tutorials.run_page(TUTORIALS / f"{name}.md", folder, Path(sys.prefix))


def test_an_author_of_a_model_evaluates_it(tmp_path: Path) -> None:
    run_tutorial("evaluate-your-model", tmp_path)


def test_a_researcher_compares_two_checkpoints(tmp_path: Path) -> None:
    run_tutorial("evaluate-checkpoints", tmp_path)


def test_an_emotion_lab_compares_two_models_on_its_recordings(tmp_path: Path) -> None:
    run_tutorial("evaluate-emotion", tmp_path)
    for page in ("runs/level/report.html", "compare.html"):
        assert (tmp_path / page).read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_user_of_an_api_stays_within_a_budget(tmp_path: Path) -> None:
    run_tutorial("evaluate-an-api", tmp_path)


def test_a_team_compares_two_models(tmp_path: Path) -> None:
    run_tutorial("compare-two-models", tmp_path)


def test_a_builder_of_a_voice_agent_calls_it(tmp_path: Path) -> None:
    run_tutorial("call-a-voice-agent", tmp_path)


def test_a_sceptic_finds_where_a_model_breaks(tmp_path: Path) -> None:
    run_tutorial("find-where-it-breaks", tmp_path)


def test_every_tutorial_is_executed() -> None:
    tests = "".join(
        (paths.ROOT / "tests" / "contract" / name).read_text() for name in ("test_first_hour.py", "test_tutorials.py")
    )
    assert [page.stem for page in TUTORIALS.glob("*.md") if page.stem not in tests] == []
