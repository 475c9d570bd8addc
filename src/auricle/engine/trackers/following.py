"""Log runs while they go on, each tracker in a thread of its own, so that none can delay or end a run."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, Self

from auricle.engine.observer import ForwardingObserver
from auricle.engine.progress import ProgressEvent, ProgressTracker
from auricle.engine.trackers.base import FinalState, TrackedRun, Tracker, explain, find_trackers
from auricle.engine.trackers.run_values import describe_run, final_state, progress_values
from auricle.runs.result import RunResult
from auricle.runs.run_directory import Run

LOG_SECONDS = 5.0
"""Seconds between two logs of the progress."""
FINISH_SECONDS = 30.0
"""Longest wait for a tracker after a run."""
FAILED_SECONDS = 2.0
"""Longest wait for a tracker after a run that ended with an error."""


class Trackers:
    """The trackers of a command, which may execute several runs. One that fails is not used for further runs.

    Args:
        names: Names of trackers.
        project: Project or experiment of the trackers. Default: the one that their variables name, or `auricle`.
        notify: Called with notes for people, from any thread.

    Raises:
        UnknownName: if there is no tracker of a name.
        MissingExtra: if the package of a tracker is not installed.
    """

    def __init__(
        self, names: Sequence[str] = (), project: str = "", notify: Callable[[str], None] = lambda _: None
    ) -> None:
        self.project = project
        self.notify = notify
        self._classes = find_trackers(names)
        self._failed: set[str] = set()
        self._lock = threading.Lock()

    def create(self) -> dict[str, Tracker]:
        """Create a tracker of each kind that did not fail before."""
        return {name: tracker_class() for name, tracker_class in self._classes.items() if name not in self._failed}

    def give_up(self, name: str, reason: str) -> None:
        """Stop using a tracker, with a note; later reasons are not reported."""
        with self._lock:
            if name in self._failed:
                return
            self._failed.add(name)
        self.notify(
            f"Note: {name} is not used any longer: {reason} The run is not affected. "
            f"Log it later: auricle log RUN --to {name}"
        )


class RunTracking(ForwardingObserver):
    """An observer that logs a run to trackers. Use it in a `with` block.

    Args:
        trackers: Where to log; None for nowhere.
        progress: Counts the samples; all callbacks are forwarded to it.
    """

    def __init__(self, trackers: Trackers | None, progress: ProgressTracker) -> None:
        super().__init__(progress)
        self._trackers, self._progress = trackers or Trackers(), progress
        self._threads: list[_TrackerThread] = []

    def on_start(self, run: Run, stop: Callable[[], None], /) -> None:
        super().on_start(run, stop)
        if trackers := self._trackers.create():
            tracked = describe_run(run.location, run.spec, self._trackers.project)
            self._threads = [
                _TrackerThread(name, tracker, tracked, self._progress, self._trackers.give_up)
                for name, tracker in trackers.items()
            ]
        for thread in self._threads:
            thread.start()

    def on_judging(self, run: Run, total: int, stop: Callable[[], None], /) -> None:
        event = self._progress.event("progress")  # the counts start again with the verdicts
        for thread in self._threads:
            thread.add(event)
        super().on_judging(run, total, stop)

    def finish(self, result: RunResult) -> None:
        """Log the numbers of a run, and wait until trackers have stored them."""
        self._end(final_state(result.metrics, "finished" if result.complete else "stopped"), FINISH_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is not None:
            self._end(FinalState(status="failed", step=self._progress.done), FAILED_SECONDS)

    def _end(self, final: FinalState, seconds: float) -> None:
        threads, self._threads = self._threads, []
        for thread in threads:
            thread.end(final)
        deadline = time.monotonic() + seconds
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
            if thread.is_alive():
                self._trackers.give_up(thread.name, f"it did not store the run within {seconds:.0f} s.")
            elif thread.state == "stored":
                self._trackers.notify(f"Logged to {thread.name}: {thread.tracker.location}")


class _TrackerThread(threading.Thread):
    """Passes the progress of a run on to a tracker from time to time, and the numbers at the end.

    It is a daemon, because a server that does not answer should not keep the command from ending.
    """

    def __init__(
        self,
        name: str,
        tracker: Tracker,
        run: TrackedRun,
        progress: ProgressTracker,
        give_up: Callable[[str, str], None],
    ) -> None:
        super().__init__(name=name, daemon=True)
        self.tracker = tracker
        self.state: Literal["running", "stored", "failed"] = "running"
        self._tracked, self._progress, self._give_up = run, progress, give_up
        self._final: FinalState | None = None
        self._ended = threading.Event()
        self._completed_phases: deque[ProgressEvent] = deque()
        self._logged: tuple[str, int] = ("", -1)

    def add(self, event: ProgressEvent) -> None:
        """Let the tracker log the counts of a phase that is over."""
        self._completed_phases.append(event)

    def end(self, final: FinalState) -> None:
        """Let the tracker store the numbers of the run, after which the thread ends."""
        self._final = final
        self._ended.set()

    def run(self) -> None:
        try:
            self._follow()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - no error of a tracker may reach the run
            self.state = "failed"
            self._give_up(self.name, explain(error))

    def _follow(self) -> None:
        self.tracker.start(self._tracked)
        while not self._ended.wait(LOG_SECONDS):
            self._log_completed_phases()
            self._log_progress(self._progress.event("progress"))
        self._log_completed_phases()
        self._log_progress(self._progress.event("progress"), is_over=True)
        assert self._final is not None
        self.tracker.finish(self._final)
        self.state = "stored"

    def _log_completed_phases(self) -> None:
        while self._completed_phases:
            self._log_progress(self._completed_phases.popleft(), is_over=True)

    def _log_progress(self, event: ProgressEvent, *, is_over: bool = False) -> None:
        if is_over:
            event = replace(event, rate=0.0)  # it would count the time since the last sample
        if (event.phase, event.done) != self._logged:
            self._logged = event.phase, event.done
            self.tracker.log(progress_values(event), event.done)
