"""How long a command takes before it does anything, beside a Python that does nothing."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import material
from measure import Sheet, at_most, best

from auricle import evaluate

ROUNDS = 20
SAMPLES = 1000
SLACK = 0.15  # seconds beyond twice a bare Python
AURICLE = str(Path(sys.executable).with_name("auricle"))


def process(*command: str) -> Callable[[], object]:
    return lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    sheet = Sheet(f"Commands, best of {ROUNDS} rounds")
    with tempfile.TemporaryDirectory() as folder:
        data = material.write(Path(folder, "data.jsonl"), material.rows(SAMPLES))
        run = Path(folder, "run")
        evaluate(material.spec(data), run)
        spent = best(
            {
                "python -c pass": process(sys.executable, "-c", "pass"),
                "import auricle": process(sys.executable, "-c", "import auricle"),
                "auricle --help": process(AURICLE, "--help"),
                "auricle list models": process(AURICLE, "list", "models"),
                "auricle show RUN": process(AURICLE, "show", str(run)),
            },
            ROUNDS,
        )
    bare = spent["python -c pass"].wall
    for name, each in spent.items():
        target = at_most(2 * bare + SLACK) if name == "auricle --help" else None
        sheet.line(name, each.wall, "s", target, each.wall / bare, each)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
