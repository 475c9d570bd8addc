"""CREMA-D: 91 actors speak twelve sentences in six emotions; labels are the acted emotions."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path

from auricle.core.types import Json
from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, about
from auricle.tasks.benchmarks.recordings import Recordings
from auricle.tasks.folder_scan import Clip, iter_files, scan_by_name

LABELS = ("anger", "disgust", "fear", "happy", "neutral", "sad")
CODES = dict(zip(("ANG", "DIS", "FEA", "HAP", "NEU", "SAD"), LABELS, strict=True))
LEVELS = {"LO": "low", "MD": "medium", "HI": "high", "XX": "unspecified", "X": "unspecified"}
NAME_PATTERN = re.compile(r"(10\d\d)_([A-Z]{3})_([A-Z]{3})_(LO|MD|HI|XX?)")  # one file is named …_SAD_X
DEMOGRAPHICS = "videodemographics.csv"


def _read(root: Path, _part: BenchmarkPart) -> Recordings:
    """Read the recordings, with sex and age of the actors if VideoDemographics.csv is in the folder."""
    result = scan_by_name(root, parse)
    actors = _read_actors(root)
    clips = [replace(clip, meta={**clip.meta, **actors.get(str(clip.meta["speaker"]), {})}) for clip in result.clips]
    return Recordings(replace(result, clips=clips), root)


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


CREMA_D = Benchmark(
    **about("crema-d", "CREMA-D", "emotion", language="en", licence="ODbL 1.0"),
    source="github.com/CheyneyComputerScience/CREMA-D",
    citation="Cao et al., IEEE Transactions on Affective Computing 2014",
    layout="AudioWAV/1001_DFA_ANG_XX.wav",
    splits={"all": 7442},
    count_labels=lambda _part: {label: 1087 if label == "neutral" else 1271 for label in LABELS},
    read=_read,
    task_options={"labels": LABELS, "cluster": "speaker"},
)
