"""Run one evaluation with a progress bar and report its outcome as an exit code."""

from __future__ import annotations

import re
import shlex
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import click

from auricle import Settings, Spec, api
from auricle.cli.estimate import MIN_SAMPLES_FOR_ESTIMATE, estimate_run
from auricle.cli.exit_codes import EXIT_FAILURES, EXIT_INTERRUPTED, EXIT_OK
from auricle.cli.progress_bar import Progress
from auricle.core.redaction import redact
from auricle.core.serialization import dumps
from auricle.engine.budget import Budget
from auricle.engine.spec import parse_arguments
from auricle.runs.run_directory import Run, set_aside
from auricle.tasks.base import Task


def run_spec(
    spec: Spec,
    folder: Path,
    settings: Settings,
    *,
    infer_only: bool = False,
    fresh: bool = False,
    budget: Budget | None = None,
) -> int:
    """Evaluate one spec in a folder, or resume it, and return the exit code."""
    if fresh and (old_run := set_aside(folder)):
        click.echo(f"The earlier run was moved to {old_run}.", err=True)
    task = api.build_task(spec)
    title = f"{task.name} × {api.display_name(spec.model)}"
    sample_count = _count_samples(task.samples, spec)
    for note in task.notes(spec.model, spec.model_args):
        click.echo(f"Note: {note}", err=True)
    _print_estimate(task, spec, folder, sample_count, budget)
    # Standard output is for results; what a model prints goes to standard error.
    with redirect_stdout(sys.stderr), Progress(title, sample_count) as progress:
        observer = budget.with_observer(progress) if budget else progress
        numbers = api.evaluate(
            spec, folder, settings=settings, observer=observer, judge_observer=progress, infer_only=infer_only
        )
    if not Run.load(folder).read_progress().get("complete"):
        return _report_stopped(budget.stop_reason if budget else "")
    unscored = not infer_only and _unscored_metrics(folder, task, {number.metric for number in numbers})
    if numbers and unscored and "metrics" not in spec.task_args:
        unscored -= {*(Run.load(folder).read_metrics() or {}).get("unsuited", ())}
    judge_code = EXIT_OK if infer_only else judge_exit_code(folder, spec.judge is not None)
    return max(EXIT_FAILURES if progress.failed or unscored else EXIT_OK, judge_code)


def judge_exit_code(folder: Path, judge_requested: bool) -> int:
    """Return the exit code of the judge pass, and report verdicts that are missing or failed."""
    judge = (Run.load(folder).read_metrics() or {}).get("judge", {})
    missing, failed = judge.get("missing"), judge.get("failed")
    if not missing and not failed:
        return EXIT_OK
    command = resume_command() if judge_requested else f"auricle score {folder} --judge {judge['model']}"
    click.echo(f"{missing} verdicts are missing, {failed} failed. Request them with: {command}", err=True)
    return EXIT_INTERRUPTED if missing and judge_requested else EXIT_FAILURES


def run_folder_name(spec: Spec) -> str:
    """Return the default name of a run directory: task and model."""
    name = f"{api.build_task(spec).name}-{api.display_name(spec.model)}"
    return re.sub(r"[^\w.+-]+", "-", name).strip("-")


def resume_command() -> str:
    """Return the command line that resumes this run, without secrets."""
    arguments = [_redact_argument(argument) for argument in sys.argv[1:] if argument != "--fresh"]
    return shlex.join(["auricle", *arguments])


def _redact_argument(argument: str) -> str:
    """Hide the value of an argument such as `api_key=…`."""
    option, pair = (argument[:2], argument[2:]) if argument.startswith(("-M", "-J")) else ("", argument)
    if "=" not in pair:
        return argument
    parsed = parse_arguments([pair]) if not pair.startswith(("-", "=")) else {}
    redacted = redact(parsed)
    if redacted == parsed:
        return argument
    ((name, value),) = redacted.items()
    return f"{option}{name}={value if isinstance(value, str) else dumps(value).decode().strip()}"


def _unscored_metrics(folder: Path, task: Task, scored_metrics: set[str]) -> set[str]:
    """Return the metrics without a value, except those that apply to no sample."""
    document = Run.load(folder).read_metrics() or {}
    failed = {*document.get("refused", ()), *document.get("unreadable", ())}
    return {
        metric.name
        for metric in task.metrics
        if metric.name not in scored_metrics and (metric.applies is None or metric.name in failed)
    }


def _print_estimate(task: Task, spec: Spec, folder: Path, sample_count: int | None, budget: Budget | None) -> None:
    """Print what a large or paid run is going to take."""
    if budget is None and (sample_count or 0) < MIN_SAMPLES_FOR_ESTIMATE:
        return
    completed = len(Run.load(folder).open_index().id_digests()) if (folder / "spec.json").exists() else 0
    price = budget.price if budget else None
    if line := estimate_run(task, spec, sample_count, min(completed, sample_count or completed), price):
        click.echo(line, err=True)


def _report_stopped(reason: str) -> int:
    cause, remedy = (f": {reason}", " a higher --max-cost") if reason else ("", "")
    click.echo(f"Stopped{cause}. No completed sample is lost. Resume with{remedy}: {resume_command()}", err=True)
    return EXIT_FAILURES if reason else EXIT_INTERRUPTED


def _count_samples(samples: Any, spec: Spec) -> int | None:
    """Return the number of samples if it is known without reading them."""
    try:
        size = len(samples)
    except (TypeError, OSError):
        return spec.limit
    return min(size, spec.limit) if spec.limit else size
