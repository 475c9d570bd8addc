"""Emotions in dialogue, labelled in tables: IEMOCAP and MELD."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from auricle.benchmarks.base import Benchmark, about, make_item
from auricle.benchmarks.sources import BenchmarkPart, Items, Recordings, not_found_error, read_bytes
from auricle.core.types import RejectedRow
from auricle.data.folder_scan import AUDIO_SUFFIXES, VIDEO_SUFFIXES, Clip, ScanResult, drop_duplicates, iter_files

# --- IEMOCAP: five sessions of improvised and scripted dialogue, labelled by listeners ---------

FOUR_CLASSES = {"neu": "neutral", "hap": "happy", "exc": "happy", "ang": "angry", "sad": "sad"}
"""The usual protocol: excited counts as happy, other classes are left out."""
ALL_CLASSES = {**FOUR_CLASSES, "exc": "excited", "fru": "frustrated", "sur": "surprised", "fea": "fearful"}
ALL_CLASSES |= {"dis": "disgusted", "oth": "other"}
CLASS_SETS = {"4": FOUR_CLASSES, "all": ALL_CLASSES}
IEMOCAP_PUBLISHED_COUNTS = {
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


def _describe_iemocap_part(part: BenchmarkPart) -> list[str]:
    session = [] if part["session"] == ALL_SESSIONS else ["session", part["session"]]
    return [*([] if part["classes"] == "4" else [part["classes"]]), *session]


def _count_iemocap_labels(part: BenchmarkPart) -> dict[str, int]:
    """Return the published count of each label; for one session, only the total of the four classes is published."""
    if part["session"] != ALL_SESSIONS:
        return {"": FOUR_BY_SESSION[int(part["session"]) - 1]} if part["classes"] == "4" else {}
    counts: Counter[str] = Counter()
    for code, label in CLASS_SETS[part["classes"]].items():
        counts[label] += IEMOCAP_PUBLISHED_COUNTS[code]
    return dict(counts)


def _read_iemocap(root: Path, part: BenchmarkPart) -> Recordings:
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
        for number, line in enumerate(read_bytes(path).decode("latin-1").splitlines(), 1):
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
    count_labels=_count_iemocap_labels,
    describe_part=_describe_iemocap_part,
    read=_read_iemocap,
    task_options={"cluster": "speaker"},
    part_options=lambda part: {"labels": tuple(dict.fromkeys(CLASS_SETS[part["classes"]].values()))},
)


# --- MELD: utterances of a television series as short videos, labelled with seven emotions -----

MELD_LABELS = ("neutral", "surprise", "fear", "sadness", "joy", "disgust", "anger")
WITHOUT_AUDIO = {"train": "dia125_utt3", "dev": "dia110_utt7"}
"""Utterances, both neutral, whose videos are broken or missing in the published archive."""
MELD_PUBLISHED_COUNTS = {
    "test": (1256, 281, 50, 208, 402, 68, 345),
    "dev": (469, 150, 40, 111, 163, 22, 153),
    "train": (4709, 1205, 268, 683, 1743, 271, 1109),
}
"""Number of recordings per label, in the order of the labels, without those in `WITHOUT_AUDIO`."""
MELD_COLUMNS = {
    "speaker": "Speaker",
    "split": "",
    "dialogue": "Dialogue_ID",
    "sentiment": "Sentiment",
    "season": "Season",
    "episode": "Episode",
    "text": "Utterance",
}
"""Columns of the table by metadata field; the split is that of the table."""
MELD_CHOICES = ("neutral", "joy", "sadness", "anger", "surprise", "fear", "disgust")
MELD_NAME_PATTERN = re.compile(r"dia\d+_utt\d+")
MELD_SPLIT_PATTERN = re.compile(r"(?:^|[^a-z])(train|dev|test)(?:[^a-z]|$)")


def _scan_meld(root: Path, split: str) -> ScanResult:
    """Scan the utterances of a split, listed in its table: videos, or audio files with the same names."""
    table = next(iter_files(root, (f"{split}_sent_emo.csv",)), None)
    if table is None:
        raise not_found_error(root, f"{split}_sent_emo.csv, the table of labels,")
    media = _find_meld_media(root, split)
    clips: list[Clip] = []
    rejected: list[RejectedRow] = []
    left_out = 0
    for number, row in enumerate(_read_meld_table(table), 2):
        name = f"dia{row.get('Dialogue_ID')}_utt{row.get('Utterance_ID')}"
        label = row.get("Emotion", "").strip().lower()
        if name == WITHOUT_AUDIO.get(split):
            left_out += 1
        elif label not in MELD_LABELS or name not in media:
            reason = f"no {name}.mp4 or .wav" if label in MELD_LABELS else f"unknown emotion {label!r}"
            rejected.append(RejectedRow(f"{table.name}, row {number}", reason))
        else:
            meta = {field: split if field == "split" else row.get(column, "") for field, column in MELD_COLUMNS.items()}
            clips.append(Clip(f"{split}/{name}", media[name], label, meta))
    note = f"{WITHOUT_AUDIO.get(split)} has no usable audio in the published archive and is left out."
    return ScanResult(clips, rejected, [note] * left_out, left_out)


def _find_meld_media(root: Path, split: str) -> dict[str, Path]:
    """Return the best file of each name; names repeat across splits, so folders decide the split."""
    best: dict[str, tuple[int, Path]] = {}
    suffixes = (*AUDIO_SUFFIXES, *VIDEO_SUFFIXES)
    for path in iter_files(root, suffixes):
        folders = path.relative_to(root).parts[:-1]
        splits = [match[1] for folder in folders if (match := MELD_SPLIT_PATTERN.search(folder.lower()))]
        path_split = splits[-1] if splits else ""
        if MELD_NAME_PATTERN.fullmatch(path.stem) and path_split in (split, ""):
            rank = (not path_split) * len(suffixes) + suffixes.index(path.suffix.lower())
            best[path.stem] = min(best.get(path.stem, (rank, path)), (rank, path))
    return {name: path for name, (_, path) in best.items()}


def _read_meld_table(table: Path) -> list[dict[str, str]]:
    raw = read_bytes(table)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:  # copies saved by a spreadsheet program
        text = raw.decode("cp1252", errors="replace")
    rows = csv.DictReader(text.splitlines(keepends=True))
    return [{str(name): str(value or "") for name, value in row.items()} for row in rows]


MELD = Benchmark(
    **about("meld", "MELD", "emotion", language="en", licence="GPL-3.0"),
    source="github.com/declare-lab/MELD",
    citation="Poria et al., ACL 2019",
    layout="test_sent_emo.csv and output_repeated_splits_test/dia0_utt0.mp4 (or .wav, .flac)",
    splits={split: sum(counts) for split, counts in MELD_PUBLISHED_COUNTS.items()},
    count_labels=lambda part: dict(zip(MELD_LABELS, MELD_PUBLISHED_COUNTS[part["split"]], strict=True)),
    read=lambda root, part: Recordings(_scan_meld(root, part["split"]), root),
    task_options={"labels": MELD_LABELS, "cluster": "speaker"},
)


def _read_meld_choices(root: Path, part: BenchmarkPart) -> Items:
    """Yield the utterances in the order of the table, with the emotions as options."""
    scan = _scan_meld(root, part["split"])
    yield from scan.rejected
    for clip in scan.clips:
        yield make_item(clip.id, clip.path, clip.label, choices=MELD_CHOICES, **dict(clip.meta))  # type: ignore[arg-type]


MELD_CHOICE = replace(
    MELD,
    name="meld-choice",
    kind="mcq",
    count_labels=None,
    read=_read_meld_choices,
    task_options={"question": "Identify the predominant emotion in this speech.", "by": ["sentiment"]},
)
