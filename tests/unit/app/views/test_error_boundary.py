"""Tests of how damaged and hostile runs are shown."""

from pathlib import Path

import pytest

from tests.support.app_pages import page_text
from tests.unit.app.conftest import DrawRun


@pytest.mark.parametrize("run", ["markup-asr", "markup-labels"])
def test_markup_of_a_run_is_escaped_in_results(draw: DrawRun, hostile_runs: Path, run: str) -> None:
    text = page_text(draw("benchmark", hostile_runs, run=run))
    for element in ("<script", "<img"):
        assert element not in text.replace(f"\\{element}", "")
    assert "&lt;script" in text or "\\<script" in text


@pytest.mark.parametrize("page", ["samples", "compare", "leaderboard"])
def test_markup_of_a_run_is_escaped_on_every_page(draw: DrawRun, hostile_runs: Path, page: str) -> None:
    app = draw(page, hostile_runs, run="markup-asr", a="markup-asr", b="markup-labels")
    assert "<script" not in page_text(app).replace("\\<script", "")
    markdown = page_text(app, include_html=False)
    assert "![" not in markdown
    assert "](javascript" not in markdown


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("truncated", "is not valid JSON"),
        ("binary", "is not valid JSON"),
        ("malformed", "This run's files are malformed"),
        ("perf-truncated", "is not valid JSON"),
    ],
)
def test_damaged_file_is_reported_in_one_line(draw: DrawRun, hostile_runs: Path, run: str, message: str) -> None:
    app = draw("benchmark", hostile_runs, run=run)
    assert message in app.error[0].value.replace("\\", "")


def test_run_with_metrics_linked_elsewhere_is_rejected(draw: DrawRun, hostile_runs: Path) -> None:
    app = draw("benchmark", hostile_runs, run="linked")
    assert "is a symbolic link to a path outside the runs folder" in app.error[0].value.replace("\\", "")
