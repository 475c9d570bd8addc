"""Show the progress of a run: a progress bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import sys
import time
from contextlib import ExitStack
from typing import Any, TextIO

from auricle.core.types import Record
from auricle.runs.verdicts import Verdict

INTERVAL_VARIABLE = "AURICLE_PROGRESS_SECONDS"
LINE_SECONDS = 10.0
"""Seconds between plain lines, unless `AURICLE_PROGRESS_SECONDS` is set."""
DRAW_SECONDS = 0.1


class Progress:
    """Counts samples or verdicts and shows the counts."""

    def __init__(
        self, title: str, total: int | None, stream: TextIO | None = None, unit: str = "samples", bar: Any = None
    ) -> None:
        self.title, self.total, self._unit = title, total, unit
        self._judging: Progress | None = None
        self.answered = self.failed = self.already_answered = 0
        self.retried = self.in_flight = 0
        self._stream = stream or sys.stderr
        self._bar = bar
        self._line = bar.add_task(title, total=total, counts="") if bar else None
        self._line_interval = float(os.environ.get(INTERVAL_VARIABLE) or LINE_SECONDS)
        self._started = self._last_update = time.monotonic()

    def __enter__(self) -> Progress:
        if self._stream.isatty():
            self._bar = _make_bar(self._stream)
            self._line = self._bar.add_task(self.title, total=self.total, counts="")
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        last = self._judging or self
        last.total = None  # show a full bar even if fewer samples than expected were read
        if self._bar or kind is None:
            last.update()
        if self._bar:
            self._bar.stop()

    def start_judging(self, total: int) -> Progress:
        """Show a second bar for the verdicts of a judge."""
        self.total = None
        self.update()
        self._judging = Progress("judging", total, self._stream, "verdicts", self._bar)
        return self._judging

    def on_result(self, record: Record | Verdict) -> None:
        self.answered += record.error is None
        self.failed += record.error is not None
        self.retried += getattr(record, "attempts", 1) - 1
        self._update_if_due()

    def on_skipped(self) -> None:
        self.already_answered += 1
        self._update_if_due()

    def on_in_flight(self, count: int) -> None:
        self.in_flight = count

    def _update_if_due(self) -> None:
        now = time.monotonic()
        if now - self._last_update < (DRAW_SECONDS if self._bar else self._line_interval):
            return
        self._last_update = now
        self.update()

    def update(self) -> None:
        """Show the current counts."""
        self._update_bar() if self._bar else self._print_line()

    def _update_bar(self) -> None:
        self._bar.update(
            self._line, completed=self.answered + self.failed + self.already_answered, counts=self._format_counts()
        )

    def _format_counts(self) -> str:
        counts = {"in flight": self.in_flight, "retried": self.retried, "failed": self.failed}
        counts["answered before"] = self.already_answered
        return f"{self._rate():.3g}/s" + "".join(f", {count} {name}" for name, count in counts.items() if count)

    def _rate(self) -> float:
        return (self.answered + self.failed) / max(1e-9, time.monotonic() - self._started)

    def _print_line(self) -> None:
        done = self.answered + self.failed + self.already_answered
        total = f" of {self.total}" if self.total else ""
        time_left = ""
        if self.total and done < self.total and self._rate():
            time_left = f", {(self.total - done) / self._rate():.0f} s left"
        self._stream.write(f"{self.title}: {done}{total} {self._unit}, {self._format_counts()}{time_left}\n")
        self._stream.flush()


class JudgingProgress(ExitStack):
    """Shows one progress bar when `auricle score` starts judging."""

    def start_judging(self, total: int) -> Progress:
        return self.enter_context(Progress("judging", total, unit="verdicts"))


def _make_bar(stream: TextIO) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    return Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("{task.fields[counts]}"),
        console=Console(file=stream),
    )
