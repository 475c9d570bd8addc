"""The form for a new run in a real browser."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from auricle.runs.metrics import read_metrics
from auricle.scoring.confusion_matrix import ConfusionMatrix
from tests.browser.conftest import OpenPage, RunningApp
from tests.support.browser import choose_model, choose_with_mouse, click_mark
from tests.support.emotion_corpora import RAVDESS_SPEECH

COUNT_KEYS = "() => { window.keys = 0; window.addEventListener('keydown', () => window.keys++, true); }"


@pytest.fixture
def ravdess(app: RunningApp) -> None:
    """Write sixteen recordings with the names of RAVDESS."""
    for index, name in enumerate(RAVDESS_SPEECH):
        path = app.allowed / "corpora" / "RAVDESS" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(path, 0.2 * np.sin(np.arange(4_000) / (5 + index)), 16_000)


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def pick_folder(page: Any, *folders: str) -> None:
    """Enter these folders in the picker, and choose the last one."""
    press(page, "Browse")
    picker = page.get_by_role("dialog")
    for folder in folders:
        picker.get_by_role("button", name=folder, exact=True).click()
    picker.get_by_text("2 folders").wait_for()
    picker.get_by_role("button", name="Choose this folder").click()
    picker.wait_for(state="detached")


def find_cell(run: Path) -> int:
    """Return the position of a cell of the matrix that has samples; which ones depends on the paths of recordings."""
    number = next(number for number in read_metrics(run).overall if "matrix" in number.details)
    counts = [cell.count for row in ConfusionMatrix.from_details(number.details).cells for cell in row]
    return next(position for position, count in enumerate(counts) if count)


@pytest.mark.usefixtures("ravdess")
def test_ravdess_is_run_from_a_folder_picker_to_a_matrix_cell_without_the_keyboard(
    visit: OpenPage, app: RunningApp
) -> None:
    page = visit("benchmark", height=1300)
    page.evaluate(COUNT_KEYS)
    choose_model(page, "Model: moonshine", "fake-labels", is_fake=True)
    choose_with_mouse(page, "Task", "ravdess")
    page.get_by_text("ravdess: Root folder is missing").wait_for()
    assert page.get_by_role("button", name="Start", exact=True).is_disabled()
    pick_folder(page, str(app.allowed), "corpora", "RAVDESS")
    choose_with_mouse(page, "Part", "both")
    command = page.locator(".st-key-new-run").get_by_test_id("stCode")
    command.get_by_text("part=both").wait_for()
    assert f"auricle run ravdess -m fake-labels -T root={app.allowed}/corpora/RAVDESS" in command.inner_text()
    command.hover()
    command.get_by_role("button").wait_for()  # copies the command
    press(page, "Start")
    page.get_by_role("link", name="Results of ravdess-fake-labels").click(timeout=60_000)
    page.wait_for_url("**/benchmark?run=ravdess-fake-labels")
    cells = page.locator("[data-testid=stVegaLiteChart] g.mark-rect.role-mark path")
    cells.first.wait_for()
    click_mark(page, cells.nth(find_cell(app.runs / "ravdess-fake-labels")), page.get_by_text("samples labelled").first)
    page.locator("audio").first.wait_for()
    page.get_by_role("link", name="All runs").click()
    page.get_by_role("heading", name="New run").wait_for()
    page.wait_for_url("**/benchmark")
    assert page.evaluate("window.keys") == 0
