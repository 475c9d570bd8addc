"""The first hour of new users: the tutorials, executed in a fresh virtual environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import paths, tutorials
from tests.support.fresh_environment import make_environment

pytestmark = pytest.mark.slow
TUTORIALS = paths.DOCS / "tutorials"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an environment with nothing in it; the first tutorial installs Auricle, as its reader does."""
    return make_environment(tmp_path_factory.mktemp("fresh"), ("auricle[demo,api]", "pytest", "ruff"))


def test_a_newcomer_evaluates_a_recogniser(environment: Path, tmp_path: Path) -> None:
    outputs = tutorials.run_page(TUTORIALS / "first-evaluation.md", tmp_path, environment)
    assert any("30 samples" in text and "12 answered before" in text for text in outputs.values())


def test_a_researcher_scores_recordings_and_compares_two_models(environment: Path, tmp_path: Path) -> None:
    outputs = tutorials.run_page(TUTORIALS / "score-your-recordings.md", tmp_path, environment)
    resumed = next(text for text in outputs.values() if "7 samples" in text)
    assert "6 answered before" in resumed
    for page in ("runs/interviews-moonshine/report.html", "runs/sphinx/report.html", "compare.html"):
        assert (tmp_path / page).read_text(encoding="utf-8").startswith("<!doctype html>")


def test_an_engineer_compares_two_servers(environment: Path, tmp_path: Path) -> None:
    tutorials.run_page(TUTORIALS / "choose-a-server.md", tmp_path, environment)
    for page in ("runs/load-fast/report.html", "servers.html"):
        assert (tmp_path / page).read_text(encoding="utf-8").startswith("<!doctype html>")


def test_an_author_publishes_a_benchmark_and_a_model(environment: Path, tmp_path: Path) -> None:
    tutorials.run_page(TUTORIALS / "publish-a-benchmark.md", tmp_path, environment)
    assert (tmp_path / "sounds.html").read_text(encoding="utf-8").startswith("<!doctype html>")
