"""Measure the start of commands, compared with a Python that does nothing."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import sample_data
from measure import Sheet, at_most, measure_best

from auricle import evaluate

ROUNDS = 20
SAMPLES = 1000
ALLOWANCE = 0.15  # seconds above twice a bare Python
AURICLE = str(Path(sys.executable).with_name("auricle"))


def run_process(*command: str) -> Callable[[], object]:
    return lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    sheet = Sheet(f"Commands, best of {ROUNDS} rounds")
    with tempfile.TemporaryDirectory() as folder:
        data = sample_data.write(Path(folder, "data.jsonl"), sample_data.rows(SAMPLES))
        run = Path(folder, "run")
        evaluate(sample_data.spec(data), run)
        costs = measure_best(
            {
                "python -c pass": run_process(sys.executable, "-c", "pass"),
                "import auricle": run_process(sys.executable, "-c", "import auricle"),
                "auricle --help": run_process(AURICLE, "--help"),
                "auricle list models": run_process(AURICLE, "list", "models"),
                "auricle show RUN": run_process(AURICLE, "show", str(run)),
            },
            ROUNDS,
        )
    bare = costs["python -c pass"].wall
    for name, cost in costs.items():
        target = at_most(2 * bare + ALLOWANCE) if name == "auricle --help" else None
        sheet.line(name, cost.wall, "s", target, cost.wall / bare, cost)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
