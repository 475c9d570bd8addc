"""A run that may still be going on: what its journal has so far, and the process that writes it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from auricle.app.machine import run_in_background
from auricle.app.run_data import find_foreign_code
from auricle.core.errors import AuricleError
from auricle.engine.factory import build_task
from auricle.engine.spec import Spec
from auricle.metrics.capabilities import Judged
from auricle.runs.journal_follower import JournalFollower
from auricle.runs.metrics import Number
from auricle.runs.run_directory import LOCK_FILE, Run, find_writer
from auricle.runs.run_spec import OUTPUTS_FILE
from auricle.runs.run_summary import CheckFile, RunSummary, summarise_run
from auricle.scoring.score_table import ScoreTable, score_records
from auricle.scoring.summary import summarise

SCORING_INTERVAL = 10.0
"""Least number of seconds between two computations of the numbers."""
MAX_SCORING_SHARE = 0.1
"""Largest share of the time that computing numbers may take."""


class LiveRun:
    """Follows the journal of a run and computes numbers from what it has so far.

    Numbers of many samples take seconds, in which the page must show that the run ends or is stopped, so that they are
    computed in the background.

    Args:
        path: Folder of the run.
        clock: Returns the time in seconds.
        run_task: Calls a function, now or in the background.
    """

    def __init__(
        self,
        path: Path,
        clock: Callable[[], float] = time.monotonic,
        run_task: Callable[[Callable[[], None]], None] = run_in_background,
    ) -> None:
        self.path = path
        self.follower = JournalFollower(path / OUTPUTS_FILE, clock)
        self.numbers: list[Number] = []
        self.scored = 0
        """Samples with a result when the numbers were computed."""
        self._clock = clock
        self._run_task = run_task
        self._next_scoring = 0.0
        self._is_scoring = False
        self._lock = threading.Lock()  # several users may look at the run

    def update(self) -> None:
        """Read what was appended, and begin to compute the numbers again if that is due."""
        with self._lock:
            self.follower.update()
            is_due = self.follower.done > self.scored and self._clock() >= self._next_scoring
            if not is_due or self._is_scoring:
                return
            self._is_scoring = True
        self._run_task(self._score)

    def summarise(self, root: Path, check: CheckFile) -> RunSummary:
        """Summarise the run; of its journal, only what was appended since the last look is read.

        Args:
            root: The runs folder.
            check: Raises `DataError` if a file may not be read.
        """
        with self._lock:
            return summarise_run(root, self.path, check, self.follower)

    def _score(self) -> None:
        started_at, done = self._clock(), self.follower.done
        try:
            numbers = compute_partial_numbers(self.path)
        finally:
            ended_at = self._clock()
            self._next_scoring = ended_at + max(SCORING_INTERVAL, (ended_at - started_at) / MAX_SCORING_SHARE)
            self._is_scoring = False
        with self._lock:
            self.numbers, self.scored = numbers, done


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
    table = ScoreTable([metric for metric in task.metrics if not isinstance(metric, Judged)], task.cluster)
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
