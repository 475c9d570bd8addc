"""A run that may still be going on: what its journal has so far, and the process that writes it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from auricle.app.run_data import find_foreign_code
from auricle.core.errors import AuricleError
from auricle.engine.factory import build_task
from auricle.engine.spec import Spec
from auricle.report.score_table import ScoreTable, score_records
from auricle.report.summary import summarise
from auricle.runs.journal_follower import JournalFollower
from auricle.runs.metrics import Number
from auricle.runs.run_directory import LOCK_FILE, Run, find_writer
from auricle.runs.run_spec import OUTPUTS_FILE

SCORING_INTERVAL = 10.0
"""Least number of seconds between two computations of the numbers."""
MAX_SCORING_SHARE = 0.1
"""Largest share of the time that computing numbers may take."""


class LiveRun:
    """Follows the journal of a run and computes numbers from what it has so far.

    Args:
        path: Folder of the run.
        clock: Returns the time in seconds.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self.follower = JournalFollower(path / OUTPUTS_FILE, clock)
        self.numbers: list[Number] = []
        self.scored = 0
        """Samples with a result when the numbers were computed."""
        self._clock = clock
        self._next_scoring = 0.0
        self._lock = threading.Lock()  # several users may look at the run

    def update(self) -> None:
        """Read what was appended, and compute the numbers again if that is due."""
        with self._lock:
            self.follower.update()
            started_at = self._clock()
            if self.follower.done > self.scored and started_at >= self._next_scoring:
                self.numbers, self.scored = compute_partial_numbers(self.path), self.follower.done
                ended_at = self._clock()
                self._next_scoring = ended_at + max(SCORING_INTERVAL, (ended_at - started_at) / MAX_SCORING_SHARE)


def compute_partial_numbers(path: Path) -> list[Number]:
    """Compute the metrics over the samples with a result, except those that need a judge; nothing is written.

    None are computed if that would execute code that the run names, or if the task cannot be built.
    """
    try:
        if find_foreign_code(path):
            return []
        run = Run.load(path)
        task = build_task(Spec.from_run(run))
    except AuricleError:
        return []
    table = ScoreTable([metric for metric in task.metrics if not metric.judge_requests], task.cluster)
    for _ in score_records(run.records(), table):
        pass
    return summarise(table, overall_only=True)


def stop_writer(path: Path) -> bool:
    """Interrupt the process that writes to a run, as Ctrl-C does; return whether there is one that may be stopped.

    The process must have the lock of the run open: anyone may have written its number.
    """
    pid = find_writer(path)
    if pid is None or not _has_lock_open(pid, path / LOCK_FILE):
        return False
    os.kill(pid, signal.SIGINT)
    return True


def _has_lock_open(pid: int, lock: Path) -> bool:
    try:
        return any(Path(file.path) == lock.resolve() for file in psutil.Process(pid).open_files())
    except psutil.Error:
        return False
