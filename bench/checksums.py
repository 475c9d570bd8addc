"""Measure what the checksums of journal lines cost, as a share of running and scoring a model that does nothing.

Whole runs with and without checksums differ by less than two runs of the same kind, so the work per line is measured.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import sample_data
from measure import Sheet, at_most, measure_best

from auricle import evaluate, score
from auricle.core.checked_lines import add_checksum, find_damage
from auricle.core.serialization import encode_record
from auricle.runs.run_directory import Run

ROWS, ROUNDS = 20_000, 9
MAX_SHARE = 0.03

T = TypeVar("T")


def best_seconds(work: Callable[[T], object], items: Sequence[T]) -> float:
    """Return the processor time per item, in the best of several rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        started_at = time.process_time()
        for item in items:
            work(item)
        best = min(best, time.process_time() - started_at)
    return best / len(items)


def main() -> int:
    sheet = Sheet(f"checksums of {ROWS:,} lines")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        data = sample_data.write(folder / "data.jsonl", sample_data.rows(ROWS))
        spec = sample_data.spec(data)
        numbers = iter(range(1_000))
        works = {"run": lambda: evaluate(spec, folder / str(next(numbers))), "score": lambda: score(folder / "0")}
        costs = measure_best(works, 5)
        records = list(Run.load(folder / "0").records())
        lines = [add_checksum(encode_record(record)) for record in records]
    writing = best_seconds(add_checksum, lines)
    checking = best_seconds(find_damage, lines)
    sheet.line("write a line", 1e6 * writing, "us")
    sheet.line("check a line", 1e6 * checking, "us")
    for name, seconds in (("run", writing + checking), ("score", checking)):
        sheet.line(f"share of a {name}", seconds * ROWS / costs[name].cpu, "", at_most(MAX_SHARE), cost=costs[name])
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
