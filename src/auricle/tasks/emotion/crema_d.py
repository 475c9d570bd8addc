"""CREMA-D: 91 actors speak twelve sentences in six emotions; labels are the acted emotions."""

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
NAME_PATTERN = re.compile(r"(10\d\d)_([A-Z]{3})_([A-Z]{3})_(LO|MD|HI|XX?)")  # one file is named …_SAD_X
DEMOGRAPHICS = "videodemographics.csv"


def crema_d(root: str = "", **arguments: Any) -> Task:
    """Build the CREMA-D task, with sex and age of the actors if VideoDemographics.csv is in the folder."""
    recordings = Recordings(corpus=CORPUS, root=resolve_folder(CORPUS, root), scan_folder=_scan, expected=EXPECTED)
    return emotion_task(recordings, arguments)


def _scan(root: Path) -> ScanResult:
    result = scan_by_name(root, parse)
    actors = _read_actors(root)
    clips = [replace(clip, meta={**clip.meta, **actors.get(str(clip.meta["speaker"]), {})}) for clip in result.clips]
    return replace(result, clips=clips)


def parse(path: Path) -> Clip | None:
    """Parse actor, sentence, emotion and intensity from a file name."""
    match = NAME_PATTERN.fullmatch(path.stem)
    if not match or match[3] not in CODES:
        return None
    meta = {"speaker": match[1], "sentence": match[2], "intensity": LEVELS[match[4]]}
    return Clip(path.stem, path, CODES[match[3]], meta)


def _read_actors(root: Path) -> dict[str, dict[str, Json]]:
    """Return sex and age of each actor."""
    table = next((path for path in iter_files(root, (".csv",)) if path.name.lower() == DEMOGRAPHICS), None)
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
