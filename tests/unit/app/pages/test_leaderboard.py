"""Tests of the leaderboard page."""

from pathlib import Path

import pytest

from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import page_text

pytestmark = pytest.mark.slow


def test_comparable_runs_share_a_column(draw: DrawRun, runs: Path) -> None:
    text = page_text(draw("leaderboard", runs))
    for header in ("asr-speech WER ↓", "classify-ravdess Accuracy ↑", "classify-ravdess η² ↑"):
        assert header in text


def test_leaderboard_can_be_downloaded(draw: DrawRun, runs: Path) -> None:
    buttons = draw("leaderboard", runs).get("download_button")
    assert [button.proto.label for button in buttons] == ["CSV", "Markdown", "LaTeX"]


def test_all_metrics_can_be_shown(draw: DrawRun, runs: Path) -> None:
    app = draw("leaderboard", runs, fresh=True)
    assert "asr-speech CER ↓" not in page_text(app)
    app.toggle(key="leaderboard-all-metrics").set_value(True).run()
    assert "asr-speech CER ↓" in page_text(app)


def test_runs_that_cannot_be_read_are_listed_as_skipped(draw: DrawRun, hostile_runs: Path) -> None:
    text = page_text(draw("leaderboard", hostile_runs))
    assert "Skipped: truncated: " in text
    assert "metrics.json is not valid JSON" in text


def test_workspace_without_metrics_has_no_leaderboard(draw: DrawRun, tmp_path: Path) -> None:
    assert "No run has metrics yet." in page_text(draw("leaderboard", tmp_path))
