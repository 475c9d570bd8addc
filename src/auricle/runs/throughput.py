"""Measure the throughput of a run.

A pass that is killed contributes neither its time nor its samples, so every ratio relates values
that were measured together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import orjson

from auricle.core.types import Record
from auricle.runs.run_directory import Run

PassTiming = Mapping[str, Any]
"""Timing of one pass, as stored in `progress.json`."""


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
        return [
            {
                "wall_seconds": round(self._ended_at - started_at, 6),
                "samples": self._samples,
                "audio_seconds": None if self._unknown_durations else round(self._audio_seconds, 4),
            }
        ]


def read_passes(run: Run) -> list[PassTiming]:
    """Read the timings of the passes over a run; an empty or damaged run has none."""
    with suppress(FileNotFoundError, orjson.JSONDecodeError):
        if run.outputs_path.stat().st_size:
            return list(run.read_progress().get("passes", ()))
    return []


def summarise_throughput(timings: Sequence[PassTiming]) -> dict[str, Any] | None:
    """Summarise all passes for `metrics.json`; unknown values are null."""
    if not timings:
        return None
    wall, samples = (sum(timing[name] for timing in timings) for name in ("wall_seconds", "samples"))
    durations = [timing["audio_seconds"] for timing in timings]
    audio = None if None in durations else sum(durations) or None
    return {
        "wall_seconds": round(wall, 6),
        "samples": samples,
        "samples_per_second": _per_second(samples, wall),
        "audio_seconds": None if audio is None else round(audio, 4),
        "rtfx": _per_second(audio, wall),
        "passes": len(timings),
    }


def _per_second(amount: float | None, wall_seconds: float) -> float | None:
    """Return a rate with six significant digits."""
    return float(f"{amount / wall_seconds:.6g}") if amount is not None and wall_seconds > 0 else None
