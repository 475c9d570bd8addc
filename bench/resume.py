"""How long a run of 100,000 answered samples takes to be taken up: until the first new question.

The new rows stand at the end, so every answered one is passed over first. The bare loop beside it
parses the journal and the manifest and compares ids.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import material
import orjson
from measure import Cost, Sheet, cost

from auricle import Generate, Generation, evaluate, model

ANSWERED = 100_000
NEW = 64


@model("clocked")
class Clocked(material.BatchedNoOp):
    """Notes when it was first asked."""

    first: Cost | None = None

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        if Clocked.first is None:
            Clocked.first = Cost(time.perf_counter(), time.process_time())
        return super().generate(batch)


def resumed(data: Path, out: Path) -> Cost:
    """What passes before the first new question."""
    Clocked.first = None
    wall, cpu = time.perf_counter(), time.process_time()
    evaluate(material.spec(data, "clocked"), out, infer_only=True)
    asked = Clocked.first
    assert asked
    return Cost(asked.wall - wall, asked.cpu - cpu)


def bare(data: Path, journal: Path) -> int:
    with journal.open("rb") as lines:
        answered = {orjson.loads(line)["id"] for line in lines}
    with data.open("rb") as lines:
        return sum(orjson.loads(line)["id"] not in answered for line in lines)


def main() -> int:
    sheet = Sheet(f"A run of {ANSWERED:,} answered samples taken up for {NEW} more")
    with tempfile.TemporaryDirectory() as folder:
        data, out = Path(folder, "data.jsonl"), Path(folder, "run")
        rows = list(material.rows(ANSWERED + NEW))
        material.write(data, rows[:ANSWERED])
        evaluate(material.spec(data, "clocked"), out, infer_only=True)
        material.write(data, rows)
        loop = cost(lambda: bare(data, out / "outputs.jsonl"))
        spent = resumed(data, out)
    sheet.line("bare loop", loop.wall, "s", spent=loop)
    sheet.line("until the first new question", spent.wall, "s", None, spent.wall / loop.wall, spent)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
