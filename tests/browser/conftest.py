"""A browser for the tests of a module, and the app, served once."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import settled

CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--use-fake-device-for-media-stream",
         "--use-fake-ui-for-media-stream"]  # fmt: skip


# While Playwright drives, an event loop counts as running: no longer than a module, or whatever
# test follows in this process could not start its own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@dataclass(frozen=True)
class Served:
    """The app as it runs: where it is, its runs, and the one folder it may read besides."""

    url: str
    runs: Path
    allowed: Path


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """`auricle ui`, as a user starts it, with a short demo."""
    pytest.importorskip("streamlit", reason="streamlit is not installed")
    root = tmp_path_factory.mktemp("app")
    runs, allowed = root / "runs", root / "allowed"
    allowed.mkdir()
    command = [sys.executable, "-m", "auricle", "ui", "--runs", str(runs), "--allow", str(allowed)]
    command += ["--port", "0", "--no-browser", "--max-upload", "2"]
    environment = {**os.environ, "AURICLE_UI_DEMO_LIMIT": "2"}
    with (root / "said").open("wb") as said:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True, env=environment, cwd=root)
        try:
            line = server.stdout.readline()
            found = re.search(r"http://\S+:\d+", line)
            assert found, (line, (root / "said").read_text())
            yield Served(found[0], runs, allowed)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(20)
            server.stdout.close()


@pytest.fixture(scope="module")
def context(browser: Any) -> Iterator[Any]:
    """One for a module, so that what Streamlit sends is fetched once."""
    context = browser.new_context()
    yield context
    context.close()


@pytest.fixture
def visit(app: Any, context: Any) -> Iterator[Any]:
    """Open a page of the app, as wide as asked for; waits until it is drawn."""
    pages = []

    def open_page(path: str = "", width: int = 1280, height: int = 900, dark: bool = False) -> Any:
        page = context.new_page()
        pages.append(page)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.set_default_timeout(20_000)
        page.goto(f"{app.url}/{path}")
        settled(page)
        return page

    yield open_page
    for page in pages:
        page.close()
