"""SAVEE: four men speak fifteen sentences in each of six emotions, and thirty neutral ones."""

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
    """Build the SAVEE task, from one folder per speaker or from a single folder."""
    recordings = Recordings(
        corpus=CORPUS,
        root=resolve_folder(CORPUS, root),
        scan_folder=partial(scan_by_name, parse=parse),
        expected={label: 120 if label == "neutral" else 60 for label in CORPUS.labels},
    )
    return emotion_task(recordings, arguments)


def parse(path: Path) -> Clip | None:
    """Parse emotion and sentence from a file name, and the speaker from the name or the folder."""
    match = NAME_PATTERN.fullmatch(path.stem)
    speaker = (match[1] or path.parent.name).upper() if match else ""
    if not match or speaker not in SPEAKERS:
        return None
    code, number = match[2].lower(), int(match[3])
    meta = {"speaker": speaker, "sex": "male", "sentence": number}
    return Clip(f"{speaker}_{code}{number:02}", path, CODES[code], meta)
