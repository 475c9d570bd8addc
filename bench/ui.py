"""Measure how long the app takes to show runs of 20,000 and 100,000 samples, and a table of 500 runs, in a browser.

A page is ready when its main content is visible and Streamlit is idle. The first visit reads the run; later visits use
the cache.
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

SIZES = (20_000, 100_000)
TARGET = 3.0  # seconds, for 20,000 samples
RUNS_IN_TABLE = 500
TABLE_TARGET = 2.0  # seconds
PAGES = {"samples": ("samples?run=many-{size}", "samples."), "results": ("benchmark?run=many-{size}", "Worst samples")}
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


def measure_run_table(sheet: Sheet, driver: Any, folder: Path) -> None:
    """Measure the table of many runs, which are copies of one."""
    from tests.support.app_runs import make_large_run

    original = make_large_run(folder / "original", "one", 200)
    for number in range(RUNS_IN_TABLE):
        shutil.copytree(original, folder / "table" / f"run-{number:03d}")
    with run_app(folder / "table") as url:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        for visit in ("with imports", "alone"):
            sheet.line(f"page without a run, {visit}", open_page(context, f"{url}/performance", "auricle perf"), "s")
        for visit in ("first visit", "second visit"):
            seconds = open_page(context, url, f"{RUNS_IN_TABLE} runs")
            sheet.line(f"table of {RUNS_IN_TABLE} runs, {visit}", seconds, "s", at_most(TABLE_TARGET))
        browser.close()


def main() -> int:
    from playwright.sync_api import sync_playwright
    from tests.support.app_runs import make_large_run

    sheet = Sheet("Time until a page of the app is ready")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        measure_run_table(sheet, driver, Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            make_large_run(Path(folder), f"many-{size}", size)
        with run_app(Path(folder)) as url, sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            open_page(context, f"{url}/leaderboard", "Columns")  # imports modules and loads Streamlit's scripts
            seconds_without_run = [open_page(context, f"{url}/performance", "auricle perf") for _ in range(3)]
            sheet.line("page without a run", min(seconds_without_run), "s")
            for size in SIZES:
                target = at_most(TARGET) if size == SIZES[0] else None
                for name, (path, text) in PAGES.items():
                    address = f"{url}/{path.format(size=size)}"
                    for visit in ("first visit", "second visit"):
                        seconds = open_page(context, address, text)
                        sheet.line(f"{name} of {size:,}, {visit}", seconds, "s", target)
            browser.close()
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
