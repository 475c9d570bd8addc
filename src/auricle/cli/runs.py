"""`auricle runs`: list the runs in a folder."""

from __future__ import annotations

from pathlib import Path

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, print_result


@click.command()
@click.argument("folder", type=opt.existing_directory, default="runs")
@opt.text(
    "--filter condition TEXT",
    "List only matching runs: words, and conditions such as 'status:failed wer>20 tag:paper'. [default: all]",
)
@opt.json_option
def runs(folder: Path, condition: str | None, as_json: bool) -> None:
    """List the runs in FOLDER with their status and first metric: running ones first, then the newest."""
    from auricle.report.run_list import format_runs, run_to_dict
    from auricle.runs.run_filter import RunFilter
    from auricle.runs.run_summary import RunIndex, find_run_folders

    run_filter = RunFilter.parse(condition or "")
    root = folder.resolve()
    summaries = [run for run in RunIndex(root).summarise(find_run_folders(root)) if run_filter.matches(run)]
    if not summaries and not as_json:
        echo("No run matches." if condition else f"No runs in {folder}.", err=True)
        return
    print_result(as_json, [run_to_dict(run) for run in summaries], format_runs(summaries))
