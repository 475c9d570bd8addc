"""Follow a run while it is executed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from auricle.core.types import Record
from auricle.runs.run_directory import Run
from auricle.runs.verdicts import Verdict

if TYPE_CHECKING:
    from auricle.runs.shards.status import ShardStatus


class Observer:
    """Follows a run. Override the methods you need; each does nothing by default.

    Examples:
        >>> class Failures(Observer):
        ...     count = 0
        ...     def on_result(self, record):
        ...         self.count += record.error is not None
        >>> Failures().count
        0
    """

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

    def on_shards(self, status: ShardStatus, /) -> None:
        """Called from time to time during a sharded run, instead of for each sample."""

    def on_message(self, text: str, /) -> None:
        """Called with a message for the user, such as that a worker of a sharded run has crashed."""

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

    def on_shards(self, status: ShardStatus, /) -> None:
        self.observer.on_shards(status)

    def on_message(self, text: str, /) -> None:
        self.observer.on_message(text)

    def on_judging(self, run: Run, total: int, stop: Callable[[], None], /) -> None:
        self.observer.on_judging(run, total, stop)

    def on_verdict(self, verdict: Verdict, /) -> None:
        self.observer.on_verdict(verdict)
