"""Run one evaluation: estimate its size and cost, show its progress and explain how it ended."""

from __future__ import annotations

import asyncio
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from auricle import Settings, api
from auricle.cli.error_report import format_command, log_errors_in
from auricle.cli.output import echo, foreign_output, print_note
from auricle.cli.progress import open_progress
from auricle.core.errors import AuricleError, ExitStatus
from auricle.core.judge_roles import JudgeRole
from auricle.core.types import Generate, Request, Sample
from auricle.engine.budget import Budget
from auricle.engine.config import RunConfig
from auricle.engine.factory import Evaluation
from auricle.engine.inferencers import preview_requests
from auricle.engine.inferencers.base import find_max_tokens
from auricle.engine.kept_model import KeptModel
from auricle.engine.settings import DEFAULT_LEASE_SECONDS
from auricle.engine.trackers.following import RunTracking, Trackers
from auricle.runs.health import describe_lines
from auricle.runs.metrics import Metrics, format_money
from auricle.runs.result import RunResult
from auricle.runs.run_directory import Run, contains_run, set_aside
from auricle.runs.shards.locations import contains_sharded_run
from auricle.runs.shards.status import StatusReader
from auricle.runs.shards.store import ShardStore
from auricle.runs.usage import MILLION, Price, sample_audio_seconds

MIN_SAMPLES_FOR_ESTIMATE = 1_000
"""Runs without a price file are estimated only from this number of samples on."""
MAX_ROWS_SCANNED, MAX_SAMPLES_INSPECTED = 500, 50
INSPECTION_SECONDS = 1.0
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedParts:
    """What the evaluations of a command share."""

    settings: Settings | None = None
    """The settings of the config with an open cache, if there is one."""
    budget: Budget | None = None
    """Stops a run when all have spent the limit."""
    kept_model: KeptModel | None = None
    """Keeps the model loaded for further evaluations of it."""
    trackers: Trackers | None = None
    """Where to log the runs."""


def run_evaluation(
    evaluation: Evaluation, folder: Path, config: RunConfig, shared: SharedParts | None = None
) -> RunResult:
    """Run one of the evaluations of a config in a folder, or resume it.

    Args:
        evaluation: What to evaluate.
        folder: Run directory.
        config: How to run it.
        shared: What it shares with the other evaluations of the command.
    """
    shared = shared or SharedParts()
    budget = shared.budget
    if config.fresh and (old_run := set_aside(folder)):
        echo(f"The earlier run was moved to {old_run}.", err=True)
    spec = evaluation.spec
    for note in evaluation.task.notes(spec.model, spec.model_args):
        print_note(note)
    # The rows of a sharded run are not counted before it: that would read all of the data.
    count = None if (shared.settings or config.settings).shards is not None else evaluation.sample_count
    _print_estimate(evaluation, folder, count, budget)
    result = _evaluate(evaluation, folder, config, shared, count)
    if moved := result.moved_lines:
        lines = describe_lines([line.line for line in moved], len(moved))
        echo(f"Note: {lines} of outputs.jsonl were damaged and moved to outputs.damaged.jsonl.", err=True)
    if config.infer_only:  # otherwise they are among the notes of the metrics
        for warning in result.outcomes.warnings(find_max_tokens(evaluation.inferencer)):
            echo(f"Note: {warning}", err=True)
    _print_next_steps(result, shared.settings or config.settings, config.url or str(folder))
    print_failures(result)
    if not result.complete:
        _print_stopped(result.stop_reason, " a higher --max-cost" if budget and budget.stop_reason else "")
    elif result.metrics:
        print_missing_verdicts(result, result.metrics, budget)
    return result


