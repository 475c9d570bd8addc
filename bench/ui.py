"""How long the app takes to show a run of 20,000 samples, and one of 100,000, in a real browser.

A page counts as usable once what a visitor came for stands on it and Streamlit has nothing left
to draw. First visits read the run; later ones find it read.
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

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

SIZES = (20_000, 100_000)
TARGET = 3.0  # seconds, of 20,000 samples
PAGES = {"samples": ("samples?run=many-{size}", "samples."), "results": ("benchmark?run=many-{size}", "Worst samples")}
CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"


@contextmanager
def served(runs: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "auricle", "ui", "--runs", str(runs), "--port", "0"]
    server = subprocess.Popen([*command, "--no-browser"], stdout=subprocess.PIPE, text=True)
    assert server.stdout
    try:
        found = re.search(r"http://\S+:\d+", server.stdout.readline())
        assert found
        yield found[0]
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(20)


def opened(context: Any, address: str, words: str) -> float:
    """Seconds from the address to a page that can be used, in a tab and a session of its own."""
    page = context.new_page()
    page.set_default_timeout(120_000)
    began = time.perf_counter()
    page.goto(address)
    page.get_by_text(words).first.wait_for()
    page.wait_for_selector(IDLE)
    seconds = time.perf_counter() - began
    page.close()
    return seconds


def main() -> int:
    from playwright.sync_api import sync_playwright
    from ui_runs import large

    sheet = Sheet("The app, until a page can be used")
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            large(Path(folder), f"many-{size}", size)
        with served(Path(folder)) as url, sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            opened(context, f"{url}/leaderboard", "Columns")  # imports, and Streamlit's own scripts
            bare = [opened(context, f"{url}/performance", "auricle perf") for _ in range(3)]
            sheet.line("a page without a run", min(bare), "s")
            for size in SIZES:
                target = at_most(TARGET) if size == SIZES[0] else None
                for name, (address, words) in PAGES.items():
                    where = f"{url}/{address.format(size=size)}"
                    for nth in ("first", "again"):
                        seconds = opened(context, where, words)
                        sheet.line(f"{name} of {size:,}, {nth}", seconds, "s", target)
            browser.close()
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
