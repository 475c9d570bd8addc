"""TESS: two women speak "Say the word …" with 200 words in seven emotions."""

from __future__ import annotations

import re
from pathlib import Path

from auricle.tasks.benchmarks.base import Benchmark, about
from auricle.tasks.benchmarks.recordings import read_by_name
from auricle.tasks.folder_scan import Clip

LABELS = ("angry", "disgust", "fear", "happy", "pleasant surprise", "neutral", "sad")
CODES = {label: label for label in LABELS} | {"ps": "pleasant surprise"}
AGES = {"O": "older", "Y": "younger"}
NAME_PATTERN = re.compile(r"([OY])AF?_([a-z']+)_([a-z]+)", re.IGNORECASE)  # one file is named OA_bite_neutral


def parse(path: Path) -> Clip | None:
    """Parse speaker, word and emotion from a file name."""
    match = NAME_PATTERN.fullmatch(path.stem)
    if not match or match[3].lower() not in CODES:
        return None
    voice, word, emotion = match[1].upper(), match[2].lower(), match[3].lower()
    speaker = f"{voice}AF"
    meta = {"speaker": speaker, "sex": "female", "age": AGES[voice], "word": word}
    return Clip(f"{speaker}_{word}_{emotion}", path, CODES[emotion], meta)


TESS = Benchmark(
    **about("tess", "TESS", "emotion", language="en", licence="CC BY-NC-ND 4.0"),
    source="the University of Toronto (doi 10.5683/SP2/E8H2MF)",
    layout="OAF_angry/OAF_back_angry.wav",
    splits={"all": 2800},
    count_labels=lambda _part: dict.fromkeys(LABELS, 400),
    read=read_by_name(parse),
    task_options={"labels": LABELS, "cluster": "speaker"},
)
