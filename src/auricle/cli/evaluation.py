"""Run one evaluation with a progress display and explain how it ended."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle import Settings, api
from auricle.cli.estimate import MIN_SAMPLES_FOR_ESTIMATE, estimate_run
from auricle.cli.progress import open_progress
from auricle.core.redaction import redact
from auricle.core.serialization import dumps
from auricle.engine.budget import Budget
from auricle.engine.config import RunConfig
from auricle.engine.factory import Evaluation
from auricle.engine.spec import parse_arguments
from auricle.runs.result import RunResult
from auricle.runs.run_directory import Run, contains_run, set_aside

if TYPE_CHECKING:
    from auricle.runs.metrics import JudgeFacts


def run_evaluation(
    evaluation: Evaluation,
    folder: Path,
    config: RunConfig,
    *,
    settings: Settings | None = None,
    budget: Budget | None = None,
) -> RunResult:
    """Run one of the evaluations of a config in a folder, or resume it.

    Args:
        evaluation: What to evaluate.
        folder: Run directory.
        config: How to run it.
        settings: The settings of the config with an open cache, if there is one.
        budget: Stops the run when it has spent its limit; shared by all evaluations.
    """
    if config.fresh and (old_run := set_aside(folder)):
        click.echo(f"The earlier run was moved to {old_run}.", err=True)
    spec, count = evaluation.spec, evaluation.sample_count
    for note in evaluation.task.notes(spec.model, spec.model_args):
        click.echo(f"Note: {note}", err=True)
    _print_estimate(evaluation, folder, count, budget)
    price = budget.price if budget else None
    # Standard output is for results; what a model prints goes to standard error.
    with redirect_stdout(sys.stderr), open_progress(config.progress, evaluation.title, count, price) as progress:
        observer = budget.with_observer(progress) if budget else progress
        result = api.evaluate(
            evaluation, folder, settings=settings or config.settings, observer=observer, infer_only=config.infer_only
        )
        progress.finish(result.exit_status)
    if not result.complete:
        _print_stopped(result.stop_reason)
    elif result.metrics and result.metrics.judge:
        print_missing_verdicts(result, result.metrics.judge)
    return result


def print_missing_verdicts(result: RunResult, judge: JudgeFacts) -> None:
    """Report verdicts that are missing or failed, with the command that requests them."""
    if judge.missing or judge.failed:
        command = resume_command() if result.judge_requested else f"auricle score {result.path} --judge {judge.model}"
        click.echo(
            f"{judge.missing} verdicts are missing, {judge.failed} failed. Request them with: {command}", err=True
        )


def resume_command() -> str:
    """Return the command line that resumes this run, without secrets."""
    arguments = [_redact_argument(argument) for argument in sys.argv[1:] if argument != "--fresh"]
    return shlex.join(["auricle", *arguments])


def _redact_argument(argument: str) -> str:
    """Hide the value of an argument such as `api_key=…`."""
    option, pair = (argument[:2], argument[2:]) if argument.startswith(("-M", "-J")) else ("", argument)
    if "=" not in pair:
        return argument
    parsed: Mapping[str, Any] = parse_arguments([pair]) if not pair.startswith(("-", "=")) else {}
    redacted = redact(parsed)
    if redacted == parsed:
        return argument
    ((name, value),) = redacted.items()
    return f"{option}{name}={value if isinstance(value, str) else dumps(value).decode().strip()}"


def _print_estimate(evaluation: Evaluation, folder: Path, count: int | None, budget: Budget | None) -> None:
    """Print what a large or paid run is going to take."""
    if budget is None and (count or 0) < MIN_SAMPLES_FOR_ESTIMATE:
        return
    completed = len(Run.load(folder).open_index().id_digests()) if contains_run(folder) else 0
    price = budget.price if budget else None
    if line := estimate_run(evaluation, count, min(completed, count or completed), price):
        click.echo(line, err=True)


def _print_stopped(reason: str) -> None:
    cause, remedy = (f": {reason}", " a higher --max-cost") if reason else ("", "")
    click.echo(f"Stopped{cause}. No completed sample is lost. Resume with{remedy}: {resume_command()}", err=True)
