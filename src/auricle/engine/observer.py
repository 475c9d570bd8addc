"""Follow a run while it is executed."""

from __future__ import annotations

from collections.abc import Callable

from auricle.core.types import Record
from auricle.runs.run_directory import Run
from auricle.runs.verdicts import Verdict


class Observer:
    """Follows a run. Override the methods you need; each does nothing by default."""

    stop_reason = ""
    """Why the observer stopped the run or its judges; empty if it did not."""

    def on_start(self, run: Run, stop: Callable[[], None], /) -> None:
        """Called before the first request. `stop` ends the run as Ctrl-C does."""

    def on_result(self, record: Record, /) -> None:
        """Called for each sample that was answered or failed."""

    def on_skipped(self) -> None:
        """Called for each sample that was answered in an earlier pass."""

    def on_in_flight(self, count: int, /) -> None:
        """Called when the number of samples in flight changes."""

    def on_judging(self, run: Run, total: int, stop: Callable[[], None], /) -> None:
        """Called before a judge's first request, with the number of verdicts to request. `stop` ends the judging."""

    def on_verdict(self, verdict: Verdict, /) -> None:
        """Called for each verdict."""


class ForwardingObserver(Observer):
    """Passes every call on to another observer."""

    def __init__(self, observer: Observer | None = None) -> None:
        self.observer = observer or Observer()

    def on_start(self, run: Run, stop: Callable[[], None], /) -> None:
        self.observer.on_start(run, stop)

    def on_result(self, record: Record, /) -> None:
        self.observer.on_result(record)

    def on_skipped(self) -> None:
        self.observer.on_skipped()

    def on_in_flight(self, count: int, /) -> None:
        self.observer.on_in_flight(count)

    def on_judging(self, run: Run, total: int, stop: Callable[[], None], /) -> None:
        self.observer.on_judging(run, total, stop)

    def on_verdict(self, verdict: Verdict, /) -> None:
        self.observer.on_verdict(verdict)
