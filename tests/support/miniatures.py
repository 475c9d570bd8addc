"""Corpora of a few rows in their official layout, for tests of the catalogue.

Each half of the catalogue has a list of `Miniature`s in a file of its own, such as
miniatures_speech.py; what every entry must do is then tested for each of them, by `promises`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import soundfile


@dataclass(frozen=True)
class Miniature:
    """How a corpus is built in a folder, and what must be found in it, in order."""

    task: str
    build: Callable[[Path], None]
    rows: Mapping[str, object]
    """Targets by id."""
    options: Mapping[str, str] = field(default_factory=dict)
    meta: Mapping[str, object] = field(default_factory=dict)
    """Some of what is known of the first row."""
    file: str = ""
    """A recording that the first row needs, for tests that take it away; relative to the root."""
    spans: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Seconds of some rows' recordings, by id."""

    def __str__(self) -> str:
        return "-".join([self.task, *self.options.values()])


def sound(path: Path, seconds: float = 0.05, rate: int = 16_000, kind: str | None = None) -> Path:
    """Write a tone whose pitch depends on its name, so that no two recordings are equal."""
    pitch = 200 + sum(path.name.encode()) % 400
    wave = 0.3 * np.sin(2 * np.pi * pitch * np.arange(round(seconds * rate)) / rate)
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, wave.astype(np.float32), rate, format=kind)
    return path


def text(path: Path, *lines: str) -> Path:
    """Write lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path
