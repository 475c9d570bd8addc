"""TESS: two women speak "Say the word …" with 200 words in seven emotions."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

from auricle.tasks.base import Task
from auricle.tasks.emotion.base import Corpus, Recordings, emotion_task, resolve_folder
from auricle.tasks.folder_scan import Clip, scan_by_name

CORPUS = Corpus(
    name="tess",
    title="TESS",
    labels=("angry", "disgust", "fear", "happy", "pleasant surprise", "neutral", "sad"),
    language="en",
    licence="CC BY-NC-ND 4.0",
    source="the University of Toronto (doi 10.5683/SP2/E8H2MF)",
    example="OAF_angry/OAF_back_angry.wav",
)
CODES = {label: label for label in CORPUS.labels} | {"ps": "pleasant surprise"}
AGES = {"O": "older", "Y": "younger"}
NAME_PATTERN = re.compile(r"([OY])AF?_([a-z']+)_([a-z]+)", re.IGNORECASE)  # one file is named OA_bite_neutral


def tess(root: str = "", **arguments: Any) -> Task:
    """Build the TESS task: acted emotions of an older and a younger woman."""
    recordings = Recordings(
        corpus=CORPUS,
        root=resolve_folder(CORPUS, root),
        scan_folder=partial(scan_by_name, parse=parse),
        expected=dict.fromkeys(CORPUS.labels, 400),
    )
    return emotion_task(recordings, arguments)


def parse(path: Path) -> Clip | None:
    """Parse speaker, word and emotion from a file name."""
    match = NAME_PATTERN.fullmatch(path.stem)
    if not match or match[3].lower() not in CODES:
        return None
    voice, word, emotion = match[1].upper(), match[2].lower(), match[3].lower()
    speaker = f"{voice}AF"
    meta = {"speaker": speaker, "sex": "female", "age": AGES[voice], "word": word}
    return Clip(f"{speaker}_{word}_{emotion}", path, CODES[emotion], meta)
