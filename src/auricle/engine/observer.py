"""Callbacks that follow a run."""

from __future__ import annotations

from typing import Protocol

from auricle.core.types import Record
from auricle.runs.verdicts import Verdict


class Observer(Protocol):
    """Follows the progress of a run."""

    def on_result(self, record: Record, /) -> None:
        """Called for each sample that was answered or failed."""

    def on_skipped(self) -> None:
        """Called for each sample that was answered in an earlier pass."""

    def on_in_flight(self, count: int, /) -> None:
        """Called when the number of samples in flight changes."""


class VerdictObserver(Protocol):
    """Follows the verdicts of a judge."""

    def on_result(self, verdict: Verdict, /) -> None:
        """Called for each verdict."""


class JudgeObserver(Protocol):
    """Provides an observer once the number of verdicts is known."""

    def start_judging(self, total: int, /) -> VerdictObserver: ...


class NullObserver:
    """An observer that ignores everything."""

    def on_result(self, result: Record | Verdict, /) -> None: ...
    def on_skipped(self) -> None: ...
    def on_in_flight(self, count: int, /) -> None: ...

    def start_judging(self, total: int, /) -> NullObserver:
        return self
