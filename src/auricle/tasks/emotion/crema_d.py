"""CREMA-D: 91 actors say twelve sentences in six emotions; labels are what was acted."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from auricle.core.types import Json
from auricle.tasks.base import Task
from auricle.tasks.emotion.base import Corpus, Recordings, emotion_task, resolve_folder
from auricle.tasks.folder_scan import Clip, ScanResult, iter_files, scan_by_name

CORPUS = Corpus(
    name="crema-d",
    title="CREMA-D",
    labels=("anger", "disgust", "fear", "happy", "neutral", "sad"),
    language="en",
    licence="ODbL 1.0",
    source="github.com/CheyneyComputerScience/CREMA-D",
    example="AudioWAV/1001_DFA_ANG_XX.wav",
)
CODES = dict(zip(("ANG", "DIS", "FEA", "HAP", "NEU", "SAD"), CORPUS.labels, strict=True))
LEVELS = {"LO": "low", "MD": "medium", "HI": "high", "XX": "unspecified", "X": "unspecified"}
EXPECTED = {label: 1087 if label == "neutral" else 1271 for label in CORPUS.labels}
NAME_PATTERN = re.compile(r"(10\d\d)_([A-Z]{3})_([A-Z]{3})_(LO|MD|HI|XX?)")  # one is named …_SAD_X
DEMOGRAPHICS = "videodemographics.csv"


def crema_d(root: str = "", **arguments: Any) -> Task:
    """Acted emotions; sex and age of the actors where VideoDemographics.csv lies with them."""
    recordings = Recordings(corpus=CORPUS, root=resolve_folder(CORPUS, root), scan_folder=_scan, expected=EXPECTED)
    return emotion_task(recordings, arguments)


def _scan(root: Path) -> ScanResult:
    found = scan_by_name(root, parse)
    actors = _read_actors(root)
    known = [replace(c, meta={**c.meta, **actors.get(str(c.meta["speaker"]), {})}) for c in found.clips]
    return replace(found, clips=known)


def parse(path: Path) -> Clip | None:
    """Actor, sentence, emotion and intensity, from a name."""
    found = NAME_PATTERN.fullmatch(path.stem)
    if not found or found[3] not in CODES:
        return None
    meta = {"speaker": found[1], "sentence": found[2], "intensity": LEVELS[found[4]]}
    return Clip(path.stem, path, CODES[found[3]], meta)


def _read_actors(root: Path) -> dict[str, dict[str, Json]]:
    """What is known of each actor."""
    table = next((each for each in iter_files(root, (".csv",)) if each.name.lower() == DEMOGRAPHICS), None)
    if table is None:
        return {}
    with table.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
        rows = [{name: value or "" for name, value in row.items()} for row in csv.DictReader(lines)]
    return {
        row.get("ActorID", ""): {
            "sex": row.get("Sex", "").lower(),
            **({"age": int(row["Age"])} if row.get("Age", "").isdecimal() else {}),
        }
        for row in rows
    }
