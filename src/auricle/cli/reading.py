"""Commands that read runs; none loads a model but a judge."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from auricle.cli.options import existing_directory, json_option, judge_args_option, judge_option

EXPORT_FORMATS = ("kimi", "lmms-eval", "ultraeval", "open-asr", "cmi")


@click.command()
@click.argument("runs", nargs=-1, required=True, type=existing_directory)
@click.option("--profile", help="Another normaliser; see `auricle list profiles`.")
@judge_option
@judge_args_option
@click.option("-j", "--concurrency", type=click.IntRange(1), default=64, help="Of the judge.")
@json_option
def score(**options: Any) -> None:
    """Score runs again from their journals; only a judge that is named is loaded."""
    from auricle.cli.run import score_runs

    sys.exit(score_runs(**options))


@click.command()
@click.argument("runs", nargs=-1, required=True, type=existing_directory)
@click.option("--by", multiple=True, help="Break down by a meta field, such as subset.")
@json_option
def show(runs: tuple[Path, ...], by: tuple[str, ...], as_json: bool) -> None:
    """Print the numbers of runs, finished or not."""
    from auricle.cli.show import show_runs

    show_runs(runs, by, as_json)


@click.command()
@click.argument("run", type=existing_directory)
@click.option("--worst", type=click.IntRange(1), help="Only the N worst by the first metric.")
@click.option("--failed", is_flag=True, help="Only those without an answer.")
@json_option
def samples(run: Path, worst: int | None, failed: bool, as_json: bool) -> None:
    """List a run's samples: what was right, what was answered."""
    from auricle.cli.show import list_samples

    list_samples(run, worst, failed, as_json)


@click.command()
@click.argument("a", type=existing_directory)
@click.argument("b", type=existing_directory)
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Only these.")
@click.option("--by", metavar="FIELD", help="Also by a meta field, such as subset.")
@click.option("--flips", type=click.IntRange(0), default=5, show_default=True, help="Samples each way.")
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Write a page, too.")
@json_option
def compare(a: Path, b: Path, **options: Any) -> None:
    """How run B differs from run A, the baseline: pair by pair, and how surely."""
    from auricle.cli.show import compare_runs

    compare_runs((a, b), **options)


@click.command()
@click.argument("runs", nargs=-1, required=True, type=existing_directory)
@click.option("--as", "form", type=click.Choice(["markdown", "csv", "latex"]), default="markdown", show_default=True)
@click.option("--every", is_flag=True, help="Every metric, not only each task's first.")
@click.option("--however-asked", is_flag=True, help="Runs asked in other ways share a column.")
def leaderboard(runs: tuple[Path, ...], output_format: str, all_metrics: bool, ignore_prompting: bool) -> None:
    """Print models against tasks, in which only like stands below like."""
    from auricle.cli.show import load_metrics
    from auricle.report.leaderboard import build_leaderboard

    found = build_leaderboard(
        ((str(run), load_metrics(run)) for run in runs), all_metrics=all_metrics, split_by_prompt=not ignore_prompting
    )
    click.echo(getattr(found, output_format)(), nl=False)


@click.command()
@click.argument("run", type=existing_directory)
@click.option("--as", "form", required=True, type=click.Choice(EXPORT_FORMATS), help="Whose files.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="By default RUN/kimi, …")
def export(run: Path, export_format: str, out: Path | None) -> None:
    """Write a run as another framework would have: files its scorer and notebooks can read."""
    from auricle.interop.result_export import export_run as write

    for path in write(run, export_format, out, lambda line: click.echo(f"Note: {line}", err=True)):
        click.echo(path)


LISTABLE_KINDS = ["tasks", "models", "metrics", "inferencers", "retrievers", "encoders", "profiles"]


@click.command(name="list")
@click.argument("kind", type=click.Choice(LISTABLE_KINDS))
@json_option
def list_(kind: str, as_json: bool) -> None:
    """List what can be named."""
    from auricle.cli.show import list_names

    list_names(kind, as_json)
