"""`auricle log`: log finished runs to experiment trackers."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, foreign_output, print_json


@click.command()
@click.argument("runs", nargs=-1, required=True, type=opt.existing_directory)
@opt.registered_name(
    "--to trackers",
    "Tracker to log to; repeat for several.",
    "auricle.interop.trackers.catalogue:TRACKERS",
    multiple=True,
    required=True,
)
@opt.text(
    "--project NAME",
    "Project or experiment of the trackers. [default: that of the tracker's own variables, or auricle]",
    default="",
    show_default=False,
)
@opt.json_option
def log(runs: tuple[Path, ...], trackers: tuple[str, ...], project: str, as_json: bool) -> None:
    """Log finished runs to experiment trackers.

    A run that was logged before, by this command or by `auricle run --log`, is updated. The parts of a suite are logged
    one by one.
    """
    from auricle.interop.trackers.finished import log_runs

    logged = []
    with foreign_output():
        for entry in log_runs(runs, trackers, project):
            logged.append(asdict(entry) | {"run": str(entry.run)})
            if not as_json:
                echo(f"Logged {entry.run} to {entry.tracker}: {entry.location}", err=True)
    if as_json:
        print_json(logged)
