"""IEMOCAP: five sessions of improvised and scripted dialogue, labelled by listeners."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.types import RejectedRow
from auricle.tasks.base import Task
from auricle.tasks.emotion.base import Corpus, Recordings, check_choice, emotion_task, resolve_folder
from auricle.tasks.folder_scan import AUDIO_SUFFIXES, Clip, ScanResult, drop_duplicates, iter_files

CORPUS = Corpus(
    name="iemocap",
    title="IEMOCAP",
    labels=("neutral", "happy", "angry", "sad"),
    language="en",
    licence="research only, by signed form",
    source="the University of Southern California (SAIL)",
    example="Session1/dialog/EmoEvaluation/Ses01F_impro01.txt and "
    "Session1/sentences/wav/Ses01F_impro01/Ses01F_impro01_F000.wav",
    options=("classes", "session", "ratings"),
)
FOUR_CLASSES = {"neu": "neutral", "hap": "happy", "exc": "happy", "ang": "angry", "sad": "sad"}
"""The usual protocol: excited counts as happy, other classes are left out."""
ALL_CLASSES = FOUR_CLASSES | {
    "exc": "excited",
    "fru": "frustrated",
    "sur": "surprised",
    "fea": "fearful",
    "dis": "disgusted",
    "oth": "other",
}
CLASS_SETS = {"4": FOUR_CLASSES, "all": ALL_CLASSES}
PUBLISHED_COUNTS = {
    "neu": 1708, "hap": 595, "exc": 1041, "ang": 1103, "sad": 1084,
    "fru": 1849, "sur": 107, "fea": 40, "dis": 2, "oth": 3,
}  # fmt: skip
FOUR_BY_SESSION = (1085, 1023, 1151, 1031, 1241)
LABEL_LINE_PATTERN = re.compile(
    r"\[(\d+\.\d+) - (\d+\.\d+)\]\t(Ses0([1-5])[FM]_(impro|script)\w*_([FM])\w*)\t([a-z]{3})"
    r"\t\[([\d.]+), ([\d.]+), ([\d.]+)\]"
)


def iemocap(root: str = "", classes: object = 4, session: int = 0, ratings: str = "1-5", **arguments: Any) -> Task:
    """Build the IEMOCAP task.

    Args:
        root: Folder of the corpus.
        classes: `4` for the usual protocol, or `all`.
        session: Session 1 to 5, or 0 for all sessions.
        ratings: Scale of the ratings of valence, arousal and dominance: `1-5`, or `0-1` as dimensional models use.
        **arguments: Options of `COMMON_OPTIONS`.
    """
    unit_scale = check_choice(CORPUS, "ratings", ratings, ("1-5", "0-1")) == "0-1"
    codes = CLASS_SETS[check_choice(CORPUS, "classes", classes, tuple(CLASS_SETS))]
    if session not in range(6):
        raise SpecError(f"iemocap: invalid session {session!r}: expected an integer from 1 to 5.")
    words = ["" if codes is FOUR_CLASSES else "all", f"session {session}" if session else ""]
    recordings = Recordings(
        corpus=CORPUS,
        root=resolve_folder(CORPUS, root),
        scan_folder=partial(_scan, codes=codes, session=session, unit_scale=unit_scale),
        expected=_expected_counts(codes, session),
        part=" ".join(filter(None, words)),
        labels=tuple(dict.fromkeys(codes.values())),
    )
    return emotion_task(recordings, arguments)


def _expected_counts(codes: dict[str, str], session: int) -> dict[str, int]:
    """Return the published count of each label; for one session, only the total of the four classes is published."""
    if session:
        return {"": FOUR_BY_SESSION[session - 1]} if codes is FOUR_CLASSES else {}
    counts: Counter[str] = Counter()
    for code, label in codes.items():
        counts[label] += PUBLISHED_COUNTS[code]
    return dict(counts)


def _scan(root: Path, codes: dict[str, str], session: int, unit_scale: bool) -> ScanResult:
    recordings = {path.stem: path for path in reversed([*iter_files(root, AUDIO_SUFFIXES)])}
    clips: list[Clip] = []
    rejected: dict[str, RejectedRow] = {}
    left_out: Counter[str] = Counter()
    for origin, line in _iter_label_lines(root):
        code, name = line[7], line[3]
        if session and int(line[4]) != session:
            left_out["other session"] += 1
        elif code not in codes:
            left_out[code] += 1
        elif name in recordings:
            clips.append(_build_clip(line, recordings[name], codes[code], unit_scale))
        else:
            rejected[name] = RejectedRow(origin, f"{name} has a label, but {name}.wav is missing")
    unique, notes = drop_duplicates(clips, root)
    if codes is ALL_CLASSES and left_out["xxx"]:
        notes.append(f"{left_out['xxx']:,} turns are left out because listeners did not agree on a label.")
    return ScanResult(unique, [*rejected.values()], notes, left_out.total())


def _iter_label_lines(root: Path) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield each line with a consensus label; subfolders contain the labels of single listeners."""
    for path in iter_files(root, (".txt",)):
        if path.parent.name.lower() != "emoevaluation":
            continue
        for number, line in enumerate(path.read_text(encoding="latin-1").splitlines(), 1):
            if match := LABEL_LINE_PATTERN.match(line):
                yield f"{path.name}:{number}", match


def _build_clip(line: re.Match[str], path: Path, label: str, unit_scale: bool) -> Clip:
    name, voice = line[3], line[6]
    ratings = [float(line[group]) for group in (8, 9, 10)]
    valence, arousal, dominance = [(rating - 1) / 4 for rating in ratings] if unit_scale else ratings
    return Clip(
        name,
        path,
        label,
        {
            "speaker": f"Ses0{line[4]}{voice}",
            "sex": "female" if voice == "F" else "male",
            "session": int(line[4]),
            "style": "improvised" if line[5] == "impro" else "scripted",
            "dialogue": name.rpartition("_")[0],
            "code": line[7],
            "valence": valence,
            "arousal": arousal,
            "dominance": dominance,
        },
    )
