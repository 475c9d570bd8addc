"""`auricle export`: write a run in the format of another framework."""

from __future__ import annotations

from pathlib import Path

import click

from auricle.cli.options import any_path, existing_directory
from auricle.interop.frameworks import EXPORT_FORMATS


@click.command()
@click.argument("run", type=existing_directory)
@click.option("--as", "export_format", required=True, type=click.Choice(EXPORT_FORMATS), help="Target framework.")
@click.option("-o", "--out", type=any_path, metavar="DIR", help="Output folder. [default: RUN/FRAMEWORK]")
def export(run: Path, export_format: str, out: Path | None) -> None:
    """Export a run in the result format of another framework.

    The framework's own scorer and notebooks can read the files.
    """
    from auricle.interop.result_export import export_run

    for path in export_run(run, export_format, out, lambda note: click.echo(f"Note: {note}", err=True)):
        click.echo(path)
