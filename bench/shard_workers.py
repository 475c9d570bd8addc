"""Measure the speed-up of workers of a sharded run: a model of 50 ms per sample, and a real recogniser.

Rates are those of the work itself: from the moment a worker takes the first shard until the last shard is completed,
with leases, files, scoring and the wait for the last shard. Starting Python and loading the model is left out, and
printed apart. The recogniser is PocketSphinx, which has one thread: one that uses all cores by itself gains nothing
from a second worker. Its speed-up needs an idle machine; how much processor time a clip takes does not.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import sample_data
from measure import Sheet, at_least, at_most

from auricle.runs.shards.store import ShardStore

SAMPLES, SHARDS, WORKERS, TARGET = 640, 32, 4, 3.6
CLIPS, RECOGNISER_TARGET = 96, 1.7
MAX_PROCESSOR_RATIO = 1.15
"""A second worker starts Python and loads the model once more."""
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

MODEL = """
import time
from auricle import BatchModel, Generation

class Steady(BatchModel):
    batch_size = 1

    def generate(self, batch):
        time.sleep(0.05)
        return [Generation(text="answer") for _ in batch]
"""


class Measured(NamedTuple):
    """What a command took."""

    rate: float
    """Samples per second, without the start of the workers."""
    start_seconds: float
    """From the start of the command until the first shard was taken."""
    processor_seconds: float
    """Of the command and its workers, their start included."""


def measure(folder: Path, data: Path, kind: str, model: str, workers: int, shards: int = SHARDS) -> Measured:
    """Run a command, and read from its completions when the work began and ended."""
    out = folder / f"run-{kind}-{workers}"
    command = [sys.executable, "-m", "auricle", "run", str(data), "--as", kind, "-m", model, "-o", str(out)]
    command += ["--shards", str(shards), "--workers", str(workers)]
    started_at, processor_before = time.time(), _processor_seconds()
    subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **ONE_THREAD}
    )
    store = ShardStore.open(out)
    states = store.read_states()
    completions = list(store.completions(states))
    began = min(states.completed_at[entry.shard] - entry.wall_seconds for entry in completions)
    seconds = max(states.completed_at) - began
    rate = sum(entry.rows for entry in completions) / seconds
    return Measured(rate, began - started_at, _processor_seconds() - processor_before)


def _processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def write_clips(folder: Path) -> Path:
    """Write a manifest that repeats the recordings of the demo under new ids."""
    subprocess.run(
        [sys.executable, "-m", "auricle", "demo", "--copy-data", str(folder / "demo")],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    manifest = next((folder / "demo").glob("*.jsonl"))
    rows = [json.loads(line) for line in manifest.read_text().splitlines()]
    lines = [{**rows[index % len(rows)], "id": str(index)} for index in range(CLIPS)]
    return sample_data.write(manifest.with_name("clips.jsonl"), lines)


def main() -> int:
    sheet = Sheet(f"{SAMPLES} samples of 50 ms in {SHARDS} shards, and {CLIPS} clips with PocketSphinx")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "steady.py").write_text(MODEL)
        data = sample_data.write(folder / "data.jsonl", sample_data.rows(SAMPLES))
        one, several = (measure(folder, data, "qa", f"{folder / 'steady.py'}:Steady", n) for n in (1, WORKERS))
        sheet.line("50 ms, one worker", one.rate, "/s")
        sheet.line(f"50 ms, {WORKERS} workers, speed-up", several.rate / one.rate, "x", at_least(TARGET))
        sheet.line("start of four workers", several.start_seconds, "s")
        clips = write_clips(folder)
        one, several = (measure(folder, clips, "asr", "pocketsphinx", n, 12) for n in (1, 2))
        sheet.line("PocketSphinx, one worker", one.rate, "/s")
        sheet.line("PocketSphinx, two workers, speed-up", several.rate / one.rate, "x", at_least(RECOGNISER_TARGET))
        processor_ratio = several.processor_seconds / one.processor_seconds
        sheet.line("  processor time, over one worker", processor_ratio, "x", at_most(MAX_PROCESSOR_RATIO))
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
