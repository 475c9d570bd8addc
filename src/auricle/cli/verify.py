"""`auricle verify`: check that the files of runs are intact."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, print_json
from auricle.core.errors import ExitStatus

if TYPE_CHECKING:
    from auricle.runs.integrity import Verification

MAX_PRINTED = 20
"""Problems that are printed for each run; --json has all of them."""


@click.command()
@click.argument("runs", nargs=-1, required=True, type=opt.existing_directory)
@opt.json_option
def verify(runs: tuple[Path, ...], as_json: bool) -> None:
    """Check that the files of runs are intact.

    Reads the spec, every line of the journal and of the verdicts, spoken outputs and derived files. Prints what is
    damaged, with line numbers, and what running the same command again would send. Nothing is changed. Exits with 3 if
    a run is damaged.
    """
    from auricle.runs.documents import to_plain
    from auricle.runs.integrity import verify_run

    results = [verify_run(run) for run in runs]
    if as_json:
        print_json([{"intact": result.is_intact, **to_plain(result)} for result in results])
    else:
        echo("\n".join(line for result in results for line in _format(result)))
    if not all(result.is_intact for result in results):
        sys.exit(ExitStatus.FAILURES)


def _format(result: Verification) -> Iterator[str]:
    yield f"{result.run}: {'intact' if result.is_intact else 'damaged'}, {result.records:,} samples can be read."
    for title, problems in (("Damaged", result.problems), ("Outdated", result.outdated)):
        yield from (f"  {title}: {problem.describe()}" for problem in problems[:MAX_PRINTED])
        if len(problems) > MAX_PRINTED:
            yield f"  {title}: {len(problems) - MAX_PRINTED:,} more; see --json."
    if result.outdated:
        yield f"  Write derived files again with: auricle score {result.run}"
    if result.missing:
        numbers = ", ".join(map(str, result.missing_rows[:MAX_PRINTED]))
        end = "" if result.missing == 1 else "s"
        rows = f" (row{end} {numbers}{', …' if result.missing > MAX_PRINTED else ''})" if numbers else ""
        yield f"  Running the same command again sends {result.missing:,} sample{end}{rows}."
    if result.failed:
        yield f"  It also sends the {result.failed:,} samples that failed, unless --skip-failed is given."
