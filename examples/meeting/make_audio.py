"""Make the recordings of `meetings.stm`: every speaker is a tone of another pitch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile

from auricle.tasks.meetings.segment_files import read_segments

RATE = 16_000
PITCHES = {"anna": 220.0, "ben": 110.0, "carla": 330.0}
"""Frequency of each speaker in Hz."""


def make_recordings(stm: Path, folder: Path) -> list[Path]:
    """Write a recording for each meeting of an STM file, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, turns in read_segments(stm).recordings.items():
        seconds = max(turn.end for turn in turns) + 1
        sound = np.zeros(round(seconds * RATE))
        for turn in turns:
            first, last = round(turn.start * RATE), round(turn.end * RATE)
            sound[first:last] += 0.2 * np.sin(2 * np.pi * PITCHES[turn.speaker] * np.arange(last - first) / RATE)
        path = folder / f"{name}.wav"
        soundfile.write(path, sound, RATE)
        paths.append(path)
    return paths


if __name__ == "__main__":
    here = Path(__file__).parent
    make_recordings(here / "meetings.stm", here / "audio")
