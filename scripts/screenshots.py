"""Take pictures of every page of the app for docs/images: light, dark, and on a phone.

    python scripts/screenshots.py [NAME ...]

Makes runs of every kind in a scratch folder first; the demo's are real. A page is added by a line
in SHOTS.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT / "tests"))
FLAGS = ["--no-sandbox", "--disable-gpu", "--force-device-scale-factor=1", "--hide-scrollbars"]
LOOKS = {"": (1280, "light"), "-dark": (1280, "dark"), "-phone": (390, "light")}
MOST_BYTES = 150_000


def nothing(page: Page) -> None: ...


def ask_three(page: Page) -> None:
    """Three models of three kinds about one sentence in noise."""
    choose(page, "Clip", "s03-noise-15db")
    box = page.get_by_role("combobox", name="Models")
    for name in ("pocketsphinx", "dnsmos"):
        box.fill(name)
        box.press("Enter")
        settled(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_text("Raw output").nth(2).wait_for(timeout=120_000)


def begin(page: Page) -> None:
    """A run that is under way."""
    if page.get_by_role("button", name="Stop", exact=True).count():
        return
    choose(page, "Model", "echo")
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Of the model").fill("delay=3")
    page.get_by_label("Most in a batch").fill("1")
    page.get_by_label("Most in a batch").press("Enter")
    settled(page)
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_text(" of 48 samples").first.wait_for(timeout=60_000)


def open_cell(page: Page) -> None:
    """The samples of a confusion."""
    page.locator("[data-testid=stVegaLiteChart] g.mark-rect.role-mark path").first.click()
    page.get_by_text("that the model calls").wait_for()


@dataclass(frozen=True)
class Shot:
    """A page: its address, and what is done there before the picture is taken."""

    path: str
    act: Callable[[Page], None] = nothing
    height: int = 900
    runs: bool = True


SHOTS = {
    "welcome": Shot("", runs=False),
    "home": Shot(""),
    "listen": Shot("listen", ask_three, height=1150),
    "benchmark": Shot("benchmark", begin),
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
    settled(page)


def settled(page: Page) -> None:
    page.wait_for_selector("h1", state="visible")
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.wait_for_timeout(700)  # charts are drawn after the page is


@contextmanager
def served(runs: Path):
    """The app over these runs."""
    command = [sys.executable, "-m", "auricle", "ui", "--runs", str(runs), "--port", "0"]
    server = subprocess.Popen([*command, "--no-browser"], stdout=subprocess.PIPE, text=True)
    try:
        found = re.search(r"http://\S+:\d+", server.stdout.readline())
        yield found[0]
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(20)


def made(scratch: Path) -> Path:
    """A folder of runs worth looking at."""
    from ui_runs import every_kind, measured

    runs = scratch / "runs"
    every_kind(runs)
    measured(runs / "load", ("closed:1", "closed:2", "closed:4"), 120)
    command = [sys.executable, "-m", "auricle", "demo", "-o", str(runs / "demo")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return runs


def take(page: Page, url: str, name: str, shot: Shot) -> None:
    for suffix, (width, scheme) in LOOKS.items():
        page.set_viewport_size({"width": width, "height": shot.height})
        page.emulate_media(color_scheme=scheme)
        page.goto(f"{url}/{shot.path}")
        settled(page)
        shot.act(page)
        settled(page)
        page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
        page.mouse.move(0, 0)
        keep(page.screenshot(), IMAGES / f"{name}{suffix}.png")


def keep(content: bytes, path: Path) -> None:
    """A picture with as many colours as fit."""
    picture = Image.open(BytesIO(content)).convert("RGB")
    for colours in (256, 128, 64, 32):
        picture.quantize(colours, dither=Image.Dither.NONE).save(path, optimize=True)
        if path.stat().st_size < MOST_BYTES:
            break
    print(path.relative_to(ROOT), path.stat().st_size // 1000, "KB")


def main() -> None:
    wanted = sys.argv[1:] or list(SHOTS)
    IMAGES.mkdir(exist_ok=True)
    kept = os.environ.get("AURICLE_SHOTS")  # a folder of runs made before, for one who tries often
    scratch = Path(tempfile.mkdtemp())
    chromium = shutil.which("chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        for runs in (False, True):
            shots = {name: SHOTS[name] for name in wanted if SHOTS[name].runs is runs}
            if not shots:
                continue
            folder = (Path(kept) if kept else made(scratch)) if runs else scratch / "none"
            with served(folder) as url:
                page = browser.new_page()
                page.set_default_timeout(60_000)
                for name, shot in shots.items():
                    take(page, url, name, shot)
        browser.close()
    time.sleep(0.1)
    shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
