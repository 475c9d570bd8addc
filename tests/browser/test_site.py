"""The website of runs, opened from the disk in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auricle.report.site import write_site
from tests.support.site_runs import load_runs, make_site_runs


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    write_site(load_runs(make_site_runs(folder / "runs", 12)), folder / "site")
    return folder / "site"


@pytest.fixture
def page(context: Any, site: Path) -> Iterator[Any]:
    """Open the index; fail at the end if the browser complained about anything."""
    complaints: list[str] = []
    page = context.new_page()
    page.set_viewport_size({"width": 1280, "height": 900})
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((site / "index.html").as_uri())
    yield page
    page.close()
    assert complaints == []


def shown_models(page: Any) -> list[str]:
    """Return the arguments of the models in the first table."""
    rows = page.locator("table.sortable").first.locator("tbody tr:visible th")
    return [text.partition("\n")[2] for text in rows.all_inner_texts()]


def test_the_address_restores_filters_and_order(page: Any) -> None:
    everything = shown_models(page)
    assert len(everything) == 4
    page.get_by_label("Columns", exact=True).fill("asr")
    page.get_by_label("Models", exact=True).fill("error_rate=0.05, 0.6")
    for _ in range(2):
        page.get_by_label("Sort by asr-speech WER").click()
    assert shown_models(page) == ["error_rate=0.6", "error_rate=0.05"]
    page.reload()
    assert shown_models(page) == ["error_rate=0.6", "error_rate=0.05"]
    assert page.get_by_label("Models", exact=True).input_value() == "error_rate=0.05, 0.6"
    assert page.locator("#match-count").inner_text() == "2 of 4 models, 1 of 2 columns"
    page.get_by_role("link", name="Columns").first.click()  # the anchor of a section leaves the view as it is
    assert len(shown_models(page)) == 2
    page.get_by_role("button", name="Reset").click()
    assert shown_models(page) == everything


def test_pages_fit_the_window_and_samples_have_addresses(page: Any, site: Path) -> None:
    task = page.locator("th[data-task] a").first.get_attribute("href")
    run = page.locator("table.sortable td a").first.get_attribute("href")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for address in ("index.html", task, run):
            page.goto((site / address).as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width, address
    page.get_by_role("link", name="u003", exact=True).click()
    assert page.url.endswith("#sample-u003")
    page.reload()
    is_in_view = "card => card.matches(':target') && card.getBoundingClientRect().top < innerHeight"
    assert page.locator("[id='sample-u003']").evaluate(is_in_view)
    page.get_by_label("Filter").fill("no such words")
    page.goto(page.url.replace("u003", "u004"))
    assert page.locator("[id='sample-u004']").is_visible()
    page.get_by_role("link", name="Leaderboard").first.click()
    assert page.url.endswith("index.html")
