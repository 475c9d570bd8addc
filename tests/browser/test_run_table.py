"""The table of runs in a real browser: filter, ticks, notes, the trash, and opening a run."""

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from auricle.runs.run_notes import read_run_notes
from tests.browser.conftest import OpenPage, RunningApp
from tests.support.app_runs import make_run, write_quiz_data
from tests.support.browser import wait_until_drawn

ROW_HEIGHT = 35


@pytest.fixture(scope="module", autouse=True)
def _runs(app: RunningApp) -> None:
    """Make three runs with different numbers."""
    data = write_quiz_data(app.allowed, 12)
    for name, accuracy in (("table-bad", 0.1), ("table-fair", 0.6), ("table-good", 1.0)):
        make_run(app.runs / name, "mcq", data, "MultipleChoice", accuracy=accuracy)


def filter_runs(page: Any, text: str) -> None:
    box = page.get_by_role("textbox", name="Filter runs")
    box.fill(text)
    box.press("Enter")
    page.wait_for_timeout(300)
    wait_until_drawn(page)


def wait_for_count(page: Any, count: int) -> None:
    """Wait until the table has as many runs; other texts of the page also have the form "3 of 8"."""
    page.get_by_text(re.compile(rf"^{count} of \d+ runs")).wait_for()


def click_row(page: Any, row: int, x: int) -> None:
    """Click into the drawn table, at a distance from its left edge; the boxes for ticks are 30 pixels wide."""
    page.get_by_test_id("stDataFrame").click(position={"x": x, "y": ROW_HEIGHT * (row + 1) + ROW_HEIGHT // 2})
    wait_until_drawn(page)


def tick_row(page: Any, row: int, count: int) -> None:
    """Tick a row, so that `count` are ticked; a click into a table that is still being drawn is lost, and repeated."""
    from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

    for _ in range(3):
        click_row(page, row, 16)
        with suppress(PlaywrightTimeoutError):
            page.get_by_text(f"{count} ticked").wait_for(timeout=6000)
            return
    pytest.fail(f"row {row} was not ticked")


def wait_for_tag(page: Any, tag: str, *runs: Path) -> None:
    """Wait until the tag is stored."""
    for _ in range(100):
        if all(tag in read_run_notes(run).tags for run in runs):
            return
        page.wait_for_timeout(100)
    pytest.fail(f"{tag} was not stored")


def test_ticked_runs_are_compared_tagged_deleted_and_restored(visit: OpenPage, app: RunningApp) -> None:
    page = visit()
    filter_runs(page, "name:table -bad")
    wait_for_count(page, 2)
    tick_row(page, 0, 1)
    tick_row(page, 1, 2)
    numbers = page.locator(".au table", has_text="table-good")
    numbers.wait_for()
    assert {"table-good", "table-fair"} <= set(numbers.locator("th").all_inner_texts())
    assert page.get_by_role("link", name="Compare sample by sample").is_visible()
    page.get_by_text("Tag", exact=True).click()
    tags = page.get_by_role("textbox", name="Tags")
    tags.fill("paper")
    page.get_by_test_id("stForm").filter(has=tags).get_by_role("button", name="Save").click()
    page.keyboard.press("Escape")
    filter_runs(page, "tag:paper")  # at once: the tags are stored nevertheless
    wait_for_tag(page, "paper", app.runs / "table-good", app.runs / "table-fair")
    wait_for_count(page, 2)
    tick_row(page, 0, 1)
    page.get_by_role("button", name="Delete").click()
    page.get_by_text("Trash (1)").click()
    page.get_by_role("button", name="Restore").click()
    page.get_by_text("Trash (1)").wait_for(state="detached")
    assert (app.runs / "table-good" / "spec.json").exists()
    assert (app.runs / "table-fair" / "spec.json").exists()


@pytest.mark.parametrize("path", ["", "benchmark"])
def test_click_on_a_name_opens_the_run(visit: OpenPage, path: str) -> None:
    page = visit(path)
    filter_runs(page, "table-bad")
    wait_for_count(page, 1)
    click_row(page, 0, 80)
    page.wait_for_url("**/benchmark?run=table-bad")
    page.get_by_role("heading", name="table-bad").wait_for()


def test_table_fits_a_phone(visit: OpenPage) -> None:
    page = visit(width=390, height=844)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
