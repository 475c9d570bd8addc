"""How large the page of a 10,000-sample run is, how long it takes to write and to open."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import material
import numpy as np
import orjson
import soundfile
from measure import Cost, Sheet, at_most, cost

from auricle import api
from auricle.metrics.text import wer
from auricle.report.run_html import render_report
from auricle.report.sample_view import build_sample_views
from auricle.runs.run_directory import Run

SAMPLES = 10_000
SOUNDS = 50
RATE = 16_000
TARGET = 10.0  # MB, what a mail may weigh
CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    """Rows of about four seconds of sound each, so that the page has something to play."""
    dice = np.random.default_rng(material.SEED)
    for at in range(SOUNDS):
        soundfile.write(folder / f"{at}.wav", dice.normal(0, 0.1, 4 * RATE), RATE)
    for at, row in enumerate(material.rows(SAMPLES)):
        yield {**row, "audio": f"{at % SOUNDS}.wav", "speaker": f"speaker-{at % 40}"}


def page(run: Path) -> str:
    """The page alone, from numbers that are written already."""
    document = orjson.loads((run / "metrics.json").read_bytes())
    with Run.load(run).open_index() as held:
        records = [record for each in api.worst_samples(run, 50) if (record := held.get(each))]
    return render_report(document, build_sample_views(records, wer))


def opened(report: Path) -> float:
    """Seconds until a browser that runs already has loaded and painted the page."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        tab = browser.new_page()
        tab.goto("about:blank")
        began = time.perf_counter()
        tab.goto(report.as_uri(), wait_until="load")
        tab.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        seconds = time.perf_counter() - began
        browser.close()
    return seconds


def write(folder: Path) -> tuple[Path, Cost, Cost]:
    data, run = material.write(folder / "data.jsonl", rows(folder)), folder / "run"
    api.evaluate(material.spec(data, kind="asr"), run, infer_only=True)
    whole = cost(lambda: api.score(run))
    return run / "report.html", whole, cost(lambda: page(run))


def main() -> int:
    sheet = Sheet(f"report.html of {SAMPLES:,} samples")
    with tempfile.TemporaryDirectory() as folder:
        report, whole, alone = write(Path(folder))
        size = report.stat().st_size / 1e6
        sheet.line("size", size, "MB", at_most(TARGET))
        sheet.line("score the run and write everything", whole.wall, "s", spent=whole)
        sheet.line("find the worst and write the page", alone.wall, "s", spent=alone)
        if CHROMIUM:
            sheet.line("open it in chromium", opened(report), "s")
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
