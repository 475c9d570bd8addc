"""The form of all tables of simulated coverage, and the section of docs/statistics.md that they make up.

    python bench/coverage_table.py             run every simulation and print the tables; half an hour
    python bench/coverage_table.py WER UAR     run those of some metrics
    python bench/coverage_table.py --write     and replace the section of docs/statistics.md

Each module in `SOURCES` has a function `tables(repetitions)` that yields `CoverageTable`; that of `coverage` also takes
words in the names of metrics.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

SOURCES = ("coverage", "coverage_conditions", "verification", "coverage_load", "shard_intervals")
PAGE = Path(__file__).parents[1] / "docs" / "statistics.md"
BEGIN, END = "<!-- simulated coverage: begin -->", "<!-- simulated coverage: end -->"


@dataclass(frozen=True)
class CoverageTable:
    """Shares of simulated data sets, one row per method or metric."""

    title: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[float | str]]]
    """A share per column, or a word where a number is refused or flagged instead."""
    head: str = "metric"
    note: str = ""
    """What was simulated, where the title does not say it."""

    def to_markdown(self) -> str:
        lines = [f"| {self.head} | {' | '.join(self.columns)} |", f"|---|{'---:|' * len(self.columns)}"]
        lines += [f"| {name} | {' | '.join(map(format_share, shares))} |" for name, shares in self.rows]
        return "\n".join([f"### {self.title}", "", *([self.note, ""] if self.note else []), *lines])


def format_share(share: float | str) -> str:
    if isinstance(share, str):
        return share
    return f"{share:.3f}".removeprefix("0") if share < 1 else "1.00"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-r", "--repetitions", type=int, default=600, help="simulated data sets per figure")
    parser.add_argument("metrics", nargs="*", help="only metrics whose names contain one of these words")
    parser.add_argument("--write", action="store_true", help="replace the section of docs/statistics.md")
    options = parser.parse_args()
    if options.write and options.metrics:
        parser.error("--write needs the tables of all metrics.")
    sections = []
    for name in ("coverage",) if options.metrics else SOURCES:
        arguments = (options.repetitions, options.metrics) if options.metrics else (options.repetitions,)
        for table in importlib.import_module(name).tables(*arguments):
            sections.append(table.to_markdown())
            print(f"\n{sections[-1]}", flush=True)
    if options.write:
        today = datetime.now(UTC).strftime("%d %B %Y").lstrip("0")
        intro = f"Made by `python bench/coverage_table.py --write` on {today}, {options.repetitions} repetitions."
        section = "\n\n".join([BEGIN, intro, *sections, END])
        page = PAGE.read_text()
        PAGE.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: section, page, flags=re.DOTALL))
    return 0


if __name__ == "__main__":
    sys.exit(main())
