"""Measure what the checksums of journal lines cost: a run of a model that does nothing, with and without them."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

import sample_data
from measure import Cost, Sheet, at_most, measure_cost

from auricle import evaluate, score
from auricle.core.serialization import dumps

ROWS, ROUNDS = 50_000, 5
MAX_RATIO = 1.03


@contextmanager
def without_checksums() -> Iterator[None]:
    """Write lines as they are encoded, and accept every line."""
    with ExitStack() as stack:
        stack.enter_context(patch("auricle.core.serialization.dump_canonical", dumps))
        stack.enter_context(patch("auricle.runs.journal.add_checksum", lambda line: line))
        stack.enter_context(patch("auricle.runs.journal.find_damage", lambda _: ""))
        yield


def compare(sheet: Sheet, name: str, work: Callable[[str], object]) -> None:
    """Measure a command with and without checksums in turns, and print the ratio of the least processor times."""
    costs: dict[str, list[Cost]] = {"with": [], "without": []}
    for _ in range(ROUNDS):
        costs["with"].append(measure_cost(lambda: work("with")))
        with without_checksums():
            costs["without"].append(measure_cost(lambda: work("without")))
    typical = {kind: min(cost.cpu for cost in measured) for kind, measured in costs.items()}
    sheet.line(f"{name}, without checksums", typical["without"], "s", cost=min(costs["without"]))
    ratio = typical["with"] / typical["without"]
    sheet.line(f"{name}, with", ratio, "x cpu", at_most(MAX_RATIO), cost=min(costs["with"]))


def main() -> int:
    sheet = Sheet(f"checksums of {ROWS:,} lines")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        data = sample_data.write(folder / "data.jsonl", sample_data.rows(ROWS))
        spec = sample_data.spec(data, f"{sample_data.__file__}:NoOp")
        runs = iter(range(1_000))
        evaluate(spec, folder / "warm-up")
        compare(sheet, "run", lambda kind: evaluate(spec, folder / f"{kind}{next(runs)}"))
        for kind in ("with", "without"):
            with ExitStack() as stack:
                if kind == "without":
                    stack.enter_context(without_checksums())
                evaluate(spec, folder / kind)
        compare(sheet, "score", lambda kind: score(folder / kind))
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
