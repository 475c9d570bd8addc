"""Compare `auricle estimate` with what runs then take: predicted over actual time, for one worker and for two.

A real recogniser on the recordings of the demo, repeated; the machine should be idle, or the ratio is that of its load.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure import Sheet, at_least, at_most
from shard_workers import ONE_THREAD, write_clips

PROBED = 24
BOUND = 1.5
"""Predictions should be right within this factor."""


def call(*words: str) -> str:
    command = [sys.executable, "-m", "auricle", *words]
    environment = {**os.environ, **ONE_THREAD}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


def predict(clips: Path, workers: int) -> float:
    words = ("estimate", str(clips), "--as", "asr", "-m", "pocketsphinx", "--probe", str(PROBED))
    document = json.loads(call(*words, "--workers", str(workers), "--json"))
    return float(document["estimates"][0]["seconds"])


def measure(clips: Path, folder: Path, workers: int) -> float:
    started_at = time.perf_counter()
    words = ("run", str(clips), "--as", "asr", "-m", "pocketsphinx", "--shards", "auto", "--workers", str(workers))
    call(*words, "-o", str(folder / f"run-{workers}"))
    return time.perf_counter() - started_at


def main() -> int:
    sheet = Sheet(f"PocketSphinx on clips of the demo, {PROBED} of them probed")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clips = write_clips(folder)
        for workers in (1, 2):
            predicted, actual = predict(clips, workers), measure(clips, folder, workers)
            sheet.line(f"{workers} worker{'s' * (workers > 1)}, predicted", predicted, "s")
            sheet.line(f"{workers} worker{'s' * (workers > 1)}, actual", actual, "s")
            ratio = predicted / actual
            sheet.line("  predicted / actual", ratio, "x", at_least(1 / BOUND) if ratio < 1 else at_most(BOUND))
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
