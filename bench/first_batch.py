"""Measure the time until a batch model gets its first batch, for manifests of different sizes.

All manifests refer to the same files of noise, each row to another part of one. The clock starts with the call of
`evaluate` in Python, and with the process on the command line, which also counts the rows. The run ends with the
first batch.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import sample_data
import soundfile
from measure import Sheet, at_most

from auricle import BatchModel, evaluate
from auricle.engine.batching import WorkerLost

ROWS = (1_000, 10_000, 100_000)
FILES, SECONDS, RATE = 200, 15, 16_000
MAX_GROWTH, ROUNDS = 1.2, 7
MODEL = f"{__file__}:FirstBatch"


class FirstBatch(BatchModel):
    """Reports the time of its first batch and ends the run."""

    batch_size, sample_rate = 16, RATE

    def generate(self, batch: Any) -> Any:
        raise WorkerLost(f"first batch at {time.monotonic()} s")  # processes share this clock


def write_recordings(folder: Path) -> None:
    generator = np.random.default_rng(sample_data.SEED)
    for number in range(FILES):
        soundfile.write(folder / f"{number}.flac", 0.05 * generator.normal(size=SECONDS * RATE), RATE)


def build_rows(count: int) -> Iterator[dict[str, Any]]:
    for index, (text, _) in enumerate(sample_data.pairs(count)):
        start = index // FILES % 50 / 10
        segment = {"start": start, "end": start + 2 + index % 8}
        yield {"id": f"utterance-{index}", "audio": f"{index % FILES}.flac", "text": text, **segment}


def time_evaluate(data: Path, out: Path) -> float:
    start = time.monotonic()
    try:
        evaluate(sample_data.spec(data, MODEL, "asr"), out)
    except WorkerLost as error:
        return _parse_time(str(error)) - start
    raise AssertionError("the model got no batch")


def time_command(data: Path, out: Path) -> float:
    arguments = ["run", str(data), "--as", "asr", "-m", MODEL, "-o", str(out)]
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-m", "auricle", *arguments], capture_output=True, text=True, check=False)
    return _parse_time(done.stderr) - start


def _parse_time(message: str) -> float:
    match = re.search(r"first batch at ([\d.]+)", message)
    assert match, message
    return float(match[1])


def run_rounds(
    measure: Callable[[Path, Path], float], manifests: dict[int, Path], count: int
) -> dict[int, list[float]]:
    """Measure the manifests in turn; files get new modification times, so that nothing is cached."""
    seconds: dict[int, list[float]] = {size: [] for size in manifests}
    for round_number in range(count + 1):
        for size, data in manifests.items():
            for recording in data.parent.glob("*.flac"):
                os.utime(recording)
            with tempfile.TemporaryDirectory() as out:
                elapsed = measure(data, Path(out) / "run")
            if round_number:  # the first round imports modules
                seconds[size].append(elapsed)
    return seconds


def main() -> int:
    sheet = Sheet(f"Time to the first batch of 16, {FILES} FLAC files, median of {ROUNDS}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_recordings(folder)
        data = {size: sample_data.write(folder / f"{size}.jsonl", build_rows(size)) for size in ROWS}
        for name_of_call, measure in {"evaluate": time_evaluate, "auricle run": time_command}.items():
            seconds = run_rounds(measure, data, ROUNDS)
            medians = {size: median(times) for size, times in seconds.items()}
            smallest, largest = medians[ROWS[0]], medians[ROWS[-1]]
            for size, typical in medians.items():
                sheet.line(f"{name_of_call}, {size:,} rows", 1000 * typical, "ms", ratio=typical / smallest)
            sheet.line(f"{name_of_call}, growth", largest / smallest, "x", at_most(MAX_GROWTH))
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
