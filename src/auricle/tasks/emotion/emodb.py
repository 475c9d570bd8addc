"""EmoDB (Berlin): ten actors speak ten German sentences in seven emotions."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

from auricle.tasks.base import Task
from auricle.tasks.emotion.base import Corpus, Recordings, emotion_task, resolve_folder
from auricle.tasks.folder_scan import Clip, scan_by_name

CORPUS = Corpus(
    name="emodb",
    title="EmoDB",
    labels=("anger", "boredom", "disgust", "fear", "happiness", "sadness", "neutral"),
    language="de",
    licence="see the corpus",
    source="the Technical University of Berlin",
    example="wav/03a01Fa.wav",
)
CODES = dict(zip("WLEAFTN", CORPUS.labels, strict=True))
EXPECTED = dict(zip(CORPUS.labels, (127, 81, 46, 69, 71, 62, 79), strict=True))
SEXES = dict.fromkeys(("03", "10", "11", "12", "15"), "male")
SEXES |= dict.fromkeys(("08", "09", "13", "14", "16"), "female")
NAME_PATTERN = re.compile(r"(\d\d)([ab]\d\d)([WLEAFTN])([a-z])", re.IGNORECASE)


def emodb(root: str = "", **arguments: Any) -> Task:
    """Build the EmoDB task: acted emotions in German."""
    recordings = Recordings(
        corpus=CORPUS,
        root=resolve_folder(CORPUS, root),
        scan_folder=partial(scan_by_name, parse=parse),
        expected=EXPECTED,
    )
    return emotion_task(recordings, arguments)


def parse(path: Path) -> Clip | None:
    """Parse speaker, sentence, emotion (initial of a German word) and version from a file name."""
    match = NAME_PATTERN.fullmatch(path.stem)
    if not match or match[1] not in SEXES:
        return None
    meta = {"speaker": match[1], "sex": SEXES[match[1]], "sentence": match[2].lower()}
    return Clip(path.stem, path, CODES[match[3].upper()], {**meta, "version": match[4].lower()})
