"""The app's views as a visitor sees them: every kind, clicks that open samples, hostile runs."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("streamlit", reason="streamlit is not installed")

from auricle.metrics import statistics
from tests.support import app_runs as ui_runs

CHART = "[data-testid=stVegaLiteChart]"


@pytest.fixture(scope="module")
def shown(app: Any) -> Any:
    """Runs of every kind, hostile ones, a large one and a load test, on the app's shelf."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(statistics, "BOOTSTRAP_ROUNDS", 20)
        ui_runs.every_kind(app.runs / "kinds", 16)
        ui_runs.hostile(app.runs / "hostile", outside=app.runs.parent)
        ui_runs.large(app.runs / "many", "large", 20_000)
    ui_runs.served(app.runs / "load" / "test")
    return app.runs


@pytest.fixture
def look(visit: Any, shown: Any) -> Iterator[Any]:
    """A page of the app; nothing on it may have failed, or asked anybody else."""
    pages = []

    def open_page(path: Any, **how: Any) -> Any:
        page = visit(path, **how)
        page.dialogs = []
        page.on("dialog", lambda dialog: (page.dialogs.append(dialog.message), dialog.dismiss()))
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        assert not page.dialogs
        assert "OWNED" not in page.title()
        assert not page.locator("[data-testid=stException]").count()


def text(page: Any) -> Any:
    return page.locator("[data-testid=stMain]").inner_text()


def settled(page: Any) -> None:
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")


def plays(page: Any) -> Any:
    """How many seconds the first player would play."""
    page.wait_for_selector("audio", state="attached")
    return page.evaluate(
        """() => new Promise(done => {
            const sound = document.querySelector('audio');
            const tell = () => done(sound.duration);
            if (sound.readyState > 0) tell();
            else { sound.addEventListener('loadedmetadata', tell); sound.load(); }
        })"""
    )


COMPARED = {
    ("asr-small", "asr-large"): "Samples that changed",
    ("emotion-first", "emotion-second"): "How to read it",
    ("dimensions-first", "dimensions-second"): "Shifts of the means",
    ("music-rough", "music-fine"): "Samples that changed",
    ("pairs-rough", "quiz-good"): "Not compared",
}


def test_two_runs_of_any_kind_stand_beside_each_other(look: Any, app: Any) -> None:
    page = look("home")
    for (a, b), said in COMPARED.items():
        page.goto(f"{app.url}/compare?a=kinds/{a}&b=kinds/{b}")
        page.get_by_text(said).first.wait_for()


FOUND = {
    "asr-small": "Worst samples",
    "dimensions-first": "mean ± sd",
    "pairs-rough": "Always b",
    "quiz-good": "wrong ones first",
}


def test_results_of_every_kind_are_shown(look: Any, app: Any) -> None:
    page = look("home")
    for run, said in FOUND.items():
        page.goto(f"{app.url}/benchmark?run=kinds/{run}")
        page.get_by_text(said).first.wait_for()
        page.locator(f"{CHART} svg").first.wait_for()
        assert not page.locator("[data-testid=stException]").count()


def test_a_click_on_a_cell_of_the_matrix_lists_its_samples_and_plays_them(look: Any) -> None:
    page = look("benchmark?run=kinds/emotion-first")
    cells = page.locator(f"{CHART} g.mark-rect.role-mark path")
    cells.first.wait_for()
    assert not page.locator("audio").count()
    cells.first.click()
    page.get_by_text("samples of angry that the model calls").wait_for()
    assert plays(page) > 0.3


def test_a_click_on_a_point_of_the_scatter_plays_it(look: Any) -> None:
    page = look("benchmark?run=kinds/music-fine")
    points = page.locator(f"{CHART} g.mark-symbol.role-mark path")
    points.first.wait_for()
    assert not page.locator("audio").count()
    points.first.scroll_into_view_if_needed()
    box = points.first.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert plays(page) > 0.3


def test_samples_are_found_opened_and_played(look: Any) -> None:
    page = look("samples?run=kinds/asr-small")
    assert plays(page) > 0.3
    search = page.get_by_role("textbox", name="Search")
    search.fill("kitchen")
    search.press("Enter")
    page.get_by_text("2 of 16 samples.").wait_for()


def test_twenty_thousand_samples_are_a_page_at_a_time(look: Any) -> None:
    page = look("samples?run=many/large")
    page.get_by_text("20,000 of 20,000 samples.").wait_for()
    assert plays(page) > 0.3


def test_the_leaderboard_can_be_taken_away(look: Any) -> None:
    page = look("leaderboard")
    with page.expect_download() as taken:
        page.get_by_role("button", name="Markdown").click()
    assert taken.value.suggested_filename == "leaderboard.md"
    assert "asr-speech WER" in taken.value.path().read_text()


def test_a_load_test_tells_validity_first(look: Any) -> None:
    page = look("performance?run=load/test")
    page.get_by_text("Point by point").wait_for()
    first = page.locator("[data-testid=stAlert]").first.inner_text()
    assert "valid" in first or "believed" in first


HOSTILE = (
    "samples?run=hostile/liar-asr",
    "samples?run=hostile/liar-labels",
    "compare?a=hostile/liar-asr&b=hostile/coded",
    "compare?a=hostile/liar-labels&b=hostile/torn",
    "benchmark?run=hostile/liar-labels",
    "benchmark?run=hostile/liar-asr",
    "leaderboard",
)


def test_markup_in_a_run_is_shown_to_the_letter(look: Any, app: Any) -> None:
    page = look("home")
    main = page.locator("[data-testid=stMain]")
    for address in HOSTILE:
        page.goto(f"{app.url}/{address}")
        main.locator("h1").wait_for()
        settled(page)
        assert not main.locator("img[src='x'], script").count(), address
        assert not main.locator("a[href^='javascript'], img[src*='127.0.0.1:9']").count(), address
    assert not (app.runs.parent / "owned").exists()


def test_a_broken_run_is_told(look: Any, app: Any) -> None:
    page = look("home")
    for run in ("torn", "rubbish", "odd-shape", "linked", "no-spec", "perf-torn"):
        page.goto(f"{app.url}/benchmark?run=hostile/{run}")
        page.locator("[data-testid=stAlert]").first.wait_for()


def test_sounds_outside_the_shelf_are_not_played(look: Any) -> None:
    page = look("samples?run=hostile/astray")
    page.get_by_text("outside the folders").first.wait_for()
    assert not page.locator("audio").count()


def test_results_fit_a_phone(look: Any) -> None:
    page = look("samples?run=kinds/asr-small", width=390)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390
