"""ESD: ten English and ten Mandarin speakers speak 350 sentences in five emotions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.tasks.base import Task
from auricle.tasks.emotion.base import Corpus, Recordings, check_choice, emotion_task, resolve_folder
from auricle.tasks.folder_scan import Clip, ScanResult, scan_by_name

CORPUS = Corpus(
    name="esd",
    title="ESD",
    labels=("neutral", "angry", "happy", "sad", "surprise"),
    language="en",
    licence="research only, by signed form",
    source="the National University of Singapore",
    example="0011/Angry/test/0011_000371.wav or 0011/Angry/0011_000371.wav",
    options=("language", "split", "speakers"),
)
LANGUAGES = {"en": range(11, 21), "zh": range(1, 11), "all": range(1, 21)}
SPLITS = {"evaluation": 20, "test": 30, "train": 300}
"""Number of sentences of each split, in the order of the 350 sentences."""
FEMALE_SPEAKERS = {1, 2, 3, 7, 9, 15, 16, 17, 18, 19}
SENTENCES = 350
NAME_PATTERN = re.compile(r"(00(?:0[1-9]|1\d|20))_(\d{6})")


def esd(root: str = "", language: str = "en", split: str = "test", speakers: object = (), **arguments: Any) -> Task:
    """Build the ESD task; by default with the 1,500 English recordings of the official test split."""
    language = check_choice(CORPUS, "language", language, tuple(LANGUAGES))
    split = check_choice(CORPUS, "split", split, (*SPLITS, "all"))
    chosen = _parse_speakers(speakers) or tuple(f"{number:04}" for number in LANGUAGES[language])
    languages = {"zh" if int(speaker) <= 10 else "en" for speaker in chosen}
    count = len(chosen) * SPLITS.get(split, SENTENCES)
    recordings = Recordings(
        corpus=CORPUS,
        root=resolve_folder(CORPUS, root),
        scan_folder=partial(_scan, speakers=chosen, split=split),
        expected=dict.fromkeys(CORPUS.labels, count),
        part=" ".join([*sorted(languages), split]),
    )
    return emotion_task(recordings, arguments, languages.pop() if len(languages) == 1 else "en, zh")


def _parse_speakers(value: object) -> tuple[str, ...]:
    """Parse `0011,0012`, `11` or a list into four-digit speaker ids."""
    items = value.split(",") if isinstance(value, str) else value
    listed = list(items) if isinstance(items, Sequence) else [items]
    speakers = [str(item).strip().zfill(4) for item in listed if str(item).strip()]
    valid = [f"{number:04}" for number in LANGUAGES["all"]]
    if unknown := [speaker for speaker in speakers if speaker not in valid]:
        raise SpecError(f"esd: unknown speakers {', '.join(unknown)}: expected 0001 to 0020.")
    return tuple(dict.fromkeys(speakers))


def _scan(root: Path, speakers: tuple[str, ...], split: str) -> ScanResult:
    def accept(clip: Clip) -> bool:
        return clip.meta["speaker"] in speakers and split in ("all", clip.meta["split"])

    return scan_by_name(root, parse, accept)


def parse(path: Path) -> Clip | None:
    """Parse emotion and split from the folder names, or else from the sentence number."""
    if not (match := NAME_PATTERN.fullmatch(path.stem)) or not 1 <= int(match[2]) <= 5 * SENTENCES:
        return None
    speaker, number = match[1], int(match[2]) - 1
    folders = [folder.lower() for folder in path.parts[-4:-1]]
    by_number = CORPUS.labels[number // SENTENCES], _split_of_sentence(number % SENTENCES)
    label = next((folder for folder in reversed(folders) if folder in CORPUS.labels), by_number[0])
    split = next((folder for folder in reversed(folders) if folder in SPLITS), by_number[1])
    warning = "are in the folder of another emotion or split than their number indicates; the folder is used"
    return Clip(
        path.stem,
        path,
        label,
        {
            "speaker": speaker,
            "sex": "female" if int(speaker) in FEMALE_SPEAKERS else "male",
            "language": "zh" if int(speaker) <= 10 else "en",
            "split": split,
            "sentence": number % SENTENCES + 1,
        },
        warning * ((label, split) != by_number),
    )


def _split_of_sentence(offset: int) -> str:
    """Return the split of the sentence at this position among the 350."""
    for name, size in SPLITS.items():
        if offset < size:
            return name
        offset -= size
    raise AssertionError(offset)
