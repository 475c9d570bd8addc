"""The views of the app in a real browser: results of every kind, clicks that open samples, hostile runs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.extras import require_extra

require_extra("ui")

from tests.browser.conftest import OpenPage, RunningApp
from tests.support import app_runs
from tests.support.browser import wait_until_drawn

CHART = "[data-testid=stVegaLiteChart]"
EXCEPTION = "[data-testid=stException]"


@pytest.fixture(scope="module")
def runs(app: RunningApp) -> Path:
    """Make runs of every kind, hostile ones, a large one and a load test in the runs folder of the app."""
    app_runs.make_runs_of_every_kind(app.runs / "kinds", 16)
    app_runs.make_hostile_runs(app.runs / "hostile", outside=app.runs.parent)
    app_runs.make_large_run(app.runs / "many", "large", 20_000)
    app_runs.make_load_test(app.runs / "load" / "test")
    return app.runs


@pytest.fixture
def open_page(visit: OpenPage, runs: Path) -> Iterator[OpenPage]:
    """Return a function that opens a page; at the end, no page may have an exception or an injected script."""
    pages = []

    def open_and_watch(path: str, **options: Any) -> Any:
        page = visit(path, **options)
        page.dialogs = []
        page.on("dialog", lambda dialog: (page.dialogs.append(dialog.message), dialog.dismiss()))
        pages.append(page)
        return page

    yield open_and_watch
    for page in pages:
        assert not page.dialogs
        assert "OWNED" not in page.title()
        assert not page.locator(EXCEPTION).count()


def first_audio_duration(page: Any) -> float:
    """Return the duration of the first player in seconds."""
    page.wait_for_selector("audio", state="attached")
    duration: float = page.evaluate(
        """() => new Promise(resolve => {
            const audio = document.querySelector('audio');
            const finish = () => resolve(audio.duration);
            if (audio.readyState > 0) finish();
            else { audio.addEventListener('loadedmetadata', finish); audio.load(); }
        })"""
    )
    return duration


COMPARISONS = {
    ("asr-small", "asr-large"): "Samples that changed",
    ("emotion-first", "emotion-second"): "How to read it",
    ("dimensions-first", "dimensions-second"): "Shift of means",
    ("music-rough", "music-fine"): "Samples that changed",
    ("pairs-rough", "quiz-good"): "Not compared",
}


def test_runs_of_every_kind_are_compared(open_page: OpenPage, app: RunningApp) -> None:
    page = open_page("home")
    for (a, b), text in COMPARISONS.items():
        page.goto(f"{app.url}/compare?a=kinds/{a}&b=kinds/{b}")
        page.get_by_text(text).first.wait_for()


RESULTS = {
    "asr-small": "Worst samples",
    "dimensions-first": "mean ± sd",
    "pairs-rough": "Always second",
    "quiz-good": "incorrect first",
}


def test_results_of_every_kind_are_shown(open_page: OpenPage, app: RunningApp) -> None:
    page = open_page("home")
    for run, text in RESULTS.items():
        page.goto(f"{app.url}/benchmark?run=kinds/{run}")
        page.get_by_text(text).first.wait_for()
        page.locator(f"{CHART} svg").first.wait_for()
        assert not page.locator(EXCEPTION).count()


def test_click_on_a_cell_of_the_matrix_lists_and_plays_its_samples(open_page: OpenPage) -> None:
    page = open_page("benchmark?run=kinds/emotion-first")
    cells = page.locator(f"{CHART} g.mark-rect.role-mark path")
    cells.first.wait_for()
    assert not page.locator("audio").count()
    cells.first.click()
    page.get_by_text("samples labelled angry, predicted").wait_for()
    assert first_audio_duration(page) > 0.3


def test_click_on_a_point_of_the_scatter_plot_plays_it(open_page: OpenPage) -> None:
    page = open_page("benchmark?run=kinds/music-fine")
    points = page.locator(f"{CHART} g.mark-symbol.role-mark path")
    points.first.wait_for()
    assert not page.locator("audio").count()
    points.first.scroll_into_view_if_needed()
    box = points.first.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert first_audio_duration(page) > 0.3


def test_samples_are_searched_opened_and_played(open_page: OpenPage) -> None:
    page = open_page("samples?run=kinds/asr-small")
    assert first_audio_duration(page) > 0.3
    search = page.get_by_role("textbox", name="Search")
    search.fill("kitchen")
    search.press("Enter")
    page.get_by_text("2 of 16 samples.").wait_for()


def test_twenty_thousand_samples_are_shown_page_by_page(open_page: OpenPage) -> None:
    page = open_page("samples?run=many/large")
    page.get_by_text("20,000 of 20,000 samples.").wait_for()
    assert first_audio_duration(page) > 0.3


def test_leaderboard_can_be_downloaded(open_page: OpenPage) -> None:
    page = open_page("leaderboard")
    with page.expect_download() as download:
        page.get_by_role("button", name="Markdown").click()
    assert download.value.suggested_filename == "leaderboard.md"
    assert "asr-speech WER" in download.value.path().read_text()


def test_load_test_shows_validity_first(open_page: OpenPage) -> None:
    page = open_page("performance?run=load/test")
    page.get_by_text("Load point details").wait_for()
    assert "valid" in page.locator("[data-testid=stAlert]").first.inner_text()


HOSTILE_PATHS = (
    "samples?run=hostile/markup-asr",
    "samples?run=hostile/markup-labels",
    "compare?a=hostile/markup-asr&b=hostile/custom-code",
    "compare?a=hostile/markup-labels&b=hostile/truncated",
    "benchmark?run=hostile/markup-labels",
    "benchmark?run=hostile/markup-asr",
    "leaderboard",
)


def test_markup_in_a_run_is_shown_as_text(open_page: OpenPage, app: RunningApp) -> None:
    page = open_page("home")
    main = page.locator("[data-testid=stMain]")
    for path in HOSTILE_PATHS:
        page.goto(f"{app.url}/{path}")
        main.locator("h1").wait_for()
        wait_until_drawn(page)
        assert not main.locator("img[src='x'], script").count(), path
        assert not main.locator("a[href^='javascript'], img[src*='127.0.0.1:9']").count(), path
    assert not (app.runs.parent / "executed").exists()


def test_broken_runs_have_a_message(open_page: OpenPage, app: RunningApp) -> None:
    page = open_page("home")
    for run in ("truncated", "binary", "malformed", "linked", "no-spec", "perf-truncated"):
        page.goto(f"{app.url}/benchmark?run=hostile/{run}")
        page.locator("[data-testid=stAlert]").first.wait_for()


def test_audio_outside_the_allowed_folders_is_not_played(open_page: OpenPage) -> None:
    page = open_page("samples?run=hostile/outside-audio")
    page.get_by_text("outside the folders the app may read").first.wait_for()
    assert not page.locator("audio").count()


def test_samples_fit_a_phone(open_page: OpenPage) -> None:
    page = open_page("samples?run=kinds/asr-small", width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
