"""Fixtures for tests in a browser: the browser of a module, and the app, started once."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import wait_until_drawn
from tests.support.extras import require_extra

CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--use-fake-device-for-media-stream",
         "--use-fake-ui-for-media-stream"]  # fmt: skip

OpenPage = Callable[..., Any]


# Playwright keeps an event loop running, so the fixture must not outlive its module: later tests
# in the same process could not start their own loop.
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    require_extra("browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@dataclass(frozen=True)
class RunningApp:
    """The running app: its URL, its token, its runs folder and the folder it may read."""

    url: str
    token: str
    runs: Path
    allowed: Path


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    """Start `auricle ui` as a user does, with a short demo."""
    require_extra("ui")
    root = tmp_path_factory.mktemp("app")
    runs, allowed = root / "runs", root / "allowed"
    allowed.mkdir()
    command = [sys.executable, "-m", "auricle", "ui", "--runs", str(runs), "--allow", str(allowed)]
    command += ["--port", "0", "--no-browser", "--max-upload", "2"]
    environment = {**os.environ, "AURICLE_UI_DEMO_LIMIT": "2"}
    with (root / "stderr").open("wb") as errors:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment, cwd=root)
        assert server.stdout
        try:
            line = server.stdout.readline()
            url = re.search(r"(http://\S+:\d+)/\?token=(\S+)", line)
            assert url, (line, (root / "stderr").read_text())
            yield RunningApp(url[1], url[2], runs, allowed)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(20)
            server.stdout.close()


@pytest.fixture(scope="module")
def context(browser: Any) -> Iterator[Any]:
    """Return a browser context that a module shares, so that Streamlit's files are loaded once."""
    context = browser.new_context()
    yield context
    context.close()


@pytest.fixture
def visit(app: RunningApp, context: Any) -> Iterator[OpenPage]:
    """Return a function that opens a page of the app with the token and waits until it is drawn."""
    pages = []

    def open_page(path: str = "", width: int = 1280, height: int = 900, dark: bool = False) -> Any:
        page = context.new_page()
        pages.append(page)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.set_default_timeout(20_000)
        page.goto(f"{app.url}/{path}{'&' if '?' in path else '?'}token={app.token}")
        wait_until_drawn(page)
        return page

    yield open_page
    for page in pages:
        page.close()
