"""IEMOCAP: five sessions of improvised and scripted dialogue, labelled by listeners."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from auricle.core.types import RejectedRow
from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, about
from auricle.tasks.benchmarks.recordings import Recordings
from auricle.tasks.folder_scan import AUDIO_SUFFIXES, Clip, ScanResult, drop_duplicates, iter_files

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
ALL_SESSIONS = "0"
UNIT_SCALE = "0-1"
"""Scale of the ratings of valence, arousal and dominance that dimensional models use; the corpus has 1 to 5."""
LABEL_LINE_PATTERN = re.compile(
    r"\[(\d+\.\d+) - (\d+\.\d+)\]\t(Ses0([1-5])[FM]_(impro|script)\w*_([FM])\w*)\t([a-z]{3})"
    r"\t\[([\d.]+), ([\d.]+), ([\d.]+)\]"
)


def _labels(part: BenchmarkPart) -> tuple[str, ...]:
    return tuple(dict.fromkeys(CLASS_SETS[part["classes"]].values()))


def _describe_part(part: BenchmarkPart) -> list[str]:
    session = [] if part["session"] == ALL_SESSIONS else ["session", part["session"]]
    return [*([] if part["classes"] == "4" else [part["classes"]]), *session]


def _count_labels(part: BenchmarkPart) -> dict[str, int]:
    """Return the published count of each label; for one session, only the total of the four classes is published."""
    if part["session"] != ALL_SESSIONS:
        return {"": FOUR_BY_SESSION[int(part["session"]) - 1]} if part["classes"] == "4" else {}
    counts: Counter[str] = Counter()
    for code, label in CLASS_SETS[part["classes"]].items():
        counts[label] += PUBLISHED_COUNTS[code]
    return dict(counts)


def _read(root: Path, part: BenchmarkPart) -> Recordings:
    codes = CLASS_SETS[part["classes"]]
    recordings = {path.stem: path for path in reversed([*iter_files(root, AUDIO_SUFFIXES)])}
    clips: list[Clip] = []
    rejected: dict[str, RejectedRow] = {}
    left_out: Counter[str] = Counter()
    for origin, line in _iter_label_lines(root):
        code, name = line[7], line[3]
        if part["session"] not in (ALL_SESSIONS, line[4]):
            left_out["other session"] += 1
        elif code not in codes:
            left_out[code] += 1
        elif name in recordings:
            clips.append(_build_clip(line, recordings[name], codes[code], part["ratings"] == UNIT_SCALE))
        else:
            rejected[name] = RejectedRow(origin, f"{name} has a label, but {name}.wav is missing")
    unique, notes = drop_duplicates(clips, root)
    if codes is ALL_CLASSES and left_out["xxx"]:
        notes.append(f"{left_out['xxx']:,} turns are left out because listeners did not agree on a label.")
    return Recordings(ScanResult(unique, [*rejected.values()], notes, left_out.total()), root)


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


IEMOCAP = Benchmark(
    **about("iemocap", "IEMOCAP", "emotion", language="en", licence="research only, by signed form"),
    source="the University of Southern California (SAIL)",
    citation="Busso et al., Language Resources and Evaluation 2008",
    layout="Session1/dialog/EmoEvaluation/Ses01F_impro01.txt and "
    "Session1/sentences/wav/Ses01F_impro01/Ses01F_impro01_F000.wav",
    splits={"all": 5531},
    options={"classes": tuple(CLASS_SETS), "session": (ALL_SESSIONS, *"12345"), "ratings": ("1-5", UNIT_SCALE)},
    count_labels=_count_labels,
    describe_part=_describe_part,
    read=_read,
    task_options={"cluster": "speaker"},
    part_options=lambda part: {"labels": _labels(part)},
)
