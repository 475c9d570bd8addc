"""Process one shard: answer its samples, have them judged, score them and leave their sums."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from auricle.core.audio_limit import limit_audio
from auricle.core.errors import SpecError
from auricle.core.user_code import limit_calls
from auricle.engine.factory import Evaluation, build_run_spec
from auricle.engine.inference import collect_answers
from auricle.engine.judge import judge_run, read_judges, write_judges
from auricle.engine.kept_model import KeptModel
from auricle.engine.observer import ForwardingObserver, Observer
from auricle.engine.settings import Settings
from auricle.engine.shards.worker import ShardOutcome, StopSignal
from auricle.engine.task import Task
from auricle.metrics.capabilities import Judged
from auricle.runs.metrics import Usage
from auricle.runs.outcome_counts import OutcomeCounts
from auricle.runs.run_directory import Run
from auricle.runs.shards.plan import Shard
from auricle.runs.verdicts import Judge, Verdict, merge_judges
from auricle.scoring.shards.scoring import score_shard


class ShardProcessor:
    """Processes shards with the ordinary engine; the model stays loaded between them.

    Args:
        evaluation: What to evaluate; its samples can be cut into parts.
        settings: How to execute the run.
        observer: Follows the progress of each shard.
        kept_model: Keeps the model loaded.

    Raises:
        SpecError: if the data cannot be cut into parts, or only some of its rows are evaluated.
    """

    def __init__(
        self, evaluation: Evaluation, settings: Settings, observer: Observer | None = None, *, kept_model: KeptModel
    ) -> None:
        if evaluation.spec.limit or settings.limit:
            raise SpecError("--limit cannot be combined with --shards. Leave out --shards to evaluate a few rows.")
        self._evaluation = evaluation
        self._settings = settings
        self._observer = observer or Observer()
        self._kept_model = kept_model

    def __call__(self, shard: Shard, folder: Path, stop: StopSignal) -> ShardOutcome:
        """Answer and score the samples of a shard in a run directory, which may have earlier answers.

        Args:
            shard: The shard.
            folder: The run directory.
            stop: Ends the pass as Ctrl-C does; what was answered is kept.
        """
        started_at = time.perf_counter()
        evaluation = restrict_evaluation(self._evaluation, shard)
        run_spec = build_run_spec(evaluation.spec, evaluation.task, evaluation.inferencer)
        observer = StoppableObserver(self._observer, stop)
        limits = limit_audio(self._settings.max_audio), limit_calls(self._settings.timeout, observer.on_message)
        with limits[0], limits[1], Run.open(folder, run_spec) as run:
            outcomes, stop_reason = collect_answers(evaluation, run, self._settings, observer, self._kept_model, stop)
            progress = run.read_progress()
            complete = progress.complete and not stop_reason and not stop.is_set()
            usage = Usage()
            if complete:
                judges, judge_stop_reason = self._judge(run, evaluation.task, observer)
                complete = not (judge_stop_reason or self._observer.stop_reason or stop.is_set())
                if complete:
                    usage = score_shard(run, evaluation.task, judges)
        rows, seconds = progress.rows or outcomes.total, time.perf_counter() - started_at
        return replace(_describe_outcome(outcomes, usage, complete=complete), rows=rows, wall_seconds=seconds)

    def _judge(self, run: Run, task: Task, observer: Observer) -> tuple[tuple[Judge, ...], str]:
        """Request the missing verdicts; return all judges, and why judging was stopped, if it was."""
        judge_specs = self._evaluation.spec.judges
        judges = merge_judges(read_judges(run), (judge.to_judge() for judge in judge_specs))
        if judges and any(isinstance(metric, Judged) for metric in task.metrics):
            write_judges(run.verdicts_path, judges)
        stop_reason = ""
        for judge in judge_specs:
            # The cache belongs to the evaluated model, not to the judge.
            settings = replace(self._settings, cache=None)
            stop_reason = stop_reason or judge_run(run, task.metrics, judge, settings, observer)
        return judges, stop_reason


def restrict_evaluation(evaluation: Evaluation, shard: Shard) -> Evaluation:
    """Return the same evaluation over the samples of a shard."""
    restrict = getattr(evaluation.task.samples, "restrict", None)
    if restrict is None:
        raise SpecError(f"The samples of {evaluation.task.name} cannot be cut into shards. Leave out --shards.")
    return replace(evaluation, task=replace(evaluation.task, samples=restrict(shard.part)))


class StoppableObserver(ForwardingObserver):
    """Stops judges when a signal is set."""

    def __init__(self, observer: Observer, stop: StopSignal) -> None:
        super().__init__(observer)
        self._stop = stop
        self._stop_judging: Callable[[], None] | None = None

    def on_judging(self, run: Run, total: int, stop: Callable[[], None], /) -> None:
        self._stop_judging = stop
        super().on_judging(run, total, stop)
        self._stop_if_set()

    def on_verdict(self, verdict: Verdict, /) -> None:
        super().on_verdict(verdict)
        self._stop_if_set()

    def _stop_if_set(self) -> None:
        if self._stop.is_set() and self._stop_judging:
            self._stop_judging()


def _describe_outcome(outcomes: OutcomeCounts, usage: Usage, *, complete: bool) -> ShardOutcome:
    return ShardOutcome(
        rows=outcomes.total,
        answered=outcomes.answered,
        failed=outcomes.failed,
        attempts=usage.attempts,
        audio_seconds=usage.audio_seconds,
        cost=usage.cost,
        currency=usage.currency,
        complete=complete,
    )
