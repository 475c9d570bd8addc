"""SAVEE: four men speak fifteen sentences in each of six emotions, and thirty neutral ones."""

from __future__ import annotations

import re
from pathlib import Path

from auricle.tasks.benchmarks.base import Benchmark, about
from auricle.tasks.benchmarks.recordings import read_by_name
from auricle.tasks.folder_scan import Clip

LABELS = ("anger", "disgust", "fear", "happiness", "neutral", "sadness", "surprise")
CODES = dict(zip(("a", "d", "f", "h", "n", "sa", "su"), LABELS, strict=True))
SPEAKERS = ("DC", "JE", "JK", "KL")
NAME_PATTERN = re.compile(r"(?:(DC|JE|JK|KL)_)?(sa|su|a|d|f|h|n)(\d\d)", re.IGNORECASE)


def parse(path: Path) -> Clip | None:
    """Parse emotion and sentence from a file name, and the speaker from the name or the folder."""
    match = NAME_PATTERN.fullmatch(path.stem)
    speaker = (match[1] or path.parent.name).upper() if match else ""
    if not match or speaker not in SPEAKERS:
        return None
    code, number = match[2].lower(), int(match[3])
    meta = {"speaker": speaker, "sex": "male", "sentence": number}
    return Clip(f"{speaker}_{code}{number:02}", path, CODES[code], meta)


SAVEE = Benchmark(
    **about("savee", "SAVEE", "emotion", language="en", licence="research only, on request"),
    source="the University of Surrey",
    citation="Haq and Jackson, AVSP 2009",
    layout="AudioData/DC/a01.wav or DC_a01.wav",
    splits={"all": 480},
    count_labels=lambda _part: {label: 120 if label == "neutral" else 60 for label in LABELS},
    read=read_by_name(parse),
    task_options={"labels": LABELS, "cluster": "speaker"},
)
