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
PAUSE = "AURICLE_PROGRESS_SECONDS"
DRAW_SECONDS = 0.1


class Progress:
    """Counts what was answered, failed or held already."""

    def __init__(
        self,
        title: str,
        total: int | None,
        stream: TextIO | None = None,
        what: str = "samples",
        bar: Any = None,
    ) -> None:
        self.title, self.total, self._what = title, total, what
        self._judging: Progress | None = None
        self.answered = self.failed = self.held = 0
        self.retried = self.inside = 0
        self._stream = stream or sys.stderr
        self._bar = bar
        self._line = bar.add_task(title, total=total, told="") if bar else None
        self._pause = float(os.environ.get(PAUSE) or LINE_SECONDS)
        self._began = self._told = time.monotonic()

    def __enter__(self) -> Progress:
        if self._stream.isatty():
            self._bar = _bar(self._stream)
            self._line = self._bar.add_task(self.title, total=self.total, told="")
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        last = self._judging or self
        last.total = None  # what was passed over is all there was
        if self._bar or kind is None:
            last.tell()
        if self._bar:
            self._bar.stop()

    def judging(self, total: int) -> Progress:
        """A second bar below the first, for what a judge says of the answers."""
        self.total = None
        self.tell()
        self._judging = Progress("judging", total, self._stream, "verdicts", self._bar)
        return self._judging

    def saw(self, record: Record | Verdict) -> None:
        self.answered += record.error is None
        self.failed += record.error is not None
        self.retried += getattr(record, "attempts", 1) - 1
        self._tick()

    def skipped(self) -> None:
        self.held += 1
        self._tick()

    def asking(self, number: int) -> None:
        self.inside = number

    def _tick(self) -> None:
        now = time.monotonic()
        if now - self._told < (DRAW_SECONDS if self._bar else self._pause):
            return
        self._told = now
        self.tell()

    def tell(self) -> None:
        """Show how far it came."""
        self._draw() if self._bar else self._say()

    def _draw(self) -> None:
        self._bar.update(
            self._line, completed=self.answered + self.failed + self.held, told=self._counts()
        )

    def _counts(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        held = f", {self.held} answered before" if self.held else ""
        retried = f", {self.retried} retried" if self.retried else ""
        inside = f", {self.inside} in flight" if self.inside else ""
        return f"{self._rate():.3g}/s{inside}{retried}{failed}{held}"

    def _rate(self) -> float:
        return (self.answered + self.failed) / max(1e-9, time.monotonic() - self._began)

    def _say(self) -> None:
        done = self.answered + self.failed + self.held
        of = f" of {self.total}" if self.total else ""
        left = ""
        if self.total and done < self.total and self._rate():
            left = f", {(self.total - done) / self._rate():.0f} s left"
        self._stream.write(f"{self.title}: {done}{of} {self._what}, {self._counts()}{left}\n")
        self._stream.flush()


class Bars(ExitStack):
    """For answers that are judged without being asked for: one bar, once there is something."""

    def judging(self, total: int) -> Progress:
        return self.enter_context(Progress("judging", total, what="verdicts"))


def _bar(stream: TextIO) -> Any:
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
