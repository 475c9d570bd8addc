"""Measure the website of 100 models on 50 tasks: the time to write it, its size, and the time to open its pages.

Each task is run once; the runs of the other models are copies with random scores.
"""

from __future__ import annotations

import math
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from measure import Cost, Sheet, at_most, measure_cost

from auricle import Spec, api
from auricle.core.signature import Signature
from auricle.runs.metrics import Metrics, ModelFacts, Throughput, Usage, read_metrics
from auricle.runs.scores import read_scores, write_scores
from auricle.studies.leaderboards.site import Site, write_site

MODELS = 100
TASKS = 50
SAMPLES = 100
TARGET = 2.0  # seconds until a page can be used
ROUNDS = 3
"""Pages are opened this number of times; the fastest counts."""
CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def make_runs(folder: Path) -> Iterator[tuple[Path, Metrics]]:
    """Yield the runs of every model on every task."""
    generator = np.random.default_rng(0)
    skills = generator.uniform(0.3, 0.9, MODELS)
    for task in range(TASKS):
        original = run_task(folder, task)
        metrics = read_metrics(original)
        for model, skill in enumerate(skills):
            hits = generator.random(SAMPLES) < np.clip(skill + generator.normal(0.0, 0.05), 0.05, 0.95)
            yield copy_run(original, metrics, f"model-{model:03d}", hits)


def run_task(folder: Path, task: int) -> Path:
    import sample_data

    rows = [
        {"id": f"q{index}", "question": f"say {index}", "answer": f"say {index}", "subset": "abcd"[index % 4]}
        for index in range(SAMPLES)
    ]
    data = sample_data.write(folder / f"task-{task:02d}.jsonl", rows)
    run = folder / f"original-{task:02d}"
    api.evaluate(Spec(task="qa", task_args={"data": str(data), "metrics": "exact_match"}, model="echo"), run)
    return run


def copy_run(original: Path, metrics: Metrics, model: str, hits: Any) -> tuple[Path, Metrics]:
    """Copy a run under the name of another model, with these samples right."""
    run = original.with_name(f"{model}-{original.name}")
    run.mkdir()
    for name in ("spec.json", "outputs.jsonl"):
        os.link(original / name, run / name)
    (name,) = {number.metric for number in metrics.overall}
    lines = [
        replace(line, stats={name: float(hit)}) for line, hit in zip(read_scores(original), hits.tolist(), strict=True)
    ]
    write_scores(run, lines)
    groups = {"all": hits} | {group: hits["abcd".index(group) :: 4] for group in "abcd"}
    numbers = []
    for number in metrics.numbers:
        members = groups[number.group]
        value, error = float(members.mean()), 1 / math.sqrt(len(members))
        signature: Signature = replace(number.signature, model=model)
        numbers.append(
            replace(number, value=value, low=max(0.0, value - error), high=min(1.0, value + error), signature=signature)
        )
    speed = Throughput(wall_seconds=1.0, samples=SAMPLES, rtfx=float(10 ** (3 * np.mean(hits))))
    usage = Usage(cost=float(1 + 9 * np.mean(hits) ** 2), currency="USD", samples_without_cost=0)
    made = replace(metrics, model=ModelFacts(model), numbers=tuple(numbers), speed=speed, usage=usage)
    return run, made


def measure_pages(sheet: Sheet, site: Site) -> None:
    """Measure how long a browser that was just started needs to open pages, and to react to what readers do."""
    from playwright.sync_api import sync_playwright

    folder = site.index.parent
    pages = {
        "index": site.index,
        "page of averages": folder / "averages.html",
        "page of a task": next((folder / "tasks").iterdir()),
        "page of a sample": next((folder / "samples").rglob("*.html")),
        "page of a run": next((folder / "runs").iterdir()),
    }
    with sync_playwright() as driver:
        for name, path in pages.items():
            rounds = [measure_page(driver, path.as_uri()) for _ in range(ROUNDS)]
            for action in rounds[0]:
                cost = min(costs[action] for costs in rounds)
                sheet.line(f"{action} the {name}", cost.wall, "s", at_most(TARGET), cost=cost)


STATES = {
    "index.html": {"filter": "#model=model-01&task=task-0", "sort": "#sort=rtfx"},
    "averages.html": {"weigh": "#w={column}:3", "compare two models on": "#a=model-007&b=model-042"},
}
"""What readers do on a page, as the state in its address."""
FIRST_COLUMN = "JSON.parse(document.getElementById('data')?.textContent ?? '{\"columns\": [{}]}').columns[0].key ?? ''"
"""A script that returns the name of the first column of the page of averages."""


MARKS = """new Promise(done => {
  const parsed = performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd;
  new PerformanceObserver(list => {
    const paint = list.getEntriesByName("first-contentful-paint")[0];
    if (paint) done([parsed, paint.startTime]);
  }).observe({ type: "paint", buffered: true });
})"""
"""A script that returns when the page was parsed and its script had run, and when it was first painted."""


def measure_page(driver: Any, address: str) -> dict[str, Cost]:
    """Return the cost of opening a page in a new browser, and of changing its state; processor time is the page's."""
    browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    session = tab.context.new_cdp_session(tab)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    tab.goto("about:blank")

    def processor_seconds() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(float(metric["value"]) for metric in metrics if metric["name"] == "TaskDuration")

    def measure(state: str = "") -> Cost:
        start, before = time.perf_counter(), processor_seconds()
        tab.goto(address + state, wait_until="load")
        tab.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        return Cost(time.perf_counter() - start, processor_seconds() - before)

    costs = {"open": measure()}
    marks = tab.evaluate(MARKS)
    costs |= {
        action: Cost(mark / 1000, 0.0) for action, mark in zip(("parse and run", "first paint of"), marks, strict=True)
    }
    for action, state in STATES.get(address.rpartition("/")[2], {}).items():
        costs[action] = measure(state.format(column=tab.evaluate(FIRST_COLUMN)))
    browser.close()
    return costs


def main() -> int:
    sheet = Sheet(f"website of {MODELS} models on {TASKS} tasks, {SAMPLES} samples each")
    with tempfile.TemporaryDirectory() as name:
        folder, sites = Path(name), []
        (folder / "runs").mkdir()
        runs = list(make_runs(folder / "runs"))
        cost = measure_cost(lambda: sites.append(write_site(runs, folder / "site")))
        (site,) = sites
        sheet.line("write it", cost.wall, "s", cost=cost)
        sheet.line("size", site.size / 1e6, "MB")
        sheet.line("size of the index", site.index.stat().st_size / 1e6, "MB")
        if CHROMIUM:
            measure_pages(sheet, site)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
