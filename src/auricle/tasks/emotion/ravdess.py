"""RAVDESS: 24 actors speak, and 23 of them sing, two sentences in up to eight emotions."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.tasks.base import Task
from auricle.tasks.emotion.base import Corpus, Recordings, check_choice, emotion_task, resolve_folder
from auricle.tasks.folder_scan import AUDIO_SUFFIXES, VIDEO_SUFFIXES, Clip, ScanResult, scan_by_name

CORPUS = Corpus(
    name="ravdess",
    title="RAVDESS",
    labels=("neutral", "calm", "happy", "sad", "angry", "fearful", "disgust", "surprised"),
    language="en",
    licence="CC BY-NC-SA 4.0",
    source="Zenodo record 1188976",
    example="Actor_12/03-01-06-01-02-01-12.wav",
    options=("part", "modality", "fold"),
)
SONG_LABELS = CORPUS.labels[:6]
PARTS = {"speech": ("speech",), "song": ("song",), "both": ("speech", "song")}
MODALITIES = {"av": "01", "video": "02", "audio": "03"}
INTENSITIES = ("normal", "strong")
STATEMENTS = ("Kids are talking by the door", "Dogs are sitting by the door")
ACTORS = tuple(f"{actor:02}" for actor in range(1, 25))
NON_SINGER = "18"
FOLDS = (
    ("01", "11", "20", "21"),
    ("04", "10", "12", "14"),
    ("08", "09", "19", "23"),
    ("03", "05", "07", "24"),
    ("02", "15", "16", "18"),
    ("06", "13", "17", "22"),
)
"""The test actors of each EmoBox fold."""
NAME_PATTERN = re.compile(
    r"(?P<modality>0[1-3])-(?P<channel>0[12])-(?P<emotion>0[1-8])-(?P<intensity>0[12])"
    r"-(?P<statement>0[12])-(?P<repetition>0[12])-(?P<actor>0[1-9]|1\d|2[0-4])"
)
ACTOR_FOLDER = re.compile(r"actor_?(\d\d)", re.IGNORECASE)


def ravdess(root: str = "", part: str = "speech", modality: str = "audio", fold: int = 0, **arguments: Any) -> Task:
    """Build the RAVDESS task, with all actors or those of one EmoBox fold."""
    channels = PARTS[check_choice(CORPUS, "part", part, tuple(PARTS))]
    modality = check_choice(CORPUS, "modality", modality, tuple(MODALITIES))
    actors = _fold_actors(fold)
    words = [*channels, "" if modality == "audio" else modality, f"fold {fold}" if fold else ""]
    recordings = Recordings(
        corpus=CORPUS,
        root=resolve_folder(CORPUS, root),
        scan_folder=partial(_scan, channels=channels, modality=modality, actors=actors),
        expected=_expected_counts(channels, actors),
        part=" ".join(filter(None, words)),
        labels=CORPUS.labels if "speech" in channels else SONG_LABELS,
    )
    return emotion_task(recordings, arguments)


def _fold_actors(fold: object) -> tuple[str, ...]:
    if not fold:
        return ACTORS
    if fold not in range(1, len(FOLDS) + 1):
        raise SpecError(f"ravdess: invalid fold {fold!r}: expected an integer from 1 to {len(FOLDS)}.")
    assert isinstance(fold, int)
    return FOLDS[fold - 1]


def _expected_counts(channels: tuple[str, ...], actors: tuple[str, ...]) -> dict[str, int]:
    """Return the published counts: two statements, two repetitions, two intensities (neutral: one)."""
    counts: dict[str, int] = {}
    for channel in channels:
        voices = len(actors) - (channel == "song" and NON_SINGER in actors)
        for label in CORPUS.labels if channel == "speech" else SONG_LABELS:
            counts[label] = counts.get(label, 0) + voices * (4 if label == "neutral" else 8)
    return counts


def _scan(root: Path, channels: tuple[str, ...], modality: str, actors: tuple[str, ...]) -> ScanResult:
    def accept(clip: Clip) -> bool:
        meta = clip.meta
        return meta["modality"] == modality and meta["part"] in channels and meta["speaker"] in actors

    return scan_by_name(root, parse, accept, (*AUDIO_SUFFIXES, *VIDEO_SUFFIXES))


def parse(path: Path) -> Clip | None:
    """Parse the seven numbers of a file name; return None if it is not a RAVDESS name."""
    if not (match := NAME_PATTERN.fullmatch(path.stem)):
        return None
    index = {name: int(digits) - 1 for name, digits in match.groupdict().items()}
    folder = ACTOR_FOLDER.fullmatch(path.parent.name)
    is_misplaced = folder is not None and folder[1] != match["actor"]
    modality = next(name for name, code in MODALITIES.items() if code == match["modality"])
    return Clip(
        path.stem,
        path,
        CORPUS.labels[index["emotion"]],
        {
            "speaker": match["actor"],
            "sex": "male" if index["actor"] % 2 == 0 else "female",
            "part": ("speech", "song")[index["channel"]],
            "modality": modality,
            "intensity": INTENSITIES[index["intensity"]],
            "statement": STATEMENTS[index["statement"]],
            "repetition": index["repetition"] + 1,
        },
        "are in the folder of another actor than their name indicates; the name is used" * is_misplaced,
        "video" if modality == "video" else "audio",
    )
