"""Take screenshots of every page of the app for docs/images: on a desktop, a tablet and a phone, light and dark.

    python scripts/screenshots.py [NAME ...]

Makes runs of every kind in a temporary folder first; the runs of the demo are real. To use runs made before, name their
folder in AURICLE_SHOTS. To add a page, add a line to SHOTS.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT))

from tests.support.browser import choose_model, wait_until_drawn  # noqa: E402 - found through the path above

FLAGS = ["--no-sandbox", "--disable-gpu", "--force-device-scale-factor=1", "--hide-scrollbars"]
VARIANTS: dict[str, tuple[int, Literal["light", "dark"]]] = {
    "": (1280, "light"),
    "-dark": (1280, "dark"),
    "-tablet": (768, "light"),
    "-tablet-dark": (768, "dark"),
    "-phone": (390, "light"),
    "-phone-dark": (390, "dark"),
}
MAX_BYTES = 100_000


def do_nothing(page: Page) -> None: ...


def run_three_models(page: Page) -> None:
    """Send a noisy sentence to three models of different kinds."""
    choose(page, "Clip", "s03-noise-15db")
    for name in ("pocketsphinx", "dnsmos"):
        choose_model(page, "Add a model", name)
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("Raw output").nth(2).wait_for(timeout=120_000)


def start_run(page: Page) -> None:
    """Start a slow run, unless one is running."""
    if page.get_by_role("button", name="Stop", exact=True).count():
        return
    choose_model(page, "Model: moonshine", "echo", is_fake=True)
    page.get_by_label("Delay", exact=True).fill("3")
    page.get_by_label("Maximum batch size").fill("1")
    page.get_by_label("Maximum batch size").press("Enter")
    wait_until_drawn(page)
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_text(" of 48 samples").first.wait_for(timeout=60_000)


def open_cell(page: Page) -> None:
    """Open the samples of a cell of the confusion matrix."""
    page.locator("[data-testid=stVegaLiteChart] g.mark-rect.role-mark path").first.click()
    page.get_by_text("samples labelled").wait_for()


@dataclass(frozen=True)
class Shot:
    """A page: its path, and what to do there before the screenshot is taken."""

    path: str
    act: Callable[[Page], None] = do_nothing
    height: int = 900
    has_runs: bool = True


SHOTS = {
    "welcome": Shot("", has_runs=False),
    "home": Shot(""),
    "listen": Shot("inference", run_three_models, height=1150),
    "benchmark": Shot("benchmark", start_run),
    "results": Shot("benchmark?run=emotion-second", open_cell, height=1500),
    "samples": Shot("samples?run=asr-large", height=1200),
    "compare": Shot("compare?a=emotion-first&b=emotion-second", height=1500),
    "leaderboard": Shot("leaderboard", height=1300),
    "performance": Shot("performance?run=load", height=1300),
}


def choose(page: Page, label: str, option: str) -> None:
    box = page.get_by_role("combobox", name=label)
    box.fill(option)
    box.press("Enter")
    wait_until_drawn(page)


def wait_for_charts(page: Page) -> None:
    """Wait until the page and its charts, which are drawn after it, are complete."""
    wait_until_drawn(page)
    page.wait_for_timeout(700)


@contextmanager
def serve_app(runs: Path) -> Iterator[str]:
    """Start the app with these runs and yield its URL."""
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


def make_runs(scratch: Path) -> Path:
    """Make runs of every kind, a load test and the runs of the demo."""
    from tests.support.app_runs import make_runs_of_every_kind, measure_fake_server

    runs = scratch / "runs"
    make_runs_of_every_kind(runs)
    measure_fake_server(runs / "load", ("closed:1", "closed:2", "closed:4"), 120)
    command = [sys.executable, "-m", "auricle", "demo", "-o", str(runs / "demo")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return runs


def take_screenshots(page: Page, url: str, name: str, shot: Shot) -> None:
    for suffix, (width, scheme) in VARIANTS.items():
        page.set_viewport_size({"width": width, "height": shot.height})
        page.emulate_media(color_scheme=scheme)
        page.goto(f"{url}/{shot.path}")
        wait_for_charts(page)
        shot.act(page)
        wait_for_charts(page)
        page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
        page.mouse.move(0, 0)
        save_image(page.screenshot(), IMAGES / f"{name}{suffix}.png")


def save_image(content: bytes, path: Path) -> None:
    """Save a PNG with as many colours as fit into `MAX_BYTES`."""
    image = Image.open(BytesIO(content)).convert("RGB")
    for colours in (256, 128, 64, 32):
        image.quantize(colours, dither=Image.Dither.NONE).save(path, optimize=True)
        if path.stat().st_size < MAX_BYTES:
            break
    print(path.relative_to(ROOT), path.stat().st_size // 1000, "KB")


def main() -> None:
    names = sys.argv[1:] or list(SHOTS)
    IMAGES.mkdir(exist_ok=True)
    scratch = Path(tempfile.gettempdir()) / "auricle"  # is shown on some pages
    shutil.rmtree(scratch, ignore_errors=True)
    folders = {False: scratch / "none"}
    if any(SHOTS[name].has_runs for name in names):
        # Before Playwright starts: it leaves an event loop running in this thread.
        existing_runs = os.environ.get("AURICLE_SHOTS")
        folders[True] = Path(existing_runs) if existing_runs else make_runs(scratch)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for has_runs, folder in folders.items():
            with serve_app(folder) as url:
                page = browser.new_page()
                page.set_default_timeout(60_000)
                for name in names:
                    if SHOTS[name].has_runs is has_runs:
                        take_screenshots(page, url, name, SHOTS[name])
        browser.close()
    shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
