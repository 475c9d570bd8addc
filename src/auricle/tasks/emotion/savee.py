"""SAVEE: four men say fifteen sentences in each of six emotions, and thirty in none."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

from auricle.tasks.base import Task
from auricle.tasks.emotion.base import Corpus, Recordings, emotion_task, resolve_folder
from auricle.tasks.folder_scan import Clip, scan_by_name

CORPUS = Corpus(
    name="savee",
    title="SAVEE",
    labels=("anger", "disgust", "fear", "happiness", "neutral", "sadness", "surprise"),
    language="en",
    licence="research only, on request",
    source="the University of Surrey",
    example="AudioData/DC/a01.wav or DC_a01.wav",
)
CODES = dict(zip(("a", "d", "f", "h", "n", "sa", "su"), CORPUS.labels, strict=True))
SPEAKERS = ("DC", "JE", "JK", "KL")
NAME_PATTERN = re.compile(r"(?:(DC|JE|JK|KL)_)?(sa|su|a|d|f|h|n)(\d\d)", re.IGNORECASE)


def savee(root: str = "", **arguments: Any) -> Task:
    """Acted emotions of four men, from per-speaker folders or from one flat one."""
    recordings = Recordings(
        corpus=CORPUS,
        root=resolve_folder(CORPUS, root),
        scan_folder=partial(scan_by_name, parse=parse),
        expected={label: 120 if label == "neutral" else 60 for label in CORPUS.labels},
    )
    return emotion_task(recordings, arguments)


def parse(path: Path) -> Clip | None:
    """Emotion and sentence from a name; the speaker from it too, or from the folder."""
    found = NAME_PATTERN.fullmatch(path.stem)
    speaker = (found[1] or path.parent.name).upper() if found else ""
    if not found or speaker not in SPEAKERS:
        return None
    code, number = found[2].lower(), int(found[3])
    meta = {"speaker": speaker, "sex": "male", "sentence": number}
    return Clip(f"{speaker}_{code}{number:02}", path, CODES[code], meta)
