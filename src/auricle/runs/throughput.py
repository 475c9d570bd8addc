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

Measured = Mapping[str, Any]
"""What one pass took, as `progress.json` has it."""


class Clock:
    """Runs from a pass's first question to its last answer, and counts what was answered."""

    __slots__ = ("_audio", "_began", "_ended", "_samples", "_unknown")

    def __init__(self) -> None:
        self._began, self._ended = math.inf, -math.inf
        self._samples = self._unknown = 0
        self._audio = 0.0

    def add(self, record: Record, began: float, ended: float, *, media: bool) -> None:
        """Count an answer. A failure takes time and is no answer; a remembered one is neither."""
        if record.cached:
            return
        if began < self._began:
            self._began = began
        self._ended = ended  # those who finish later are added later
        if record.error:
            return
        self._samples += 1
        if record.audio_seconds is not None:
            self._audio += record.audio_seconds
        elif media:
            self._unknown += 1

    def measured(self, ready: float | None = None) -> list[Measured]:
        """What the pass took, if it answered anything; not before a late model was `ready`."""
        if not self._samples:
            return []
        began = max(self._began, ready or -math.inf)
        return [
            {
                "wall_seconds": round(self._ended - began, 6),
                "samples": self._samples,
                "audio_seconds": None if self._unknown else round(self._audio, 4),
            }
        ]


def passes(run: Run) -> list[Measured]:
    """What the passes over a run took so far; of an empty or damaged run nothing is known."""
    with suppress(FileNotFoundError, orjson.JSONDecodeError):
        if run.outputs.stat().st_size:
            return list(run.progress().get("passes", ()))
    return []


def speed(found: Sequence[Measured]) -> dict[str, Any] | None:
    """As `metrics.json` has it: over all passes measured, what is not known is null."""
    if not found:
        return None
    wall, samples = (sum(each[name] for each in found) for name in ("wall_seconds", "samples"))
    heard = [each["audio_seconds"] for each in found]
    audio = None if None in heard else sum(heard) or None  # without sounds there are no seconds
    return {
        "wall_seconds": round(wall, 6),
        "samples": samples,
        "samples_per_second": _ratio(samples, wall),
        "audio_seconds": None if audio is None else round(audio, 4),
        "rtfx": _ratio(audio, wall),
        "passes": len(found),
    }


def _ratio(amount: float | None, wall: float) -> float | None:
    """Six digits of what was answered a second."""
    return float(f"{amount / wall:.6g}") if amount is not None and wall > 0 else None
