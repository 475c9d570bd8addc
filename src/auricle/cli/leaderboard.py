"""`auricle leaderboard`: print models against tasks."""

from __future__ import annotations

from pathlib import Path

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, print_json
from auricle.cli.show import load_metrics


@click.command()
@click.argument("runs", nargs=-1, required=True, type=opt.existing_directory)
@opt.choice("--format output_format", "Output format.", ("markdown", "csv", "latex"), default="markdown")
@opt.flag("--all-metrics", "Show every metric. [default: the first metric of each task]")
@opt.flag("--ignore-prompt", "Let runs with different prompts or inferencers share a column.")
@opt.json_option
def leaderboard(
    runs: tuple[Path, ...], output_format: str, all_metrics: bool, ignore_prompt: bool, as_json: bool
) -> None:
    """Print a leaderboard; only comparable runs share a column."""
    from auricle.report.leaderboard import build_leaderboard

    documents = ((str(run), load_metrics(run)) for run in runs)
    table = build_leaderboard(documents, all_metrics=all_metrics, split_by_prompt=not ignore_prompt)
    render = {"markdown": table.to_markdown, "csv": table.to_csv, "latex": table.to_latex}[output_format]
    if as_json:
        print_json(table.list_results())
    else:
        echo(render(), nl=False)
