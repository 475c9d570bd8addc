"""How fast a run was: what its passes answered, over the time they took to ask.

A pass that is killed leaves neither its time nor its answers here, so a ratio is always one of
things measured together.
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
"""What one pass took, as `progress.json` has it."""


class PassTimer:
    """Runs from a pass's first question to its last answer, and counts what was answered."""

    __slots__ = ("_audio_seconds", "_ended_at", "_samples", "_started_at", "_unknown_durations")

    def __init__(self) -> None:
        self._started_at, self._ended_at = math.inf, -math.inf
        self._samples = self._unknown_durations = 0
        self._audio_seconds = 0.0

    def add(self, record: Record, started_at: float, ended_at: float, *, has_media: bool) -> None:
        """Count an answer. A failure takes time and is no answer; a remembered one is neither."""
        if record.cached:
            return
        if started_at < self._started_at:
            self._started_at = started_at
        self._ended_at = ended_at  # those who finish later are added later
        if record.error:
            return
        self._samples += 1
        if record.audio_seconds is not None:
            self._audio_seconds += record.audio_seconds
        elif has_media:
            self._unknown_durations += 1

    def timings(self, ready_at: float | None = None) -> list[PassTiming]:
        """What the pass took, if it answered anything; not before a late model was `ready`."""
        if not self._samples:
            return []
        began = max(self._started_at, ready_at or -math.inf)
        return [
            {
                "wall_seconds": round(self._ended_at - began, 6),
                "samples": self._samples,
                "audio_seconds": None if self._unknown_durations else round(self._audio_seconds, 4),
            }
        ]


def read_passes(run: Run) -> list[PassTiming]:
    """What the passes over a run took so far; of an empty or damaged run nothing is known."""
    with suppress(FileNotFoundError, orjson.JSONDecodeError):
        if run.outputs_path.stat().st_size:
            return list(run.read_progress().get("passes", ()))
    return []


def summarise_throughput(timings: Sequence[PassTiming]) -> dict[str, Any] | None:
    """As `metrics.json` has it: over all passes measured, what is not known is null."""
    if not timings:
        return None
    wall, samples = (sum(each[name] for each in timings) for name in ("wall_seconds", "samples"))
    heard = [each["audio_seconds"] for each in timings]
    audio = None if None in heard else sum(heard) or None  # without sounds there are no seconds
    return {
        "wall_seconds": round(wall, 6),
        "samples": samples,
        "samples_per_second": _per_second(samples, wall),
        "audio_seconds": None if audio is None else round(audio, 4),
        "rtfx": _per_second(audio, wall),
        "passes": len(timings),
    }


def _per_second(amount: float | None, wall_seconds: float) -> float | None:
    """Six digits of what was answered a second."""
    return float(f"{amount / wall_seconds:.6g}") if amount is not None and wall_seconds > 0 else None
