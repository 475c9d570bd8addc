"""The views of the app in a real browser: results of every kind, clicks that open samples, hostile runs."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.extras import require_extra

require_extra("ui")

from tests.browser.conftest import OpenPage, RunningApp
from tests.support import app_runs
from tests.support.browser import click_mark, wait_until_drawn

CHART = "[data-testid=stVegaLiteChart]"
EXCEPTION = "[data-testid=stException]"


@pytest.fixture(scope="module")
def runs(app: RunningApp) -> Path:
    """Make runs of every kind, hostile ones, a large one and a load test in the runs folder of the app."""
    app_runs.make_runs_of_every_kind(app.runs / "kinds", 16)
    app_runs.make_hostile_runs(app.runs / "hostile", outside=app.runs.parent)
    app_runs.make_large_run(app.runs / "many", "large", 20_000)
    app_runs.make_load_test(app.runs / "load" / "test")
    app_runs.make_two_corpora(app.runs / "corpora")
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


FIND_WIDE_TABLES = """() => Array.from(document.querySelectorAll('.au .wide'))
    .filter(box => box.scrollWidth > box.clientWidth + 1).map(box => box.textContent)"""
"""Returns the texts of tables that scroll sideways."""


def test_two_corpora_are_compared_and_read_as_human_and_generated_speech(open_page: OpenPage) -> None:
    page = open_page("compare?a=corpora/human&b=corpora/generated")
    page.get_by_text("48 samples in A and 32 in B, compared as independent groups").wait_for()
    page.get_by_text("Each run by itself").wait_for()
    page.get_by_text("Both sides have the same model").wait_for()
    page.locator(f"{CHART} svg").nth(2).wait_for()  # both matrices and their difference
    assert not page.evaluate(FIND_WIDE_TABLES)
    assert not page.evaluate(FIND_CUT_OFF_TEXT)
    cells = page.locator(CHART).nth(2).locator("g.mark-rect.role-mark path")
    click_mark(page, cells.first, page.get_by_text(re.compile("^B: .+ → .+")))
    page.get_by_role("link", name=re.compile("Show (all|the)")).first.wait_for()
    page.get_by_text("A is human speech, B is generated speech").click()
    page.get_by_text("Recognised less often in generated: sad").wait_for()
    page.get_by_text("Confused more often in generated: sad as neutral").wait_for()
    assert "names=human" in page.url
    page.set_viewport_size({"width": 390, "height": 900})
    wait_until_drawn(page)
    assert not page.evaluate(FIND_WIDE_TABLES)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


RESULTS = {
    "asr-small": "Worst samples",
    "dimensions-first": "Mean ± standard deviation",
    "music-rough": "Predictions against ratings",
    "pairs-rough": "Always second",
    "quiz-good": "incorrect first",
}

FIND_CUT_OFF_TEXT = """() => Array.from(document.querySelectorAll('[data-testid=stMetric] *'))
    .filter(box => box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).display !== 'inline')
    .map(box => box.textContent)"""
"""Returns the texts of cards that are wider than their boxes."""
FIND_REPEATED_TICKS = """() => Array.from(document.querySelectorAll('[data-testid=stVegaLiteChart] g.role-axis-label'))
    .map(axis => Array.from(axis.querySelectorAll('text')).map(text => text.textContent).filter(Boolean))
    .filter(texts => new Set(texts).size < texts.length)"""
"""Returns the labels of axes on which one is repeated."""


def test_results_of_every_kind_are_shown(open_page: OpenPage, app: RunningApp) -> None:
    page = open_page("home")
    for run, text in RESULTS.items():
        page.goto(f"{app.url}/benchmark?run=kinds/{run}")
        page.get_by_text(text).first.wait_for()
        page.locator(f"{CHART} svg").first.wait_for()
        assert not page.locator(EXCEPTION).count()
        assert page.evaluate(FIND_CUT_OFF_TEXT) == []
        assert page.evaluate(FIND_REPEATED_TICKS) == []


def test_click_on_a_cell_of_the_matrix_leads_to_all_of_its_samples(open_page: OpenPage) -> None:
    page = open_page("benchmark?run=kinds/emotion-first")
    cells = page.locator(f"{CHART} g.mark-rect.role-mark path")
    cells.first.wait_for()
    assert not page.locator("audio").count()
    click_mark(page, cells.first, page.get_by_text("samples labelled angry, predicted"))
    assert first_audio_duration(page) > 0.3
    page.get_by_role("link", name=re.compile("Show (all|the)")).first.click()
    page.get_by_text(re.compile(r"^\d+ of 16 samples\.$")).wait_for()
    assert "filter=label%3Dangry+predicted%3D" in page.url
    page.go_back()
    page.get_by_role("link", name="All samples").click()  # begins without the filter of the last visit
    page.get_by_text("16 of 16 samples.").wait_for()


def test_click_on_a_point_of_the_scatter_plot_plays_it(open_page: OpenPage) -> None:
    page = open_page("benchmark?run=kinds/music-fine")
    points = page.locator(f"{CHART} g.mark-symbol.role-mark path")
    points.first.wait_for()
    assert not page.locator("audio").count()
    click_mark(page, points.first, page.locator("audio").first)
    assert first_audio_duration(page) > 0.3


def test_samples_are_filtered_and_played_with_keys(open_page: OpenPage) -> None:
    page = open_page("samples?run=kinds/asr-small&with=kinds/asr-large&column=accent")
    assert first_audio_duration(page) > 0.3
    page.get_by_text("Sample 1 of 16.").wait_for()
    wait_until_drawn(page)  # keys pressed before have no effect
    page.keyboard.press("j")
    page.get_by_text("Sample 2 of 16.").wait_for()
    assert "sample=u0" in page.url
    wait_until_drawn(page)
    page.keyboard.press("Space")
    page.wait_for_function("document.querySelector('audio').currentTime > 0")
    page.wait_for_function("parseFloat(document.querySelector('.playhead').style.left) > 0")
    page.get_by_text("kinds/asr-large", exact=True).last.click()  # the answer of the second run, with the same player
    wait_until_drawn(page)
    assert page.locator("audio").count() == 1
    filter_input = page.get_by_label("Filter", exact=True)
    filter_input.press_sequentially("kitchen j")
    assert filter_input.input_value() == "kitchen j"
    filter_input.fill("kitchen")
    filter_input.press("Enter")
    page.get_by_text("2 of 16 samples.").wait_for()
    bars = page.locator(f"{CHART} g.mark-rect.role-mark path")
    bars.first.click()
    page.wait_for_url("**filter=kitchen+accent%3D*")


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
    with page.expect_download() as website:
        page.get_by_role("button", name="Website").click()
    with zipfile.ZipFile(website.value.path()) as archive:
        assert "asr-speech WER" in archive.read("leaderboard/index.html").decode()


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
        assert not main.locator("img[src='x'], script:not(#auricle-player)").count(), path
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
