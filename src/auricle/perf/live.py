"""A load point as it goes by: one line, written over on a terminal, now and then elsewhere.

with Ticker("poisson:8", seconds=60) as ticker: ticker(counts)      counts as `Live` has them
"""

from __future__ import annotations

import shutil
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import TextIO

DRAW_SECONDS = 1.0
LINE_SECONDS = 10.0
RECENT = 5.0
"""Seconds over which the rate is taken."""


class Ticker:
    """Told how it goes as often as one likes; shows it as often as one can read."""

    def __init__(
        self,
        load: str,
        seconds: float | None = None,
        count: int | None = None,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._load, self._seconds, self._count = load, seconds, count
        self._stream, self._clock = stream or sys.stderr, clock
        self._terminal = self._stream.isatty()
        self._began = self._shown = clock()
        self._ended: deque[tuple[float, float]] = deque([(self._began, 0)])
        self._counts: Mapping[str, float | None] = {}

    def __enter__(self) -> Ticker:
        return self

    def __exit__(self, *_: object) -> None:
        if self._counts:
            self._show()
        if self._terminal and self._counts:
            self._stream.write("\n")
            self._stream.flush()

    def __call__(self, counts: Mapping[str, float | None]) -> None:
        """Now so many were started, answered, failed and are in flight; `ttft_s` if it is known."""
        self._counts = counts
        now = self._clock()
        self._ended.append((now, _of(counts, "answered") + _of(counts, "failed")))
        while len(self._ended) > 2 and self._ended[1][0] <= now - RECENT:
            self._ended.popleft()
        if now - self._shown >= (DRAW_SECONDS if self._terminal else LINE_SECONDS):
            self._shown = now
            self._show()

    def _show(self) -> None:
        line = self.line()
        if self._terminal:
            width = shutil.get_terminal_size().columns
            self._stream.write(f"\r{line[: width - 1]}\x1b[K")
        else:
            self._stream.write(f"{line}\n")
        self._stream.flush()

    def line(self) -> str:
        """All there is to say."""
        counts = self._counts
        told = [self._so_far()]
        if self._count:
            told.append(f"{_of(counts, 'started'):,.0f} of {self._count:,} sent")
        else:
            told.append(f"{_of(counts, 'started'):,.0f} sent")
        told.append(f"{_of(counts, 'answered'):,.0f} answered")
        if _of(counts, "failed"):
            told.append(f"{_of(counts, 'failed'):,.0f} failed")
        told += [f"{_of(counts, 'in_flight'):,.0f} in flight", f"{self._rate():.3g}/s"]
        if (first := counts.get("ttft_s")) is not None:
            told.append(f"TTFT {first:.3g} s")
        return f"{self._load}: {', '.join(told)}"

    def _so_far(self) -> str:
        passed = self._clock() - self._began
        return f"{passed:.0f} of {self._seconds:g} s" if self._seconds else f"{passed:.0f} s"

    def _rate(self) -> float:
        """Of requests that ended, lately."""
        (first, before), (last, after) = self._ended[0], self._ended[-1]
        return (after - before) / (last - first) if last > first else 0.0


def _of(counts: Mapping[str, float | None], name: str) -> float:
    return counts.get(name) or 0
