"""Answer the samples of an evaluation in a run directory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import Protocol

from auricle.engine.factory import Evaluation
from auricle.engine.interrupts import stop_on_interrupt
from auricle.engine.kept_model import KeptModel
from auricle.engine.model_log import loguru_records_written, model_log
from auricle.engine.observer import Observer
from auricle.engine.run_loop import NoModel, RunLoop
from auricle.engine.settings import Settings
from auricle.engine.spec import Spec
from auricle.engine.task import Task
from auricle.models import Model
from auricle.runs.outcome_counts import OutcomeCounts
from auricle.runs.progress import Progress
from auricle.runs.run_directory import Run


class StopSource(Protocol):
    """Asks to stop, from any thread."""

    def on_set(self, callback: Callable[[], object]) -> None:
        """Call a function when a stop is requested, at once if it was."""


def collect_answers(
    evaluation: Evaluation,
    run: Run,
    settings: Settings,
    observer: Observer,
    models: KeptModel,
    stop_source: StopSource | None = None,
) -> tuple[OutcomeCounts, str]:
    """Load the model, unless everything is answered, and run it; what it prints and logs is kept in the run.

    Args:
        evaluation: What to evaluate.
        run: Run directory, opened for appending.
        settings: How to execute the run.
        observer: Follows the progress.
        models: Loads the model, and may keep it for further runs.
        stop_source: Stops the run instead of Ctrl-C and SIGTERM, which its owner handles.

    Returns:
        The number of each outcome, and why the server ended the run, if it did.
    """
    stop = asyncio.Event()
    observer.on_start(run, stop.set)
    samples = evaluation.task.samples
    with model_log(run.path) as log, RunLoop(evaluation.inferencer, samples, run, settings, observer) as loop:
        model = models.load(evaluation, settings, run.path) if loop.needs_model() else NoModel()
        with loguru_records_written(log.write):
            return models.run(_run_inference(evaluation, loop, model, stop, stop_source))


async def _run_inference(
    evaluation: Evaluation, loop: RunLoop, model: Model, stop: asyncio.Event, stop_source: StopSource | None
) -> tuple[OutcomeCounts, str]:
    """Answer the samples, and return the number of each outcome and why the server ended the run, if it did."""
    if stop_source is not None:
        _connect(stop_source, stop)
    task, spec = evaluation.task, evaluation.spec
    with stop_on_interrupt(stop) if stop_source is None else nullcontext():
        outcomes = await loop.run(model, stop, lambda progress: describe_data(task, spec, progress))
    return OutcomeCounts.count(outcomes, loop.audio_not_sent), loop.stop_reason


def describe_data(task: Task, spec: Spec, progress: Progress) -> Progress:
    """Add the identifier of the data and the notes on it to the progress of a run."""
    limit = f"[:{spec.limit}]" if spec.limit else ""
    notes = tuple(task.notes(spec.model, spec.model_args))
    return replace(progress, revision=f"{task.revision}{limit}", notes=notes)


def _connect(stop_source: StopSource, stop: asyncio.Event) -> None:
    event_loop = asyncio.get_running_loop()

    def request_stop() -> None:
        with suppress(RuntimeError):  # the loop was closed, so there is nothing left to stop
            event_loop.call_soon_threadsafe(stop.set)

    stop_source.on_set(request_stop)
