"""A run as it goes by: a bar with rate and time left on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Any, TextIO

from auricle.types import Record

LINE_SECONDS = 10.0  # between plain lines
DRAW_SECONDS = 0.1


class Progress:
    """Counts what was answered, failed or held already."""

    def __init__(self, title: str, total: int | None, stream: TextIO | None = None) -> None:
        self.title, self.total = title, total
        self.answered = self.failed = self.held = 0
        self._stream = stream or sys.stderr
        self._bar: Any = None
        self._began = self._told = time.monotonic()

    def __enter__(self) -> Progress:
        if self._stream.isatty():
            self._bar, self._line = _bar(self.title, self.total, self._stream)
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.total = None  # what was passed over is all there was
        if self._bar:
            self._draw()
            self._bar.stop()
        elif kind is None:
            self._say()

    def saw(self, record: Record) -> None:
        self.answered += record.error is None
        self.failed += record.error is not None
        self._tick()

    def skipped(self) -> None:
        self.held += 1
        self._tick()

    def _tick(self) -> None:
        now = time.monotonic()
        if now - self._told < (DRAW_SECONDS if self._bar else LINE_SECONDS):
            return
        self._told = now
        self._draw() if self._bar else self._say()

    def _draw(self) -> None:
        self._bar.update(
            self._line, completed=self.answered + self.failed + self.held, told=self._counts()
        )

    def _counts(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        held = f", {self.held} answered before" if self.held else ""
        return f"{self._rate():.3g}/s{failed}{held}"

    def _rate(self) -> float:
        return (self.answered + self.failed) / max(1e-9, time.monotonic() - self._began)

    def _say(self) -> None:
        done = self.answered + self.failed + self.held
        of = f" of {self.total}" if self.total else ""
        left = ""
        if self.total and done < self.total and self._rate():
            left = f", {(self.total - done) / self._rate():.0f} s left"
        self._stream.write(f"{self.title}: {done}{of} samples, {self._counts()}{left}\n")
        self._stream.flush()


def _bar(title: str, total: int | None, stream: TextIO) -> tuple[Any, Any]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("{task.fields[told]}"),
        console=Console(file=stream),
    )
    return bar, bar.add_task(title, total=total, told="")
