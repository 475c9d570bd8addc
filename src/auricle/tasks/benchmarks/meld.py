"""MELD: utterances of a television series as short videos, labelled with seven emotions."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from auricle.core.types import Json, RejectedRow
from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Items, about, make_item, not_found_error
from auricle.tasks.benchmarks.recordings import Recordings
from auricle.tasks.folder_scan import AUDIO_SUFFIXES, VIDEO_SUFFIXES, Clip, ScanResult, iter_files

LABELS = ("neutral", "surprise", "fear", "sadness", "joy", "disgust", "anger")
WITHOUT_AUDIO = {"train": "dia125_utt3", "dev": "dia110_utt7"}
"""Utterances, both neutral, whose videos are broken or missing in the published archive."""
PUBLISHED_COUNTS = {
    "test": (1256, 281, 50, 208, 402, 68, 345),
    "dev": (469, 150, 40, 111, 163, 22, 153),
    "train": (4709, 1205, 268, 683, 1743, 271, 1109),
}
"""Number of recordings per label, in the order of the labels, without those in `WITHOUT_AUDIO`."""
NAME_PATTERN = re.compile(r"dia\d+_utt\d+")
SPLIT_PATTERN = re.compile(r"(?:^|[^a-z])(train|dev|test)(?:[^a-z]|$)")


def _scan(root: Path, split: str) -> ScanResult:
    """Scan the utterances of a split, listed in its table: videos, or audio files with the same names."""
    table = next(iter_files(root, (f"{split}_sent_emo.csv",)), None)
    if table is None:
        raise not_found_error(root, f"{split}_sent_emo.csv, the table of labels,")
    media = _find_media(root, split)
    clips: list[Clip] = []
    rejected: list[RejectedRow] = []
    left_out = 0
    for number, row in enumerate(_read_table(table), 2):
        name = f"dia{row.get('Dialogue_ID')}_utt{row.get('Utterance_ID')}"
        label = row.get("Emotion", "").strip().lower()
        if name == WITHOUT_AUDIO.get(split):
            left_out += 1
        elif label not in LABELS or name not in media:
            reason = f"no {name}.mp4 or .wav" if label in LABELS else f"unknown emotion {label!r}"
            rejected.append(RejectedRow(f"{table.name}, row {number}", reason))
        else:
            clips.append(Clip(f"{split}/{name}", media[name], label, _row_meta(row, split)))
    note = f"{WITHOUT_AUDIO.get(split)} has no usable audio in the published archive and is left out."
    return ScanResult(clips, rejected, [note] * left_out, left_out)


def _find_media(root: Path, split: str) -> dict[str, Path]:
    """Return the best file of each name; names repeat across splits, so folders decide the split."""
    best: dict[str, tuple[int, Path]] = {}
    suffixes = (*AUDIO_SUFFIXES, *VIDEO_SUFFIXES)
    for path in iter_files(root, suffixes):
        path_split = _split_from_path(path.relative_to(root))
        if NAME_PATTERN.fullmatch(path.stem) and path_split in (split, ""):
            rank = (not path_split) * len(suffixes) + suffixes.index(path.suffix.lower())
            best[path.stem] = min(best.get(path.stem, (rank, path)), (rank, path))
    return {name: path for name, (_, path) in best.items()}


def _split_from_path(path: Path) -> str:
    """Return the split named by the nearest folder of a path, or an empty string."""
    for folder in reversed(path.parts[:-1]):
        if match := SPLIT_PATTERN.search(folder.lower()):
            return match[1]
    return ""


def _read_table(table: Path) -> list[dict[str, str]]:
    raw = table.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:  # copies saved by a spreadsheet program
        text = raw.decode("cp1252", errors="replace")
    rows = csv.DictReader(text.splitlines(keepends=True))
    return [{str(name): str(value or "") for name, value in row.items()} for row in rows]


def _row_meta(row: Mapping[str, str], split: str) -> dict[str, Json]:
    return {
        "speaker": row.get("Speaker", ""),
        "split": split,
        "dialogue": row["Dialogue_ID"],
        "sentiment": row.get("Sentiment", ""),
        "season": row.get("Season", ""),
        "episode": row.get("Episode", ""),
        "text": row.get("Utterance", ""),
    }


MELD = Benchmark(
    **about("meld", "MELD", "emotion", language="en", licence="GPL-3.0"),
    source="github.com/declare-lab/MELD",
    citation="Poria et al., ACL 2019",
    layout="test_sent_emo.csv and output_repeated_splits_test/dia0_utt0.mp4 (or .wav, .flac)",
    splits={split: sum(counts) for split, counts in PUBLISHED_COUNTS.items()},
    count_labels=lambda part: dict(zip(LABELS, PUBLISHED_COUNTS[part["split"]], strict=True)),
    read=lambda root, part: Recordings(_scan(root, part["split"]), root),
    task_options={"labels": LABELS, "cluster": "speaker"},
)


CHOICES = ("neutral", "joy", "sadness", "anger", "surprise", "fear", "disgust")


def _read_choices(root: Path, part: BenchmarkPart) -> Items:
    """Yield the utterances in the order of the table, with the emotions as options."""
    scan = _scan(root, part["split"])
    yield from scan.rejected
    for clip in scan.clips:
        yield make_item(clip.id, clip.path, clip.label, choices=CHOICES, **dict(clip.meta))  # type: ignore[arg-type]


MELD_CHOICE = replace(
    MELD,
    name="meld-choice",
    kind="mcq",
    count_labels=None,
    read=_read_choices,
    task_options={"question": "Identify the predominant emotion in this speech.", "by": ["sentiment"]},
)
