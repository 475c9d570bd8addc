"""How long until a batch model is asked for the first time, as the manifest grows.

Every manifest points into the same files of noise, each row at another stretch of one. In Python
the clock runs from the call of `evaluate`; by the command line from the start of the process, as
the bar and the forecast want to know how many rows there are. The run ends with the first batch.
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

import material
import numpy as np
import soundfile
from measure import Sheet, at_most

from auricle import BatchModel, evaluate
from auricle.engine.batching import WorkerLost

ROWS = (1_000, 10_000, 100_000)
FILES, SECONDS, RATE = 200, 15, 16_000
GROWN, ROUNDS = 1.2, 7
MODEL = f"{__file__}:First"


class First(BatchModel):
    """Says when it was asked, and ends the run."""

    batch_size, sample_rate = 16, RATE

    def generate(self, batch: Any) -> Any:
        raise WorkerLost(f"asked at {time.monotonic()} s")  # a clock that processes share


def sounds(folder: Path) -> None:
    dice = np.random.default_rng(material.SEED)
    for at in range(FILES):
        soundfile.write(folder / f"{at}.flac", 0.05 * dice.normal(size=SECONDS * RATE), RATE)


def rows(count: int) -> Iterator[dict[str, Any]]:
    for at, (text, _) in enumerate(material.pairs(count)):
        start = at // FILES % 50 / 10
        stretch = {"start": start, "end": start + 2 + at % 8}
        yield {"id": f"utterance-{at}", "audio": f"{at % FILES}.flac", "text": text, **stretch}


def in_python(data: Path, out: Path) -> float:
    began = time.monotonic()
    try:
        evaluate(material.spec(data, MODEL, "asr"), out)
    except WorkerLost as told:
        return _asked(str(told)) - began
    raise AssertionError("the model was not asked")


def by_command(data: Path, out: Path) -> float:
    words = ["run", str(data), "--as", "asr", "-m", MODEL, "-o", str(out)]
    began = time.monotonic()
    ended = subprocess.run([sys.executable, "-m", "auricle", *words], capture_output=True, text=True, check=False)
    return _asked(ended.stderr) - began


def _asked(told: str) -> float:
    found = re.search(r"asked at ([\d.]+)", told)
    assert found, told
    return float(found[1])


def rounds(measure: Callable[[Path, Path], float], manifests: dict[int, Path], count: int) -> dict[int, list[float]]:
    """In turns; new times on all files, so that nothing is remembered of them."""
    seen: dict[int, list[float]] = {size: [] for size in manifests}
    for at in range(count + 1):
        for size, data in manifests.items():
            for sound in data.parent.glob("*.flac"):
                os.utime(sound)
            with tempfile.TemporaryDirectory() as out:
                took = measure(data, Path(out) / "run")
            if at:  # the first round imports
                seen[size].append(took)
    return seen


def main() -> int:
    sheet = Sheet(f"until the first batch of 16, {FILES} FLAC files, median of {ROUNDS}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sounds(folder)
        data = {size: material.write(folder / f"{size}.jsonl", rows(size)) for size in ROWS}
        for how, measure in {"evaluate": in_python, "auricle run": by_command}.items():
            seen = rounds(measure, data, ROUNDS)
            least = median(seen[ROWS[0]])
            for size, took in seen.items():
                middle = median(took)
                sheet.line(f"{how}, {size:,} rows", 1000 * middle, "ms", ratio=middle / least)
            sheet.line(f"{how}, times longer", median(seen[ROWS[-1]]) / least, "x", at_most(GROWN))
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
