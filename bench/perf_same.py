"""Compare the medians that two versions of Auricle measure on the same scripted server.

    python bench/perf_same.py --before /path/to/other/src

The versions take turns, on one fake server of this version, so that a busy moment affects both. TTFT, TPOT, latency
and first audio must agree within 1 ms: the smallest median of each version over the rounds is compared, because other
processes can only make requests slower.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measure import Sheet, at_most
from perf_accuracy import SERVER_OPTIONS, SPOKEN_ANSWERS
from perf_client import run_perf, run_server, write_questions

MAX_DIFFERENCE_MS = 1.0
MEASURES = {"text": ("ttft_s", "tpot_s", "latency_s"), "speech": ("ttfa_s",), "whole": ("latency_s", "ttfb_s")}
OPTIONS = {"text": ("--stream",), "speech": ("--stream", "-M", f"extra={SPOKEN_ANSWERS}"), "whole": ("--no-stream",)}


def measure_medians(sources: Sequence[Path], folder: Path, kind: str, load: str, rounds: int) -> list[dict[str, float]]:
    """Return the smallest median of each measure in milliseconds, for each version."""
    data = write_questions(folder, 100)
    medians = [dict.fromkeys(MEASURES[kind], math.inf) for _ in sources]
    audio = ("--audio-chunk-seconds", "0.1", "--audio-pace", "4") if kind == "speech" else ()
    options = ("--load", load, "--count", "80", "--warmup", "1", *OPTIONS[kind])
    with run_server(*SERVER_OPTIONS, *audio) as server:
        for _ in range(rounds):
            for source, values in zip(sources, medians, strict=True):
                document = run_perf(server, data, folder / "out", *options, source=source)
                measures = document["points"][0]["measures"]
                values |= {name: min(value, 1000 * measures[name]["p50"]) for name, value in values.items()}
    return medians


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, required=True, help="Folder `src` of the other version.")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    sources = (arguments.before, Path(__file__).resolve().parents[1] / "src")
    sheet = Sheet("medians of auricle perf, before and now")
    with tempfile.TemporaryDirectory() as name:
        for kind in MEASURES:
            for load in ("closed:4", "poisson:20"):
                before, now = measure_medians(sources, Path(name), kind, load, arguments.rounds)
                for measure in MEASURES[kind]:
                    title = f"{kind}, {load}, {measure}: {before[measure]:.2f} and {now[measure]:.2f} ms, difference"
                    sheet.line(title, abs(now[measure] - before[measure]), "ms", at_most(MAX_DIFFERENCE_MS))
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
