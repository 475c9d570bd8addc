"""`auricle judge-check`: measure the biases of a judge."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, foreign_output, print_json
from auricle.core.errors import ExitStatus

if TYPE_CHECKING:
    from auricle.cli.progress import ProgressFormat


@click.command("judge-check")
@click.argument("run", type=opt.existing_directory)
@click.argument("other", required=False, type=opt.existing_directory)
@opt.text("--metric NAME", "Judged metric to check. [default: the first of the run]")
@opt.count("--samples N", "Most samples to ask about, with three verdicts each.", default=50)
@opt.option_group("Judge", *opt.judge_options, opt.human_option, opt.prices_option, opt.max_cost_option)
@opt.count("-j --concurrency N", "Maximum judge requests in flight.", default=64)
@opt.progress_option
@opt.json_option
def judge_check(run: Path, other: Path | None, progress: ProgressFormat, as_json: bool, **options: Any) -> None:
    """Measure the biases of the judge of RUN, or of another one.

    Asks for verdicts on some samples, for the same verdicts again, and for verdicts on answers padded with empty words.
    OTHER, a run of another model on the same data, is needed to check self-preference. Verdicts are stored in RUN, so
    that the same command resumes.
    """
    from auricle import Settings, api
    from auricle.cli.error_report import log_errors_in
    from auricle.cli.evaluation import resume_command
    from auricle.cli.progress import open_progress
    from auricle.engine.spec import JudgeSpec
    from auricle.runs.documents import to_plain
    from auricle.runs.run_directory import Run
    from auricle.studies.judges.report import CheckSettings, check_judges, find_judges, format_checks

    if options["human"]:
        api.add_labels(run, options["human"])
    named = {name: options[name] for name in ("judge", "judge_args")}
    given = [JudgeSpec(**fields) for fields in opt.resolve_judges(None, named)]
    judges = [judge.resolved() for judge in given] or find_judges(Run.load(run))
    budget = opt.build_budget(options["prices"], options["max_cost"], judges)
    with log_errors_in(run), foreign_output(), open_progress(progress, "judging", phase="judging") as display:
        settings = CheckSettings(
            options["samples"],
            Settings(concurrency=options["concurrency"]),
            budget.judge_prices if budget else {},
            lambda line: echo(line, err=True),
        )
        observer = budget.with_observer(display) if budget else display
        runs = [run, *([other] if other else ())]
        checks, stop_reason = check_judges(runs, judges, options["metric"], options=settings, observer=observer)
    api.load_metrics(run)  # the report has a section with the checks
    if as_json:
        results = [{**to_plain(result), "finding": result.finding} for result in checks.results]
        print_json({**to_plain(checks), "results": results})
    else:
        echo("\n".join(format_checks(checks)))
    if stop_reason:
        echo(f"The judge was stopped: {stop_reason}. Resume with: {resume_command()}", err=True)
        sys.exit(ExitStatus.FAILURES)
