"""Rows that AISBench's dataset classes make of files which are not a table of rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

VOCAL_SOUND_QUESTION = (
    "Which of these sounds do you hear? A: laughter, B: sigh, C: cough, D: throat clearing, E: sneeze, F: sniff. "
    "Answer with the letter of the best match."
)

RowMaker = Callable[[Path, Path], list[dict[str, Any]]]
"""Function of a folder and the folder that paths in the rows are relative to."""


def read_vocal_sounds(folder: Path, output_folder: Path) -> list[dict[str, Any]]:
    """Make a question of each recording; the last part of its name is the answer, as in `f0003_0_cough.wav`."""
    return [
        {
            "id": path.stem,
            "audio": os.path.relpath(path.resolve(), output_folder.resolve()),
            "question": VOCAL_SOUND_QUESTION,
            "answer": path.stem.rpartition("_")[2],
        }
        for path in sorted(folder.glob("*.wav"))
    ]


ROW_MAKERS: Mapping[str, RowMaker] = {"VocalSoundDataset": read_vocal_sounds}
"""AISBench's dataset classes whose rows are made when a config is converted."""
