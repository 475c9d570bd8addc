"""Show the progress of load points: one updating line on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from collections import deque
from collections.abc import Callable
from typing import TextIO

from auricle.perf.messages import PointProgress

TERMINAL_INTERVAL = 1.0
LOG_INTERVAL = 10.0
RATE_WINDOW_SECONDS = 5.0
"""Seconds over which the displayed rate is averaged."""


class ProgressLine:
    """Progress display; updates may come at any rate, the line is drawn at most once per interval."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._clock = stream or sys.stderr, clock
        self._is_terminal = self._stream.isatty()
        self._progress: PointProgress | None = None
        self._start_time = self._last_drawn = clock()
        self._finished_history: deque[tuple[float, int]] = deque()

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        self._finish_point()

    def update(self, progress: PointProgress) -> None:
        """Show the counts over all senders."""
        now = self._clock()
        if self._progress and progress.started < self._progress.started:  # the next load point
            self._finish_point()
        if not self._progress:  # the clock starts with the first request, not with the preparation
            self._start_time = self._last_drawn = now
            self._finished_history.clear()
        self._progress = progress
        self._finished_history.append((now, progress.answered + progress.failed))
        while len(self._finished_history) > 2 and self._finished_history[1][0] <= now - RATE_WINDOW_SECONDS:
            self._finished_history.popleft()
        if now - self._last_drawn >= (TERMINAL_INTERVAL if self._is_terminal else LOG_INTERVAL):
            self._last_drawn = now
            self._draw(progress)

    def _finish_point(self) -> None:
        """Leave the last state on the screen."""
        if not self._progress:
            return
        self._draw(self._progress)
        if self._is_terminal:
            self._stream.write("\n")
            self._stream.flush()
        self._progress = None

    def _draw(self, progress: PointProgress) -> None:
        line = self.format_line(progress)
        if self._is_terminal:
            width = shutil.get_terminal_size().columns
            self._stream.write(f"\r{line[: width - 1]}\x1b[K")
        else:
            self._stream.write(f"{line}\n")
        self._stream.flush()

    def format_line(self, progress: PointProgress) -> str:
        """Format the counts as one line, with the rate of the last few seconds."""
        elapsed, total = self._clock() - self._start_time, progress.seconds
        (first_time, first_count), (last_time, last_count) = self._finished_history[0], self._finished_history[-1]
        rate = (last_count - first_count) / (last_time - first_time) if last_time > first_time else 0.0
        is_chat = progress.sent > progress.started
        unit, chats = ("conversations", [f"{progress.started:,} conversations"]) if is_chat else ("requests", [])
        parts = [
            f"{elapsed:.0f} of {total:g} s" if total else f"{elapsed:.0f} s",
            *([f"{progress.measured:,} of {progress.count:,} {unit}"] if progress.count else chats),
            f"{progress.sent:,} {'turns sent' if is_chat else 'sent'}",
            f"{progress.answered:,} answered",
            f"{progress.in_flight:,} in flight",
            *([f"{progress.failed:,} failed"] if progress.failed else []),
            f"{rate:.3g}/s",
            *([] if progress.ttft_s is None else [f"TTFT {progress.ttft_s:.3g} s"]),
        ]
        return f"{progress.load}: {', '.join(parts)}"
