"""`auricle export`: write a run in the format of another framework."""

from __future__ import annotations

from pathlib import Path

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, print_result


@click.command()
@click.argument("run", type=opt.existing_directory)
@opt.registered_name("--as export_format", "Target framework.", "auricle.interop.result_files:EXPORTERS", required=True)
@opt.path("-o --out DIR", "Output folder. [default: RUN/FRAMEWORK]")
@opt.json_option
def export(run: Path, export_format: str, out: Path | None, as_json: bool) -> None:
    """Export a run in the result format of another framework.

    The framework's own scorer and notebooks can read the files.
    """
    from auricle.interop.result_export import export_run

    notes: list[str] = []
    files = [str(path) for path in export_run(run, export_format, out, notes.append)]
    for note in notes:
        echo(f"Note: {note}", err=True)
    print_result(as_json, {"run": str(run), "format": export_format, "files": files, "notes": notes}, files)
