"""`auricle show`: print the metrics of runs.

Imports no model, task or numerical library unless a run must be scored first.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, list_printed_notes, print_json
from auricle.core.errors import ExitStatus, SpecError
from auricle.report import terminal
from auricle.report.suite_views import SuiteView, load_suite_views
from auricle.report.usage_text import format_usage_line
from auricle.runs.documents import to_plain
from auricle.runs.metrics import LANGUAGE_FIELD, PART_FIELD, Metrics, read_current_metrics
from auricle.runs.run_spec import read_run_spec
from auricle.runs.suites import contains_suite, read_current_suite_metrics
from auricle.runs.task_names import name_tasks


@click.command()
@click.argument("runs", nargs=-1, required=True, type=opt.existing_directory)
@opt.repeated(
    "--by FIELD",
    "Also print metrics per value of this metadata field, or by the signal of recordings: snr, duration, level, "
    "speaking_rate, band or clipped; repeat for several. [default: subset, if present]",
)
@opt.flag("--all show_all", "Print every metric. [default: the headline metrics, if there are many]")
@opt.flag("--gaps", "Print how much each group differs from all others, by all metadata fields or those of --by.")
@opt.text("--metric NAME", "Metric of --gaps. [default: the first]", default="")
@opt.json_option
def show(runs: tuple[Path, ...], by: tuple[str, ...], show_all: bool, gaps: bool, metric: str, as_json: bool) -> None:
    """Print the metrics of runs."""
    loaded = [(run, load_metrics(run)) for run in runs]
    loaded = [(run, _add_slices(run, metrics, by)) for run, metrics in loaded]
    available = {number.field for _, metrics in loaded for number in metrics.numbers}
    for field in by:
        if field not in available:
            choices = ", ".join(sorted(available - {""})) or "none"
            raise SpecError(
                f"No metrics by {field!r}. Available fields: {choices}. Metrics are computed per value of a field "
                "that has 2 to 50 values and repeats over samples."
            )
    if gaps:
        _print_gaps(loaded, by, metric, as_json)
    else:
        print_metrics(loaded, as_json, by, show_all=show_all)
    if not all(metrics.journal.is_intact for _, metrics in loaded):
        sys.exit(ExitStatus.FAILURES)


def _add_slices(run: Path, metrics: Metrics, by: Sequence[str]) -> Metrics:
    """Add the numbers by signal that were requested; recordings that were not measured are measured first."""
    fields = [field for field in by if field not in metrics.fields]
    if not fields or contains_suite(run):
        return metrics
    from auricle.scoring.grouped_stats import add_slices, load_groups
    from auricle.scoring.sound_slices import MEASURED, SLICINGS

    fields = [field for field in fields if field in SLICINGS]
    if any(field in MEASURED for field in fields) and (count := load_groups(run, metrics).unmeasured):
        from auricle.runs.sound_measures import measure_run

        echo(f"Measuring {count:,} recordings of {run} …", err=True)
        for _ in measure_run(run, lambda audio: audio):
            pass
    return add_slices(run, metrics, fields) if fields else metrics


def _print_gaps(runs: Sequence[tuple[Path, Metrics]], by: Sequence[str], metric: str, as_json: bool) -> None:
    from auricle.report.gap_text import format_gaps
    from auricle.scoring.gaps import load_gaps

    for run, _ in runs:
        if contains_suite(run):
            raise SpecError(f"{run} is a suite, whose groups are not compared. Name the run of one of its parts.")
    gaps = [load_gaps(run, metrics, by, metric) for run, metrics in runs]
    if as_json:
        documents = zip(runs, gaps, strict=True)
        print_json([{"run": str(run), **to_plain(metrics), "gaps": rows} for (run, metrics), rows in documents])
        return
    titles = _title_runs([metrics for _, metrics in runs])
    for title, rows in zip(titles, gaps, strict=True):
        echo(title)
        echo("\n".join([*format_gaps(rows), ""]))


def load_metrics(run: Path) -> Metrics:
    """Return the metrics of a run or a suite; score it first if they are missing or out of date."""
    if contains_suite(run):
        published = read_current_suite_metrics(run)
    else:
        read_run_spec(run)  # raises if it is not a run
        published = read_current_metrics(run)
    if published is None:
        from auricle import api

        return api.load_metrics(run)
    return published


def print_metrics(
    runs: Sequence[tuple[Path, Metrics]], as_json: bool, by: Sequence[str] = (), *, show_all: bool = False
) -> None:
    """Print the metrics, failures, notes, usage and report path of runs."""
    if as_json:
        print_json([{"run": str(run), **to_plain(metrics)} for run, metrics in runs])
        return
    echo("\n".join(_format_runs(runs, by, show_all=show_all)))


def _default_fields(runs: Sequence[Metrics], views: Sequence[SuiteView]) -> list[str]:
    """Return the fields that numbers are broken down by without --by: subsets, and the parts of a suite."""
    available = {number.field for metrics in runs for number in metrics.numbers}
    defaults = {"subset": True, PART_FIELD: False, LANGUAGE_FIELD: False}
    for metrics in runs:
        defaults[PART_FIELD] |= bool(metrics.parts) and not any(view.matches(metrics) for view in views)
        defaults[LANGUAGE_FIELD] |= len({part.language for part in metrics.parts}) < len(metrics.parts)
    return [field for field, is_shown in defaults.items() if is_shown and field in available]


def _title_runs(runs: Sequence[Metrics]) -> list[str]:
    """Return the model and the task of each run."""
    tasks = name_tasks([metrics.task for metrics in runs])
    return [f"{metrics.model.name} on {task}" for metrics, task in zip(runs, tasks, strict=True)]


def _format_runs(runs: Sequence[tuple[Path, Metrics]], by: Sequence[str], *, show_all: bool) -> Iterator[str]:
    views, numbers = load_suite_views(), [metrics for _, metrics in runs]
    yield from terminal.format_metrics(numbers, by or _default_fields(numbers, views), show_all=show_all)
    yield from _format_suites(views, numbers, show_all=show_all)
    titles = _title_runs(numbers)
    known = list_printed_notes() if sys.stdout.isatty() and sys.stderr.isatty() else ()
    for (run, metrics), title in zip(runs, titles, strict=True):
        if not metrics.complete:
            parts = [part.name for part in metrics.parts if not part.complete]
            unfinished = f" ({', '.join(parts)})" if parts else ""
            count = metrics.outcomes.total
            yield f"\n{run} is not finished{unfinished}: these metrics cover the {count} samples completed so far."
        lines = [
            *(line for view in views if view.matches(metrics) for line in view.format_one(metrics)),
            *terminal.format_readings(metrics, run),
            *terminal.format_failures(metrics),
            *terminal.format_notes(metrics, known),
        ]
        if lines and len(runs) > 1:
            yield f"\n{title}:"
        yield from lines
    for (_, metrics), title in zip(runs, titles, strict=True):
        if line := format_usage_line(metrics):
            yield f"\n{title}: {line}" if len(runs) > 1 else f"\n{line}"
    yield ""
    for run, _ in runs:
        yield f"Report: {(run / 'report.html').resolve()}"


def _format_suites(views: Sequence[SuiteView], runs: Sequence[Metrics], *, show_all: bool) -> Iterator[str]:
    for view in views:
        if lines := view.format_together([metrics for metrics in runs if view.matches(metrics)], show_all=show_all):
            yield from ("", *lines)
