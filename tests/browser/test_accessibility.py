"""Every page in a real browser, checked by axe-core in light and dark, and used with the keyboard."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.extras import require_extra

require_extra("ui")

from auricle.studies.leaderboards.site import SiteOptions, write_site
from tests.browser.conftest import OpenPage, RunningApp
from tests.support import app_runs
from tests.support.axe import COLOUR_RULES, find_violations, load_axe
from tests.support.browser import wait_until_drawn
from tests.support.site_runs import load_runs

pytestmark = pytest.mark.slow
PAGES = {
    "": "Runs",
    "inference": "Models",
    "benchmark": "New run",
    "benchmark?run=access/asr-small": "Worst samples",
    "benchmark?run=access/emotion-first": "Per class",
    "benchmark?run=access/dimensions-first": "Predictions against ratings",
    "benchmark?run=access/pairs-rough": "Pairwise preferences",
    "benchmark?run=access/quiz-good": "Answers",
    "samples?run=access/asr-small": "samples.",
    "compare?a=access/asr-small&b=access/asr-large": "Samples that changed",
    "compare?a=access/emotion-first&b=access/emotion-second": "Confusions",
    "leaderboard": "Quality against speed",
    "performance?run=access/load": "Load points",
}
"""A text of each page."""


@pytest.fixture(scope="module")
def axe() -> str:
    return load_axe()


@pytest.fixture(scope="module")
def runs(app: RunningApp) -> Path:
    """Make runs of every kind and a load test in the runs folder of the app."""
    folder = app_runs.make_runs_of_every_kind(app.runs / "access", 16)
    app_runs.make_load_test(folder / "load")
    return folder


def check_in_both_themes(page: Any, axe: str) -> list[str]:
    """Check an open page in light and then in dark, to which it must change by itself."""
    violations = []
    for scheme, rules in (("light", ()), ("dark", COLOUR_RULES)):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(300)  # colours fade
        violations += [f"{page.url} {scheme}: {line}" for line in find_violations(page, axe, *rules)]
    return violations


def test_axe_finds_nothing_serious_in_the_app(visit: OpenPage, app: RunningApp, runs: Path, axe: str) -> None:
    page, violations = visit(), []
    for path, text in PAGES.items():
        page.emulate_media(color_scheme="light")
        page.goto(f"{app.url}/{path}")
        page.get_by_text(text).first.wait_for()
        wait_until_drawn(page)
        violations += check_in_both_themes(page, axe)
    assert not violations, "\n".join(violations)


def test_axe_finds_nothing_serious_in_reports_and_websites(context: Any, runs: Path, axe: str, tmp_path: Path) -> None:
    models = load_runs([runs / "asr-small", runs / "asr-large"])
    write_site(models, tmp_path / "site", SiteOptions(audio=True, samples=1))
    reports = [runs / name / "report.html" for name in ("emotion-first", "dimensions-first", "load")]
    page, violations = context.new_page(), []
    for file in (*reports, *(tmp_path / "site").rglob("*.html")):
        page.goto(file.as_uri())
        violations += check_in_both_themes(page, axe)
    page.close()
    assert not violations, "\n".join(violations)


def test_cells_of_a_matrix_are_opened_with_the_keyboard(visit: OpenPage, runs: Path) -> None:
    page = visit("benchmark?run=access/emotion-first")
    page.locator("summary").filter(has_text="As a table").focus()
    page.keyboard.press("Enter")
    cells = page.get_by_role("region", name="Table: True label").get_by_role("link")
    cells.first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/samples?run=access*filter=label*predicted*")
