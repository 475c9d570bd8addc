"""Tests of the page that shows load tests."""

from pathlib import Path

from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import page_text


def test_page_without_load_tests_shows_how_to_create_one(draw: DrawRun, runs: Path) -> None:
    assert "Run `auricle perf TASK" in page_text(draw("performance", runs))


def test_newest_load_test_is_selected(draw: DrawRun, load_test: Path) -> None:
    app = draw("performance", load_test.parent)
    assert app.selectbox[0].label == "Load test"
    assert app.selectbox[0].value == "load"