def _evaluate(
    evaluation: Evaluation, folder: Path, config: RunConfig, shared: SharedParts, count: int | None
) -> RunResult:
    """Run an evaluation; show its progress and log it."""
    budget = shared.budget
    display = open_progress(config.progress, evaluation.title, count, budget.price if budget else None)
    with log_errors_in(folder), foreign_output(), RunTracking(shared.trackers, display) as tracking:
        with display as progress:
            result = api.evaluate(
                evaluation,
                config.url or folder,
                settings=shared.settings or config.settings,
                observer=budget.with_observer(tracking) if budget else tracking,
                infer_only=config.infer_only,
                kept_model=shared.kept_model,
            )
            progress.finish(result.exit_status)
        tracking.finish(result)  # trackers may take a while, which is no part of the progress
    return result


def _print_next_steps(result: RunResult, settings: Settings, location: str) -> None:
    """Print how a sharded run is completed by other workers, and where its results are."""
    if settings.shard and result.complete and not result.metrics:
        echo(f"Shards {settings.shard} are completed. With the others: auricle merge {location} …", err=True)
    elif settings.shards is not None and not result.complete:
        echo(f"See what is left: auricle status {location}", err=True)


def print_missing_verdicts(result: RunResult, metrics: Metrics, budget: Budget | None = None) -> None:
    """Report verdicts that are missing or failed, with the command that requests them."""
    if result.stop_reason:
        echo(f"The judge was stopped: {result.stop_reason}.", err=True)
    if metrics.missing_verdicts or metrics.failed_verdicts:
        judges = " ".join(f"{JudgeRole.of(judge.role).option} {judge.model}" for judge in metrics.judges)
        command = resume_command() if result.judge_requested else f"auricle score {result.path} {judges}"
        remedy = " a higher --max-cost" if budget and budget.stop_reason else ""
        counts = f"{metrics.missing_verdicts} verdicts are missing, {metrics.failed_verdicts} failed"
        echo(f"{counts}. Request them with{remedy}: {command}", err=True)


def print_failures(result: RunResult) -> None:
    """Print why a run failed although its samples were answered."""
    if not result.complete:
        return
    consequence = f"so the exit code is {ExitStatus.FAILURES:d}"
    if result.metrics and (name := result.missing_headline):
        sentence = f"{name}, the metric that ranks models in this task, could not be computed"
        echo(f"{sentence}, {consequence}: {result.metrics.not_computed[name]}", err=True)
    if result.answers.is_nearly_all_empty:
        empty, answered = result.answers.wrongly_empty
        echo(f"{empty:,} of {answered:,} answers are empty, {consequence}.", err=True)


def resume_command() -> str:
    """Return the command line that resumes this run, without secrets."""
    return format_command(word for word in sys.argv[1:] if word != "--fresh")


def _print_stopped(reason: str, remedy: str) -> None:
    cause = f": {reason}" if reason else ""
    echo(f"Stopped{cause}. No completed sample is lost. Resume with{remedy}: {resume_command()}", err=True)


# --- estimates ----------------------------------------------------------------------------------


def _print_estimate(evaluation: Evaluation, folder: Path, count: int | None, budget: Budget | None) -> None:
    """Print what a large or paid run is going to take."""
    if budget is None and (count or 0) < MIN_SAMPLES_FOR_ESTIMATE:
        return
    completed = count_completed(folder)
    price = budget.price if budget else None
    if line := estimate_run(evaluation, count, min(completed, count or completed), price):
        echo(line, err=True)


def count_completed(folder: Path) -> int:
    """Return the number of samples with a result; the journal is only read if the run is not finished."""
    if contains_sharded_run(folder):
        reader = StatusReader(ShardStore.open(folder), count_active=False)
        return reader.read(DEFAULT_LEASE_SECONDS).rows
    if not contains_run(folder):
        return 0
    run = Run.load(folder)
    progress = run.read_progress()
    if progress.completed_rows and progress.limit is None:
        return progress.completed_rows
    return len(run.open_index(beyond_limit=True))


