"""Compare whole commands with an earlier version of the package, in turns.

    python bench/earlier_version.py /path/to/earlier/src

Measures start-up, a run of a model that does nothing, resuming it, and scoring it again.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

import sample_data
from api import measure_command
from measure import Cost, Sheet, at_most

ROWS = 100_000
MAX_RATIO = 1.05


def compare(
    sheet: Sheet, name: str, rounds: int, command: Callable[[str], list[str]], trees: dict[str, Path | None]
) -> None:
    """Run a command with both versions in turns and print the ratio of their medians."""
    costs: dict[str, list[Cost]] = {version: [] for version in trees}
    for _ in range(rounds):
        for version, tree in trees.items():
            costs[version].append(measure_command([sys.executable, "-m", "auricle", *command(version)], tree))
    best = {version: Cost(median(c.wall for c in runs), median(c.cpu for c in runs)) for version, runs in costs.items()}
    ratio = best["now"].cpu / best["before"].cpu
    sheet.line(f"{name}, before", best["before"].wall, "s", cost=best["before"])
    sheet.line(f"{name}, now", ratio, "x cpu", at_most(MAX_RATIO), best["now"].wall / best["before"].wall, best["now"])


def main(earlier: Path) -> int:
    sheet = Sheet("commands of this version and of an earlier one")
    trees: dict[str, Path | None] = {"before": earlier, "now": Path(__file__).parent.parent / "src"}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        data = sample_data.write(folder / "data.jsonl", sample_data.rows(ROWS))

        def run(version: str) -> list[str]:
            model = f"{sample_data.__file__}:NoOp"
            return ["run", str(data), "--as", "qa", "-T", "metrics=wer", "-m", model, "-o", str(folder / version)]

        compare(sheet, "help", 9, lambda _: ["--help"], trees)
        compare(sheet, "list models", 9, lambda _: ["list", "models"], trees)
        compare(sheet, f"run of {ROWS:,} samples", 3, lambda version: [*run(version), "--fresh"], trees)
        compare(sheet, "resume", 3, run, trees)
        compare(sheet, "score", 3, lambda version: ["score", str(folder / version)], trees)
        compare(sheet, "show", 9, lambda version: ["show", str(folder / version)], trees)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
