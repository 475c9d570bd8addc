"""Measure the time to resume a run with 100,000 answered samples, until the first new request.

The new rows are at the end, so all answered ones are skipped first. The bare loop parses the journal and the manifest
and compares ids.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import orjson
import sample_data
from measure import Cost, Sheet, measure_cost

from auricle import Generate, Generation, evaluate, model

ANSWERED = 100_000
NEW = 64


@model("clocked")
class Clocked(sample_data.BatchedNoOp):
    """Records the time of its first request."""

    first_request: Cost | None = None

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        if Clocked.first_request is None:
            Clocked.first_request = Cost(time.perf_counter(), time.process_time())
        return super().generate(batch)


def measure_resume(data: Path, out: Path) -> Cost:
    """Return the time until the first new request."""
    Clocked.first_request = None
    wall, cpu = time.perf_counter(), time.process_time()
    evaluate(sample_data.spec(data, "clocked"), out, infer_only=True)
    first_request = Clocked.first_request
    assert first_request
    return Cost(first_request.wall - wall, first_request.cpu - cpu)


def run_bare_loop(data: Path, journal: Path) -> int:
    with journal.open("rb") as lines:
        answered = {orjson.loads(line)["id"] for line in lines}
    with data.open("rb") as lines:
        return sum(orjson.loads(line)["id"] not in answered for line in lines)


def main() -> int:
    sheet = Sheet(f"Resume a run with {ANSWERED:,} answered and {NEW} new samples")
    with tempfile.TemporaryDirectory() as folder:
        data, out = Path(folder, "data.jsonl"), Path(folder, "run")
        rows = list(sample_data.rows(ANSWERED + NEW))
        sample_data.write(data, rows[:ANSWERED])
        evaluate(sample_data.spec(data, "clocked"), out, infer_only=True)
        sample_data.write(data, rows)
        loop = measure_cost(lambda: run_bare_loop(data, out / "outputs.jsonl"))
        resume = measure_resume(data, out)
    sheet.line("bare loop", loop.wall, "s", cost=loop)
    sheet.line("until the first new request", resume.wall, "s", None, resume.wall / loop.wall, resume)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
