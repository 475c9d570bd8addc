"""Show the progress of load points: one updating line on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, TextIO

TERMINAL_INTERVAL = 1.0
LOG_INTERVAL = 10.0
RATE_WINDOW_SECONDS = 5.0
"""Seconds over which the displayed rate is averaged."""


class ProgressLine:
    """Progress display; updates may come at any rate, the line is drawn at most once per interval."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._clock = stream or sys.stderr, clock
        self._is_terminal = self._stream.isatty()
        self._counts: Mapping[str, Any] = {}
        self._start_time = self._last_drawn = clock()
        self._finished_history: deque[tuple[float, float]] = deque()

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        self._finish_point()

    def update(self, counts: Mapping[str, Any]) -> None:
        """Update the counts.

        Args:
            counts: `started`, `answered`, `failed` and `in_flight` over all senders; optionally `load`,
                `seconds` and `ttft_s`.
        """
        if not counts:
            return
        if _get_count(counts, "started") < _get_count(self._counts, "started"):  # the next load point
            self._finish_point()
        if not self._counts:  # the clock starts with the first request, not with the preparation
            self._start_point()
        self._counts = counts
        now = self._clock()
        self._finished_history.append((now, _get_count(counts, "answered") + _get_count(counts, "failed")))
        while len(self._finished_history) > 2 and self._finished_history[1][0] <= now - RATE_WINDOW_SECONDS:
            self._finished_history.popleft()
        if now - self._last_drawn >= (TERMINAL_INTERVAL if self._is_terminal else LOG_INTERVAL):
            self._last_drawn = now
            self._draw()

    def _start_point(self) -> None:
        self._start_time = self._last_drawn = self._clock()
        self._finished_history = deque()

    def _finish_point(self) -> None:
        """Leave the last state on the screen."""
        if not self._counts:
            return
        self._draw()
        if self._is_terminal:
            self._stream.write("\n")
            self._stream.flush()
        self._counts = {}

    def _draw(self) -> None:
        line = self.format_line()
        if self._is_terminal:
            width = shutil.get_terminal_size().columns
            self._stream.write(f"\r{line[: width - 1]}\x1b[K")
        else:
            self._stream.write(f"{line}\n")
        self._stream.flush()

    def format_line(self) -> str:
        """Format the current counts as one line."""
        counts = self._counts
        parts = [self._format_elapsed()]
        parts += [f"{_get_count(counts, name):,.0f} {label}" for name, label in COUNT_LABELS if name in counts]
        if _get_count(counts, "failed"):
            parts.append(f"{_get_count(counts, 'failed'):,.0f} failed")
        parts.append(f"{self._recent_rate():.3g}/s")
        if (ttft := counts.get("ttft_s")) is not None:
            parts.append(f"TTFT {ttft:.3g} s")
        load = counts.get("load")
        return f"{load}: {', '.join(parts)}" if load else ", ".join(parts)

    def _format_elapsed(self) -> str:
        elapsed, total = self._clock() - self._start_time, self._counts.get("seconds")
        return f"{elapsed:.0f} of {total:g} s" if total else f"{elapsed:.0f} s"

    def _recent_rate(self) -> float:
        """Return finished requests per second over the last few seconds."""
        (first_time, first_count), (last_time, last_count) = self._finished_history[0], self._finished_history[-1]
        return (last_count - first_count) / (last_time - first_time) if last_time > first_time else 0.0


COUNT_LABELS = (("started", "sent"), ("answered", "answered"), ("in_flight", "in flight"))


def _get_count(counts: Mapping[str, Any], name: str) -> float:
    return counts.get(name) or 0
