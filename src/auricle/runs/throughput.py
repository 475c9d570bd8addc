"""Measure the throughput of a run.

A pass that is killed contributes neither its time nor its samples, so every ratio relates values
that were measured together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress

from auricle.core.errors import DataError
from auricle.core.types import Record
from auricle.runs.metrics import Throughput
from auricle.runs.progress import PassTiming
from auricle.runs.run_directory import Run


class PassTimer:
    """Measures one pass from its first request to its last answer."""

    __slots__ = ("_audio_seconds", "_ended_at", "_samples", "_started_at", "_unknown_durations")

    def __init__(self) -> None:
        self._started_at, self._ended_at = math.inf, -math.inf
        self._samples = self._unknown_durations = 0
        self._audio_seconds = 0.0

    def add(self, record: Record, started_at: float, ended_at: float, *, has_media: bool) -> None:
        """Count an answered sample. Failures count as time only; cached answers are ignored."""
        if record.cached:
            return
        if started_at < self._started_at:
            self._started_at = started_at
        self._ended_at = ended_at  # records are added in the order in which they finish
        if record.error:
            return
        self._samples += 1
        if record.audio_seconds is not None:
            self._audio_seconds += record.audio_seconds
        elif has_media:
            self._unknown_durations += 1

    def timings(self, ready_at: float | None = None) -> list[PassTiming]:
        """Return the timing of the pass, if it answered anything.

        Args:
            ready_at: When the model finished loading; time before that is not counted.
        """
        if not self._samples:
            return []
        started_at = max(self._started_at, ready_at or -math.inf)
        audio_seconds = None if self._unknown_durations else round(self._audio_seconds, 4)
        return [PassTiming(round(self._ended_at - started_at, 6), self._samples, audio_seconds)]


def read_passes(run: Run) -> list[PassTiming]:
    """Read the timings of the passes over a run; an empty or damaged run has none."""
    with suppress(FileNotFoundError, DataError):
        if run.outputs_path.stat().st_size:
            return list(run.read_progress().passes)
    return []


def summarise_throughput(timings: Sequence[PassTiming]) -> Throughput | None:
    """Summarise all passes; unknown values are None."""
    if not timings:
        return None
    wall, samples = sum(timing.wall_seconds for timing in timings), sum(timing.samples for timing in timings)
    durations = [timing.audio_seconds for timing in timings if timing.audio_seconds is not None]
    audio = (sum(durations) or None) if len(durations) == len(timings) else None
    return Throughput(
        wall_seconds=round(wall, 6),
        samples=samples,
        samples_per_second=_per_second(samples, wall),
        audio_seconds=None if audio is None else round(audio, 4),
        rtfx=_per_second(audio, wall),
        passes=len(timings),
    )


def _per_second(amount: float | None, wall_seconds: float) -> float | None:
    """Return a rate with six significant digits."""
    return float(f"{amount / wall_seconds:.6g}") if amount is not None and wall_seconds > 0 else None
