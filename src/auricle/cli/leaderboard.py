"""`auricle leaderboard`: print models against tasks, or write a website of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, print_json
from auricle.cli.show import load_metrics
from auricle.core.errors import SpecError

if TYPE_CHECKING:
    from auricle.report.site import Site


@click.command()
@click.argument("runs", nargs=-1, required=True, type=opt.existing_directory)
@opt.choice(
    "--format output_format",
    "Output format. [default: markdown; with --site, no table is printed]",
    ("markdown", "csv", "latex"),
)
@opt.flag("--all-metrics", "Show every metric. [default: the first metric of each task]")
@opt.flag("--ignore-prompt", "Let runs with different prompts or inferencers share a column.")
@opt.path(
    "--site DIR",
    "Write a website that needs no server: the leaderboard, a page per task and a page per run. "
    "[default: print a table]",
)
@opt.text("--title TEXT", "Title of the website. [default: Leaderboard]")
@opt.flag("--audio", "Include recordings of the worst samples in the website, as in report.html. [default: no sound]")
@opt.json_option
def leaderboard(
    runs: tuple[Path, ...], output_format: str | None, site: Path | None, as_json: bool, **options: Any
) -> None:
    """Print a leaderboard; only comparable runs share a column."""
    from auricle.report.leaderboard import build_leaderboard

    if site is None and (options["title"] or options["audio"]):
        raise SpecError("--title and --audio are options of a website: add --site DIR.")
    selection = {"all_metrics": options["all_metrics"], "split_by_prompt": not options["ignore_prompt"]}
    if site is None:
        table = build_leaderboard(((str(run), load_metrics(run)) for run in runs), **selection)
        output_format = output_format or "markdown"
    else:
        written = write_website(runs, site, title=options["title"], audio=options["audio"], **selection)
        table = written.board
        echo(
            f"Website: {written.index.resolve()} ({written.runs:,} runs, {written.size / 1e6:.1f} MB)",
            err=as_json or bool(output_format),
        )
        for reason in written.skipped:
            echo(f"Not shown: {reason}", err=True)
    if as_json:
        print_json(table.list_results())
    elif output_format:
        render = {"markdown": table.to_markdown, "csv": table.to_csv, "latex": table.to_latex}[output_format]
        echo(render(), nl=False)


def write_website(runs: Sequence[Path], folder: Path, *, title: str | None, **options: bool) -> Site:
    """Write a website of runs, which are scored first if their metrics are missing or out of date."""
    from auricle.report.site import DEFAULT_TITLE, SiteOptions, write_site

    return write_site(
        ((run, load_metrics(run)) for run in runs), folder, SiteOptions(title=title or DEFAULT_TITLE, **options)
    )
