"""`auricle export`: write a run in the format of another framework."""

from __future__ import annotations

from pathlib import Path

import click

from auricle.cli import options as opt
from auricle.cli.output import echo


@click.command()
@click.argument("run", type=opt.existing_directory)
@opt.registered_name("--as export_format", "Target framework.", "auricle.interop.result_files:EXPORTERS", required=True)
@opt.path("-o --out DIR", "Output folder. [default: RUN/FRAMEWORK]")
def export(run: Path, export_format: str, out: Path | None) -> None:
    """Export a run in the result format of another framework.

    The framework's own scorer and notebooks can read the files.
    """
    from auricle.interop.result_export import export_run

    for path in export_run(run, export_format, out, lambda note: echo(f"Note: {note}", err=True)):
        echo(path)
