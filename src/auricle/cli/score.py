"""`auricle score`: recompute the metrics of runs from their journals."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import foreign_output
from auricle.core.errors import ExitStatus, NothingToJudge

if TYPE_CHECKING:
    from auricle.cli.progress import ProgressFormat
    from auricle.engine.spec import JudgeSpec
    from auricle.runs.result import RunResult


@click.command()
@click.argument("runs", nargs=-1, required=True, type=opt.existing_directory)
@opt.repeated(
    "--metrics NAME",
    "Metric to compute instead of those of the run: a name from `auricle list metrics`, or file.py:function; repeat "
    "for several. [default: the metrics of the run]",
)
@opt.add_metrics_option
@opt.repeated("-T task_args KEY=VALUE", "Task argument that changes how answers are scored, such as by=speaker.")
@opt.repeated(
    "--profile NAME",
    "Text normaliser to score with; see `auricle list profiles`. Repeat for several: numbers of the second and "
    "further ones are named wer@NAME. [default: the normaliser of the run]",
)
@opt.cluster_option
@opt.option_group("Judge", *opt.judge_options, opt.human_option, opt.prices_option, opt.max_cost_option)
@opt.option_group("Spoken answers", *opt.spoken_options)
@opt.count("-j --concurrency N", "Maximum judge requests in flight.", default=64)
@opt.progress_option
@opt.json_option
def score(
    runs: Sequence[Path],
    profile: tuple[str, ...],
    metrics: tuple[str, ...],
    add_metrics: tuple[str, ...],
    progress: ProgressFormat,
    as_json: bool,
    **options: Any,
) -> None:
    """Recompute the metrics of runs from their journals.

    With --metrics, others are computed. Loads no model except those given with --judge, --judge-unread, --recogniser,
    --speaker-model and --quality-model.
    """
    from auricle import Settings, api
    from auricle.cli.error_report import log_errors_in
    from auricle.cli.evaluation import print_failures, print_missing_verdicts
    from auricle.cli.progress import open_progress
    from auricle.engine.spec import JudgeSpec

    settings = Settings(concurrency=options.pop("concurrency"))
    task_args = _collect_task_arguments(
        options.pop("task_args"),
        metrics=",".join(metrics),
        add_metrics=",".join(add_metrics),
        cluster=options.pop("cluster"),
    )
    judges = [JudgeSpec(**fields) for fields in opt.resolve_judges(None, options)]
    budget = opt.build_budget(options["prices"], options["max_cost"], judges)
    results = []
    folders = _list_folders(runs, options["human"])
    for run in folders:
        bar = open_progress(progress, "judging", phase="judging")
        with log_errors_in(run), foreign_output(), bar as display:
            observer = budget.with_observer(display) if budget else display
            score_run = partial(api.score, run, profile, task_args=task_args, settings=settings, observer=observer)
            result = _score_run(score_run, judges, is_alone=len(folders) == 1)
            display.finish(result.exit_status)
        results.append(result)
        assert result.metrics
        print_missing_verdicts(result, result.metrics, budget)
        print_failures(result)
        if result.exit_status == ExitStatus.INTERRUPTED or result.stop_reason:
            break
    _print_scored(runs, results, as_json)
    sys.exit(max(result.exit_status for result in results))


def _score_run(score_run: Callable[..., RunResult], judges: Sequence[JudgeSpec], *, is_alone: bool) -> RunResult:
    """Score a run, without the judges if it has nothing to judge and other runs may have."""
    try:
        return score_run(judge=judges)
    except NothingToJudge:
        if is_alone:
            raise
        return score_run()


def _collect_task_arguments(words: Sequence[str], **named: str | None) -> dict[str, Any]:
    """Combine the arguments of -T with those that have options of their own, which take precedence."""
    from auricle.engine.spec import parse_arguments

    return parse_arguments(words) | {name: value for name, value in named.items() if value}


def _list_folders(runs: Sequence[Path], human: Path | None) -> list[Path]:
    """Return the runs and the parts of suites among these folders, after storing human labels in the only run."""
    from auricle import api
    from auricle.core.errors import SpecError
    from auricle.runs.suites import list_runs

    folders = [folder for run in runs for folder in list_runs(run)]
    if human:
        if len(folders) > 1:
            raise SpecError(f"--human has the labels of one run, but {len(folders)} are given.")
        api.add_labels(folders[0], human)
    return folders


def _print_scored(runs: Sequence[Path], results: Sequence[RunResult], as_json: bool) -> None:
    """Print the metrics of the runs that were scored, and combine those of suites."""
    from auricle import api
    from auricle.cli.show import print_metrics
    from auricle.runs.suites import contains_suite

    scored = {result.path: result.metrics for result in results if result.metrics}
    combined = {run: api.load_metrics(run) for run in runs if contains_suite(run)}
    print_metrics([(run, metrics) for run in runs if (metrics := combined.get(run) or scored.get(run))], as_json)
