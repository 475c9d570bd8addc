"""RAVDESS: 24 actors speak, and 23 of them sing, two sentences in up to eight emotions."""

from __future__ import annotations

import re
from pathlib import Path

from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, about
from auricle.tasks.benchmarks.recordings import read_by_name
from auricle.tasks.folder_scan import AUDIO_SUFFIXES, VIDEO_SUFFIXES, Clip

LABELS = ("neutral", "calm", "happy", "sad", "angry", "fearful", "disgust", "surprised")
SONG_LABELS = LABELS[:6]
CHANNELS = {"speech": ("speech",), "song": ("song",), "both": ("speech", "song")}
MODALITIES = {"audio": "03", "av": "01", "video": "02"}
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
ALL_FOLDS = "0"
NAME_PATTERN = re.compile(
    r"(?P<modality>0[1-3])-(?P<channel>0[12])-(?P<emotion>0[1-8])-(?P<intensity>0[12])"
    r"-(?P<statement>0[12])-(?P<repetition>0[12])-(?P<actor>0[1-9]|1\d|2[0-4])"
)
ACTOR_FOLDER = re.compile(r"actor_?(\d\d)", re.IGNORECASE)


def _actors(part: BenchmarkPart) -> tuple[str, ...]:
    return FOLDS[int(part["fold"]) - 1] if part["fold"] != ALL_FOLDS else ACTORS


def _count_labels(part: BenchmarkPart) -> dict[str, int]:
    """Return the published counts: two statements, two repetitions, two intensities (neutral: one)."""
    actors = _actors(part)
    counts: dict[str, int] = {}
    for channel in CHANNELS[part["part"]]:
        voices = len(actors) - (channel == "song" and NON_SINGER in actors)
        for label in LABELS if channel == "speech" else SONG_LABELS:
            counts[label] = counts.get(label, 0) + voices * (4 if label == "neutral" else 8)
    return counts


def _accept(part: BenchmarkPart, clip: Clip) -> bool:
    is_selected = clip.meta["modality"] == part["modality"] and clip.meta["part"] in CHANNELS[part["part"]]
    return is_selected and clip.meta["speaker"] in _actors(part)


def _describe_part(part: BenchmarkPart) -> list[str]:
    modality = [] if part["modality"] == "audio" else [part["modality"]]
    return [*CHANNELS[part["part"]], *modality, *(["fold", part["fold"]] if part["fold"] != ALL_FOLDS else [])]


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
        LABELS[index["emotion"]],
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


RAVDESS = Benchmark(
    **about("ravdess", "RAVDESS", "emotion", language="en", licence="CC BY-NC-SA 4.0"),
    source="Zenodo record 1188976",
    citation="Livingstone and Russo, PLoS ONE 2018",
    layout="Actor_12/03-01-06-01-02-01-12.wav",
    splits={"all": 1440},
    options={
        "part": tuple(CHANNELS),
        "modality": tuple(MODALITIES),
        "fold": (ALL_FOLDS, *(str(number) for number in range(1, len(FOLDS) + 1))),
    },
    count_labels=_count_labels,
    describe_part=_describe_part,
    read=read_by_name(parse, _accept, (*AUDIO_SUFFIXES, *VIDEO_SUFFIXES)),
    task_options={"labels": LABELS, "cluster": "speaker"},
    part_options=lambda part: {"labels": SONG_LABELS} if part["part"] == "song" else {},
)
