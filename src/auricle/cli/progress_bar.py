"""A run as it goes by: a bar with rate and time left on a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import sys
import time
from contextlib import ExitStack
from typing import Any, TextIO

from auricle.core.types import Record
from auricle.runs.verdicts import Verdict

LINE_SECONDS = 10.0  # between plain lines, unless whoever reads them says otherwise
INTERVAL_VARIABLE = "AURICLE_PROGRESS_SECONDS"
DRAW_SECONDS = 0.1


class Progress:
    """Counts what was answered, failed or held already."""

    def __init__(
        self, title: str, total: int | None, stream: TextIO | None = None, unit: str = "samples", bar: Any = None
    ) -> None:
        self.title, self.total, self._unit = title, total, unit
        self._judging: Progress | None = None
        self.answered = self.failed = self.already_answered = 0
        self.retried = self.in_flight = 0
        self._stream = stream or sys.stderr
        self._bar = bar
        self._line = bar.add_task(title, total=total, told="") if bar else None
        self._line_interval = float(os.environ.get(INTERVAL_VARIABLE) or LINE_SECONDS)
        self._started = self._last_update = time.monotonic()

    def __enter__(self) -> Progress:
        if self._stream.isatty():
            self._bar = _make_bar(self._stream)
            self._line = self._bar.add_task(self.title, total=self.total, told="")
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        last = self._judging or self
        last.total = None  # what was passed over is all there was
        if self._bar or kind is None:
            last.update()
        if self._bar:
            self._bar.stop()

    def start_judging(self, total: int) -> Progress:
        """A second bar below the first, for what a judge says of the answers."""
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
        """Show how far it came."""
        self._update_bar() if self._bar else self._print_line()

    def _update_bar(self) -> None:
        self._bar.update(
            self._line, completed=self.answered + self.failed + self.already_answered, told=self._format_counts()
        )

    def _format_counts(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        held = f", {self.already_answered} answered before" if self.already_answered else ""
        retried = f", {self.retried} retried" if self.retried else ""
        inside = f", {self.in_flight} in flight" if self.in_flight else ""
        return f"{self._rate():.3g}/s{inside}{retried}{failed}{held}"

    def _rate(self) -> float:
        return (self.answered + self.failed) / max(1e-9, time.monotonic() - self._started)

    def _print_line(self) -> None:
        done = self.answered + self.failed + self.already_answered
        of = f" of {self.total}" if self.total else ""
        left = ""
        if self.total and done < self.total and self._rate():
            left = f", {(self.total - done) / self._rate():.0f} s left"
        self._stream.write(f"{self.title}: {done}{of} {self._unit}, {self._format_counts()}{left}\n")
        self._stream.flush()


class JudgingProgress(ExitStack):
    """For answers that are judged without being asked for: one bar, once there is something."""

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
        TextColumn("{task.fields[told]}"),
        console=Console(file=stream),
    )
