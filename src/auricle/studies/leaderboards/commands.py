"""`auricle leaderboard`: print models against tasks, or write a website of runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, print_json
from auricle.cli.show import load_metrics
from auricle.core.errors import SpecError
from auricle.core.terminal import Screen

if TYPE_CHECKING:
    from auricle.studies.leaderboards.site import Site


@click.command()
@click.argument("runs", nargs=-1, required=True, type=opt.existing_directory)
@opt.choice(
    "--format output_format",
    "Output format. [default: text on a terminal, otherwise markdown; with --site, no table is printed]",
    ("text", "markdown", "csv", "latex"),
)
@opt.flag("--all-metrics", "Show every metric. [default: the first metric of each task]")
@opt.flag("--ignore-prompt", "Let runs with different prompts or inferencers share a column.")
@opt.path(
    "--site DIR",
    "Write a website that needs no server: the leaderboard, a page per task and a page per run. "
    "[default: print a table]",
)
@opt.text("--title TEXT", "Title of the website. [default: Leaderboard]")
@opt.flag(
    "--audio",
    "Include recordings of samples in the website, where the licence of the data allows it. [default: no sound]",
    default=None,
)
@opt.count(
    "--samples N",
    "Number of samples of each task that have a page with the answers of all models in the website. [default: 20]",
    minimum=0,
)
@opt.json_option
def leaderboard(
    runs: tuple[Path, ...], output_format: str | None, site: Path | None, as_json: bool, **options: Any
) -> None:
    """Print a leaderboard; only comparable runs share a column.

    A folder that is not a run stands for the runs in it.
    """
    from auricle.studies.leaderboards.table import build_leaderboard

    runs = tuple(list_runs(runs))
    of_website = {name: options[name] for name in ("title", "audio", "samples") if options[name] is not None}
    if site is None and of_website:
        raise SpecError("--title, --audio and --samples are options of a website: add --site DIR.")
    selection = {"all_metrics": options["all_metrics"], "split_by_prompt": not options["ignore_prompt"]}
    if site is None:
        table = build_leaderboard(((str(run), load_metrics(run)) for run in runs), **selection)
        output_format = output_format or ("text" if Screen.find() else "markdown")
    else:
        written = write_website(runs, site, **of_website, **selection)
        table = written.board
        echo(
            f"Website: {written.index.resolve()} ({written.runs:,} runs, {written.size / 1e6:.1f} MB)",
            err=as_json or bool(output_format),
        )
        for reason in written.skipped:
            echo(f"Not shown: {reason}", err=True)
        for reason in written.silent:
            echo(f"Without sound: {reason}", err=True)
    if as_json:
        print_json(table.list_results())
    elif output_format:
        formats = {"text": table.to_text, "markdown": table.to_markdown, "csv": table.to_csv, "latex": table.to_latex}
        echo(formats[output_format](), nl=False)


def list_runs(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield runs and suites; a folder that is neither, such as that of the demo, is replaced by those in it."""
    from auricle.runs.run_directory import contains_load_test, contains_run
    from auricle.runs.run_summary import find_run_folders
    from auricle.runs.suites import contains_suite

    for folder in folders:
        if contains_run(folder) or contains_suite(folder):
            yield folder
            continue
        runs = (path for path in find_run_folders(folder) if not contains_load_test(path))
        yield from dict.fromkeys(path.parent if contains_suite(path.parent) else path for path in runs) or [folder]


def write_website(runs: Sequence[Path], folder: Path, **options: Any) -> Site:
    """Write a website of runs, which are scored first if their metrics are missing or out of date."""
    from auricle.studies.leaderboards.site import SiteOptions, write_site

    return write_site(((run, load_metrics(run)) for run in runs), folder, SiteOptions(**options))
