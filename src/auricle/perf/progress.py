"""Load points as they go by: one line, written over on a terminal, now and then elsewhere.

with LiveView() as live: live.saw(counts)       counts over all senders, as `sending.Live` has them
"""

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
"""Seconds over which the rate is taken."""


class ProgressLine:
    """Told how it goes as often as one likes; shows it as often as one can read."""

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
        """So many are started, answered, failed, in flight; maybe `load`, `seconds`, `ttft_s`."""
        if not counts:
            return
        if _get_count(counts, "started") < _get_count(self._counts, "started"):  # the next load point
            self._finish_point()
        if not self._counts:  # what was made ready before counts for nothing
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
        """What was seen last stays to be read."""
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
        """All there is to say."""
        counts = self._counts
        told = [self._format_elapsed()]
        told += [f"{_get_count(counts, name):,.0f} {said}" for name, said in COUNT_LABELS if name in counts]
        if _get_count(counts, "failed"):
            told.append(f"{_get_count(counts, 'failed'):,.0f} failed")
        told.append(f"{self._recent_rate():.3g}/s")
        if (first := counts.get("ttft_s")) is not None:
            told.append(f"TTFT {first:.3g} s")
        load = counts.get("load")
        return f"{load}: {', '.join(told)}" if load else ", ".join(told)

    def _format_elapsed(self) -> str:
        passed, whole = self._clock() - self._start_time, self._counts.get("seconds")
        return f"{passed:.0f} of {whole:g} s" if whole else f"{passed:.0f} s"

    def _recent_rate(self) -> float:
        """Of requests that ended, lately."""
        (first, before), (last, after) = self._finished_history[0], self._finished_history[-1]
        return (after - before) / (last - first) if last > first else 0.0


COUNT_LABELS = (("started", "sent"), ("answered", "answered"), ("in_flight", "in flight"))


def _get_count(counts: Mapping[str, Any], name: str) -> float:
    return counts.get(name) or 0
