"""Measure the speed-up of replicas and Ray actors, with a model that takes 50 ms per batch.

Only the rate after the start is compared, because replicas and actors take a while to start.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import sample_data
from measure import Sheet, at_least

SAMPLES, REPLICAS, TARGET = 4_000, 4, 3.6

MODEL = """
import time
from auricle import BatchModel, Generation

class Steady(BatchModel):
    batch_size = 8

    def generate(self, batch):
        time.sleep(0.05)
        return [Generation(text="answer") for _ in batch]
"""


def measure_rate(folder: Path, data: Path, *options: str) -> float:
    """Return samples per second, from the first record of the journal to the last."""
    out = folder / "run"
    command = [sys.executable, "-m", "auricle", "run", str(data), "--as", "qa", "-o", str(out)]
    command += ["-m", f"{folder / 'steady.py'}:Steady", "--infer-only", "--fresh", *options]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return _observe_rate(process, out / "outputs.jsonl")


def _observe_rate(process: subprocess.Popen[bytes], journal: Path) -> float:
    counts: list[tuple[float, int]] = []
    while process.poll() is None:
        size = journal.read_bytes().count(b"\n") if journal.exists() else 0
        if 0 < size < SAMPLES:
            counts.append((time.perf_counter(), size))
        time.sleep(0.05)
    assert process.returncode == 0
    (start, first), (end, last) = counts[0], counts[-1]
    return (last - first) / (end - start)


def main() -> int:
    sheet = Sheet(f"{SAMPLES:,} samples, 50 ms per batch of 8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "steady.py").write_text(MODEL)
        data = sample_data.write(folder / "data.jsonl", sample_data.rows(SAMPLES))
        single_rate = measure_rate(folder, data)
        sheet.line("one thread", single_rate, "/s")
        for label, options in {"replicas": [], "Ray actors": ["--backend", "ray"]}.items():
            rate = measure_rate(folder, data, "--replicas", str(REPLICAS), *options)
            sheet.line(f"{REPLICAS} {label}, speed-up", rate / single_rate, "x", at_least(TARGET))
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
