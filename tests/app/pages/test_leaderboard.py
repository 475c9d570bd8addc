"""Tests of the leaderboard page."""

from pathlib import Path

import pytest

from auricle.app.pages.leaderboard import split_columns
from auricle.core.signature import Signature
from auricle.studies.leaderboards.table import Column
from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import page_text

pytestmark = pytest.mark.slow


def test_comparable_runs_share_a_column(draw: DrawRun, runs: Path) -> None:
    text = page_text(draw("leaderboard", runs))
    for header in ("asr-speech WER ↓", "classify-ravdess Accuracy ↑", "classify-ravdess η² ↑"):
        assert header in text


def test_names_of_models_break_between_words(draw: DrawRun, runs: Path) -> None:
    assert "support.<wbr>app_<wbr>runs:<wbr>Recogniser" in page_text(draw("leaderboard", runs))


def test_leaderboard_can_be_downloaded(draw: DrawRun, runs: Path) -> None:
    buttons = draw("leaderboard", runs).get("download_button")
    assert [button.proto.label for button in buttons] == ["Website", "CSV", "Markdown", "LaTeX"]


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


def test_columns_are_split_into_tables_that_fit_and_keep_tasks_together() -> None:
    def column(task: str, metric: str) -> Column:
        return Column(Signature.parse(f"{task}:1|d|R|{metric}:1|m|a"), metric, metric, True, "share")

    counts = {"a": 3, "b": 3, "c": 2, "d": 7}
    columns = [column(task, f"m{index}") for task, count in counts.items() for index in range(count)]
    tables = split_columns(columns)
    assert [len(table) for table in tables] == [3, 5, 5, 2]
    assert [column for table in tables for column in table] == columns
    assert {column.signature.task for column in tables[1]} == {"b:1", "c:1"}


def test_a_table_has_only_the_models_with_a_result_in_it(draw: DrawRun, runs: Path) -> None:
    first, second, *_ = page_text(draw("leaderboard", runs)).split("<table")[1:]
    assert first.count("Recogniser") == 2
    assert "Recogniser" not in second
