"""Show the progress of a run: a bar on a terminal, plain lines elsewhere, or events for programs."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any, Literal, TextIO

from auricle.core.redaction import SECRETS
from auricle.core.terminal import clean_json, clean_text
from auricle.core.types import Record
from auricle.engine.progress import Phase, ProgressTracker
from auricle.runs.run_directory import Run
from auricle.runs.usage import Price
from auricle.runs.verdicts import Verdict

INTERVAL_VARIABLE = "AURICLE_PROGRESS_SECONDS"
LINE_SECONDS = 10.0
"""Seconds between plain lines, unless `AURICLE_PROGRESS_SECONDS` is set."""
EVENT_SECONDS = 0.5
"""Seconds between progress events, unless `AURICLE_PROGRESS_SECONDS` is set."""
DRAW_SECONDS = 0.1
ProgressFormat = Literal["auto", "json"]


class ProgressDisplay(ProgressTracker):
    """Shows the counts from time to time. Use it in a `with` block."""

    interval = LINE_SECONDS

    def __init__(
        self, title: str, total: int | None = None, price: Price | None = None, phase: Phase = "inference"
    ) -> None:
        super().__init__(clean_text(title), total, price, phase)
        self._stream: TextIO = sys.stderr
        self._interval = float(os.environ.get(INTERVAL_VARIABLE) or self.interval)
        self._last_update = time.monotonic()

    def update(self) -> None:
        now = time.monotonic()
        if now - self._last_update >= self._interval:
            self._last_update = now
            self.show()

    def show(self) -> None:
        """Show the current counts."""

    def on_message(self, text: str, /) -> None:
        self._stream.write(f"{clean_text(text)}\n")
        self._stream.flush()

    def finish(self, exit_code: int) -> None:
        """Called with the exit code of the run, if it ended without an error."""

    def __enter__(self) -> ProgressDisplay:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None: ...


class ProgressLines(ProgressDisplay):
    """Writes plain lines for people."""

    def on_judging(self, run: Run, total: int, stop: Callable[[], None], /) -> None:
        if self.done:
            self.show()
        super().on_judging(run, total, stop)
        self.title = "judging"

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is None and (self.phase == "inference" or self.total is not None):
            self.show()

    def show(self) -> None:
        total = f" of {self.total}" if self.total and self.done < self.total else ""
        unit = ("verdict" if self.phase == "judging" else "sample") + ("" if self.done == 1 and not total else "s")
        eta = self.eta_seconds
        time_left = "" if eta is None else f", {eta:.0f} s left"
        self._stream.write(f"{self.title}: {self.done}{total} {unit}, {format_counts(self)}{time_left}\n")
        self._stream.flush()


class ProgressBar(ProgressDisplay):
    """Draws a bar on a terminal, and a second one for the verdicts of a judge."""

    interval = DRAW_SECONDS

    def __enter__(self) -> ProgressBar:
        self._bar = _make_bar(self._stream)
        self._line: Any = None
        if self.phase == "inference":
            self._line = self._bar.add_task(self.title, total=self.total, counts="")
        self._bar.start()
        return self

    def on_judging(self, run: Run, total: int, stop: Callable[[], None], /) -> None:
        self._complete()
        super().on_judging(run, total, stop)
        self._line = self._bar.add_task("judging", total=total, counts="")

    def on_message(self, text: str, /) -> None:
        self._bar.console.print(clean_text(text), markup=False, highlight=False, soft_wrap=True)

    def _complete(self) -> None:
        """Show a full bar even if fewer samples than expected were read."""
        if self._line is not None:
            self._bar.update(self._line, total=self.done)
            self.show()

    def __exit__(self, *_: object) -> None:
        self._complete()
        self._bar.stop()

    def show(self) -> None:
        self._bar.update(self._line, completed=self.done, counts=format_counts(self))


class ProgressEvents(ProgressDisplay):
    """Writes events as lines of JSON for programs."""

    interval = EVENT_SECONDS

    def on_start(self, run: Run, stop: Callable[[], None], /) -> None:
        super().on_start(run, stop)
        self._write("started")

    def on_judging(self, run: Run, total: int, stop: Callable[[], None], /) -> None:
        if self.done:
            self._write("progress")
        super().on_judging(run, total, stop)
        self._write("started")

    def on_result(self, record: Record, /) -> None:
        super().on_result(record)
        if record.error:
            self._write("failed", id=record.sample.id, kind=record.error.kind, message=record.error.message)

    def on_verdict(self, verdict: Verdict, /) -> None:
        super().on_verdict(verdict)
        if verdict.error:
            self._write(
                "failed", id=verdict.judge_request.sample_id, kind=verdict.error.kind, message=verdict.error.message
            )

    def show(self) -> None:
        self._write("progress")

    def on_message(self, text: str, /) -> None:
        self._write("progress", message=text)

    def finish(self, exit_code: int) -> None:
        self._write("finished", exit_code=exit_code)

    def _write(self, name: Literal["started", "progress", "failed", "finished"], **details: Any) -> None:
        line = SECRETS.redact_line(self.event(name, **details).to_json_line())
        self._stream.write(clean_json(line).decode())
        self._stream.flush()


def open_progress(
    style: ProgressFormat, title: str, total: int | None = None, price: Price | None = None, phase: Phase = "inference"
) -> ProgressDisplay:
    """Return the display that suits the format and standard error."""
    if style == "json":
        return ProgressEvents(title, total, price, phase)
    return (ProgressBar if sys.stderr.isatty() else ProgressLines)(title, total, price, phase)


def format_counts(progress: ProgressTracker) -> str:
    """Format the rate, unless nothing was sent, and the counts that are not zero."""
    counts = {"in flight": progress.in_flight, "retried": progress.retried, "failed": progress.failed}
    counts["answered before"] = progress.answered_before
    shards = [f"{progress.shards.done} of {progress.shards.shards} shards"] if progress.shards else []
    rate = [] if progress.answered_before and progress.done == progress.answered_before else [f"{progress.rate:.3g}/s"]
    return ", ".join(rate + shards + [f"{count} {name}" for name, count in counts.items() if count])


def _make_bar(stream: TextIO) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("{task.fields[counts]}"),
        console=Console(file=stream),
    )
