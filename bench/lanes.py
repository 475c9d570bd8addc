"""How much faster several lanes are than one, on a model that takes 50 ms a batch.

Replicas and Ray actors take a while to start, so what is compared is the rate while they work.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import material
from measure import Sheet, at_least

SAMPLES, LANES, TARGET = 4_000, 4, 3.6

MODEL = """
import time
from auricle import BatchModel, Generation

class Steady(BatchModel):
    batch_size = 8

    def generate(self, batch):
        time.sleep(0.05)
        return [Generation(text="said") for _ in batch]
"""


def rate(folder: Path, data: Path, *more: str) -> float:
    """Samples a second, from the first record of the journal to the last."""
    out = folder / "run"
    command = [sys.executable, "-m", "auricle", "run", str(data), "--as", "qa", "-o", str(out)]
    command += ["-m", f"{folder / 'steady.py'}:Steady", "--infer-only", "--fresh", *more]
    watched = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return _watched(watched, out / "outputs.jsonl")


def _watched(run: subprocess.Popen[bytes], journal: Path) -> float:
    seen: list[tuple[float, int]] = []
    while run.poll() is None:
        size = journal.read_bytes().count(b"\n") if journal.exists() else 0
        if 0 < size < SAMPLES:
            seen.append((time.perf_counter(), size))
        time.sleep(0.05)
    assert run.returncode == 0
    (began, first), (ended, last) = seen[0], seen[-1]
    return (last - first) / (ended - began)


def main() -> int:
    sheet = Sheet(f"{SAMPLES:,} samples through a model of 50 ms a batch of 8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "steady.py").write_text(MODEL)
        data = material.write(folder / "data.jsonl", material.rows(SAMPLES))
        one = rate(folder, data)
        sheet.line("one thread", one, "/s")
        for lanes, more in {"replicas": [], "Ray actors": ["--backend", "ray"]}.items():
            many = rate(folder, data, "--replicas", str(LANES), *more)
            sheet.line(f"{LANES} {lanes}, times faster", many / one, "x", at_least(TARGET))
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