@dataclass(slots=True)
class SampledWorkload:
    """Totals over the inspected samples."""

    samples: int = 0
    requests: int = 0
    characters: int = 0
    max_output_tokens: int = 0
    audio_seconds: float = 0.0

    def add(self, sample: Sample, requests: list[Request]) -> None:
        self.samples += 1
        self.requests += len(requests)
        self.audio_seconds += sample_audio_seconds(sample) or 0.0
        for request in requests:
            self.characters += _count_characters(request)
            self.max_output_tokens += request.max_tokens if isinstance(request, Generate) else 0

    def estimate_cost(self, price: Price, samples: int) -> float:
        token_cost = self.characters / CHARACTERS_PER_TOKEN * price.input
        token_cost += self.max_output_tokens * price.output
        other_cost = self.requests * price.request + self.audio_seconds / 60 * price.audio_minute
        return (token_cost / MILLION + other_cost) * samples / self.samples


def estimate_run(evaluation: Evaluation, total_samples: int | None, completed_samples: int, price: Price | None) -> str:
    """Return one line on the size of a run; empty if the run is small or cannot be estimated."""
    remaining = total_samples - completed_samples if total_samples is not None else None
    if price is None and (remaining is None or remaining < MIN_SAMPLES_FOR_ESTIMATE):
        return ""
    workload = inspect_workload(evaluation, total_samples)
    if not workload.samples or remaining == 0:
        return ""
    scale = remaining or 1000
    parts = format_amounts(workload, price, scale)
    if not parts:
        return ""
    samples = f"{remaining:,} samples" if remaining is not None else "an unknown number of samples"
    return f"Estimate: {samples}, {', '.join(parts)}{'' if remaining else ' per 1,000 samples'}."


def inspect_workload(evaluation: Evaluation, total_samples: int | None) -> SampledWorkload:
    """Return the requests of some samples of a task; of none if they cannot be read, which the run itself reports."""
    workload = SampledWorkload()
    with suppress(AuricleError):
        asyncio.run(_inspect_samples(evaluation, total_samples, workload))
    return workload


def format_amounts(workload: SampledWorkload, price: Price | None, samples: int) -> list[str]:
    """Format the audio and the cost of a number of samples that are like the inspected ones."""
    parts = []
    if hours := workload.audio_seconds * samples / workload.samples / 3600:
        parts.append(f"about {hours:,.2g} h of audio" if hours < 10 else f"about {hours:,.0f} h of audio")
    if price:
        parts.append(_format_cost(workload, price, samples))
    return parts


def _format_cost(workload: SampledWorkload, price: Price, samples: int) -> str:
    cost, notes = describe_cost(workload, price, samples)
    is_bound = bool(price.output and workload.max_output_tokens)
    text = f"{'up to' if is_bound else 'about'} {format_money(cost, price.currency)}"
    return text + (f" ({'; '.join(notes)})" if notes else "")


def describe_cost(workload: SampledWorkload, price: Price, samples: int) -> tuple[float, tuple[str, ...]]:
    """Return the cost of a number of samples that are like the inspected ones, and what it assumes."""
    notes = []
    if price.output and workload.max_output_tokens:
        tokens = workload.max_output_tokens / max(1, workload.requests)
        notes.append(f"assuming outputs of the maximum length, {tokens:.0f} tokens")
    if price.input and workload.audio_seconds:
        notes.append("without audio input tokens")
    return workload.estimate_cost(price, samples), tuple(notes)


async def _inspect_samples(evaluation: Evaluation, total_samples: int | None, workload: SampledWorkload) -> None:
    """Add evenly spaced samples of the first rows to the workload, for at most `INSPECTION_SECONDS`."""
    task, inferencer = evaluation.task, evaluation.inferencer
    deadline = time.monotonic() + INSPECTION_SECONDS
    if iter(task.samples) is task.samples:
        return  # an iterator: samples read here would be missing from the run
    row_count = min(total_samples or MAX_ROWS_SCANNED, MAX_ROWS_SCANNED)
    for sample in islice(task.samples, 0, row_count, max(1, row_count // MAX_SAMPLES_INSPECTED)):
        if isinstance(sample, Sample):
            with suppress(AuricleError):
                workload.add(sample, await preview_requests(inferencer, sample))
        if time.monotonic() > deadline:
            return


def _count_characters(request: Request) -> int:
    return sum(len(part) for part in request.parts if isinstance(part, str))
