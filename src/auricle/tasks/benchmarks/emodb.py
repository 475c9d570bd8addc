"""EmoDB (Berlin): ten actors speak ten German sentences in seven emotions."""

from __future__ import annotations

import re
from pathlib import Path

from auricle.tasks.benchmarks.base import Benchmark, about
from auricle.tasks.benchmarks.recordings import read_by_name
from auricle.tasks.folder_scan import Clip

LABELS = ("anger", "boredom", "disgust", "fear", "happiness", "sadness", "neutral")
CODES = dict(zip("WLEAFTN", LABELS, strict=True))
SEXES = dict.fromkeys(("03", "10", "11", "12", "15"), "male")
SEXES |= dict.fromkeys(("08", "09", "13", "14", "16"), "female")
NAME_PATTERN = re.compile(r"(\d\d)([ab]\d\d)([WLEAFTN])([a-z])", re.IGNORECASE)


def parse(path: Path) -> Clip | None:
    """Parse speaker, sentence, emotion (initial of a German word) and version from a file name."""
    match = NAME_PATTERN.fullmatch(path.stem)
    if not match or match[1] not in SEXES:
        return None
    meta = {"speaker": match[1], "sex": SEXES[match[1]], "sentence": match[2].lower()}
    return Clip(path.stem, path, CODES[match[3].upper()], {**meta, "version": match[4].lower()})


EMODB = Benchmark(
    **about("emodb", "EmoDB", "emotion", language="de", licence="see the corpus"),
    source="the Technical University of Berlin",
    citation="Burkhardt et al., Interspeech 2005",
    layout="wav/03a01Fa.wav",
    splits={"all": 535},
    count_labels=lambda _part: dict(zip(LABELS, (127, 81, 46, 69, 71, 62, 79), strict=True)),
    read=read_by_name(parse),
    task_options={"labels": LABELS, "cluster": "speaker"},
)
