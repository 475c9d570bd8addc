"""Measure how long every page of the app takes with runs of 50,000 samples, and the table of 500 runs, in a browser.

A page is ready when its main content is visible and Streamlit is idle. The first visit reads the run; later visits use
the cache. A page without a run shows what the machine, the browser and Streamlit need.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from measure import Sheet, at_most

sys.path.insert(0, str(Path(__file__).parents[1]))

SAMPLES = 50_000
FIRST_TARGET, TARGET = 3.0, 2.0
"""Seconds for the first visit of a page, and for later ones."""
RUNS_IN_TABLE = 500
PAGES = {
    "home": ("", "2 runs"),
    "benchmark": ("benchmark", "2 runs"),
    "results": ("benchmark?run=many-a", "Worst samples"),
    "samples": ("samples?run=many-a", "samples."),
    "compare": ("compare?a=many-a&b=many-b", "B (candidate)"),
    "leaderboard": ("leaderboard", "many-b"),
}
"""Path of each page, and a text of its main content."""
CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"


@contextmanager
def run_app(runs: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "auricle", "ui", "--runs", str(runs), "--port", "0"]
    server = subprocess.Popen([*command, "--no-browser", "--no-token"], stdout=subprocess.PIPE, text=True)
    assert server.stdout
    try:
        url = re.search(r"http://\S+:\d+", server.stdout.readline())
        assert url
        yield url[0]
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(20)


def open_page(context: Any, address: str, text: str) -> float:
    """Return the seconds until a page is ready, in a new tab and session."""
    page = context.new_page()
    page.set_default_timeout(120_000)
    start = time.perf_counter()
    page.goto(address)
    page.get_by_text(text).first.wait_for()
    page.wait_for_selector(IDLE)
    seconds = time.perf_counter() - start
    page.close()
    return seconds


@contextmanager
def open_browser(driver: Any) -> Iterator[Any]:
    browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
    yield browser.new_context(viewport={"width": 1280, "height": 900})
    browser.close()


def measure_run_table(sheet: Sheet, driver: Any, folder: Path) -> None:
    """Measure the table of many runs, which are copies of one."""
    from tests.support.app_runs import make_large_run

    original = make_large_run(folder / "original", "one", 200)
    for number in range(RUNS_IN_TABLE):
        shutil.copytree(original, folder / "table" / f"run-{number:03d}")
    with run_app(folder / "table") as url, open_browser(driver) as context:
        for visit in ("with imports", "alone"):
            sheet.line(f"page without a run, {visit}", open_page(context, f"{url}/performance", "auricle perf"), "s")
        for visit in ("first visit", "second visit"):
            seconds = open_page(context, url, f"{RUNS_IN_TABLE} runs")
            sheet.line(f"table of {RUNS_IN_TABLE} runs, {visit}", seconds, "s", at_most(TARGET))


def measure_pages(sheet: Sheet, driver: Any, folder: Path) -> None:
    """Measure every page with two large runs."""
    from tests.support.app_runs import make_large_run

    for name in ("many-a", "many-b"):
        make_large_run(folder, name, SAMPLES)
    with run_app(folder) as url, open_browser(driver) as context:
        open_page(context, f"{url}/performance", "auricle perf")  # imports modules and loads Streamlit's scripts
        seconds = min(open_page(context, f"{url}/performance", "auricle perf") for _ in range(3))
        sheet.line("page without a run", seconds, "s")
        for name, (path, text) in PAGES.items():
            for visit, target in (("first visit", FIRST_TARGET), ("second visit", TARGET)):
                seconds = open_page(context, f"{url}/{path}", text)
                sheet.line(f"{name} with {SAMPLES:,} samples, {visit}", seconds, "s", at_most(target))


def main() -> int:
    from playwright.sync_api import sync_playwright

    sheet = Sheet("Time until a page of the app is ready")
    for measure in (measure_run_table, measure_pages):
        with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
            measure(sheet, driver, Path(folder))
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
