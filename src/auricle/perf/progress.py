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

DRAW_SECONDS = 1.0
LINE_SECONDS = 10.0
RECENT = 5.0
"""Seconds over which the rate is taken."""


class LiveView:
    """Told how it goes as often as one likes; shows it as often as one can read."""

    def __init__(
        self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream, self._clock = stream or sys.stderr, clock
        self._terminal = self._stream.isatty()
        self._counts: Mapping[str, Any] = {}
        self._began = self._shown = clock()
        self._ended: deque[tuple[float, float]] = deque()

    def __enter__(self) -> LiveView:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def saw(self, counts: Mapping[str, Any]) -> None:
        """So many are started, answered, failed, in flight; maybe `load`, `seconds`, `ttft_s`."""
        if not counts:
            return
        if _of(counts, "started") < _of(self._counts, "started"):  # the next load point
            self._end()
        if not self._counts:  # what was made ready before counts for nothing
            self._begin()
        self._counts = counts
        now = self._clock()
        self._ended.append((now, _of(counts, "answered") + _of(counts, "failed")))
        while len(self._ended) > 2 and self._ended[1][0] <= now - RECENT:
            self._ended.popleft()
        if now - self._shown >= (DRAW_SECONDS if self._terminal else LINE_SECONDS):
            self._shown = now
            self._show()

    def _begin(self) -> None:
        self._began = self._shown = self._clock()
        self._ended = deque()

    def _end(self) -> None:
        """What was seen last stays to be read."""
        if not self._counts:
            return
        self._show()
        if self._terminal:
            self._stream.write("\n")
            self._stream.flush()
        self._counts = {}

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
        told += [f"{_of(counts, name):,.0f} {said}" for name, said in SAID if name in counts]
        if _of(counts, "failed"):
            told.append(f"{_of(counts, 'failed'):,.0f} failed")
        told.append(f"{self._rate():.3g}/s")
        if (first := counts.get("ttft_s")) is not None:
            told.append(f"TTFT {first:.3g} s")
        load = counts.get("load")
        return f"{load}: {', '.join(told)}" if load else ", ".join(told)

    def _so_far(self) -> str:
        passed, whole = self._clock() - self._began, self._counts.get("seconds")
        return f"{passed:.0f} of {whole:g} s" if whole else f"{passed:.0f} s"

    def _rate(self) -> float:
        """Of requests that ended, lately."""
        (first, before), (last, after) = self._ended[0], self._ended[-1]
        return (after - before) / (last - first) if last > first else 0.0


SAID = (("started", "sent"), ("answered", "answered"), ("in_flight", "in flight"))


def _of(counts: Mapping[str, Any], name: str) -> float:
    return counts.get(name) or 0
