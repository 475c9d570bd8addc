"""Miniatures of benchmark archives: a few rows in the official layout.

They are listed in miniatures_speech.py and miniatures_understanding.py; miniatures_suite.py contains the tests that
every benchmark must pass on its miniatures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import soundfile


@dataclass(frozen=True)
class Miniature:
    """A function that writes a small archive, and the rows that must be read from it, in order."""

    task: str
    build: Callable[[Path], None]
    rows: Mapping[str, object]
    """Targets by id."""
    options: Mapping[str, str] = field(default_factory=dict)
    meta: Mapping[str, object] = field(default_factory=dict)
    """Some metadata of the first row."""
    file: str = ""
    """Path of the first row's recording, relative to the root."""
    spans: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Start and end in seconds of some rows, by id."""

    def __str__(self) -> str:
        return "-".join([self.task, *self.options.values()])


def write_tone(path: Path, seconds: float = 0.05, rate: int = 16_000, format_: str | None = None) -> Path:
    """Write a tone whose pitch depends on the file name, so that recordings differ."""
    pitch = 200 + sum(path.name.encode()) % 400
    wave = 0.3 * np.sin(2 * np.pi * pitch * np.arange(round(seconds * rate)) / rate)
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, wave.astype(np.float32), rate, format=format_)
    return path


def write_lines(path: Path, *lines: str) -> Path:
    """Write a text file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path
