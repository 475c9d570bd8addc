"""Rows that AISBench's dataset classes make of files which are not a table of rows."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError, Unreadable
from auricle.frameworks.aisbench.math_answers import find_boxed

VOCAL_SOUND_QUESTION = (
    "Which of these sounds do you hear? A: laughter, B: sigh, C: cough, D: throat clearing, E: sneeze, F: sniff. "
    "Answer with the letter of the best match."
)

RowMaker = Callable[[Path, Mapping[str, Any], Path], list[dict[str, Any]]]
"""Function of a folder, the config of its dataset, and the folder that paths in the rows are relative to."""


def read_vocal_sounds(folder: Path, _config: Mapping[str, Any], output_folder: Path) -> list[dict[str, Any]]:
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


def read_math_problems(folder: Path, config: Mapping[str, Any], _output_folder: Path) -> list[dict[str, Any]]:
    """Read problems by name; the answer is in the last box of a solution."""
    path = folder / str(config.get("file_name", "math.json"))
    try:
        problems = json.loads(path.read_text(encoding="utf-8"))
        return [
            {"id": str(name), "problem": problem["problem"], "solution": find_boxed(problem["solution"])}
            for name, problem in problems.items()
        ]
    except (OSError, ValueError, LookupError, AttributeError, TypeError, Unreadable) as error:
        raise SpecError(f"{path} should contain problems with their solutions by name: {error}.") from error


ROW_MAKERS: Mapping[str, RowMaker] = {"VocalSoundDataset": read_vocal_sounds, "MATHDataset": read_math_problems}
"""AISBench's dataset classes whose rows are made when a config is converted."""
