"""Measure the size of `report.html` of 10,000 samples, and the time to write and to open it."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import sample_data
import soundfile
from measure import Cost, Sheet, at_most, measure_cost

from auricle import api
from auricle.report.run_html import render_report
from auricle.report.worst_samples import load_worst_samples
from auricle.runs.metrics import read_metrics

SAMPLES = 10_000
RECORDINGS = 50
RATE = 16_000
TARGET = 10.0  # MB, small enough for an e-mail
CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def build_rows(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield rows with four seconds of audio each."""
    generator = np.random.default_rng(sample_data.SEED)
    for number in range(RECORDINGS):
        soundfile.write(folder / f"{number}.wav", generator.normal(0, 0.1, 4 * RATE), RATE)
    for index, row in enumerate(sample_data.rows(SAMPLES)):
        yield {**row, "audio": f"{index % RECORDINGS}.wav", "speaker": f"speaker-{index % 40}"}


def render_page(run: Path) -> str:
    """Render the page alone, from metrics that are already computed."""
    metrics = read_metrics(run)
    return render_report(metrics, load_worst_samples(run, metrics.overall[0], audio=True))


def open_page(report: Path) -> float:
    """Return the seconds that a running browser needs to load and paint the page."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        tab = browser.new_page()
        tab.goto("about:blank")
        start = time.perf_counter()
        tab.goto(report.as_uri(), wait_until="load")
        tab.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        seconds = time.perf_counter() - start
        browser.close()
    return seconds


def write_report(folder: Path) -> tuple[Path, Cost, Cost]:
    """Return the path of the report, the cost of scoring the run, and the cost of the page alone."""
    data, run = sample_data.write(folder / "data.jsonl", build_rows(folder)), folder / "run"
    api.evaluate(sample_data.spec(data, kind="asr"), run, infer_only=True)
    scoring = measure_cost(lambda: api.score(run))
    return run / "report.html", scoring, measure_cost(lambda: render_page(run))


def main() -> int:
    sheet = Sheet(f"report.html of {SAMPLES:,} samples")
    with tempfile.TemporaryDirectory() as folder:
        report, scoring, rendering = write_report(Path(folder))
        size = report.stat().st_size / 1e6
        sheet.line("size", size, "MB", at_most(TARGET))
        sheet.line("score the run and write all files", scoring.wall, "s", cost=scoring)
        sheet.line("find the worst samples and render the page", rendering.wall, "s", cost=rendering)
        if CHROMIUM:
            sheet.line("open it in Chromium", open_page(report), "s")
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
