"""ESD: ten English and ten Mandarin speakers say 350 sentences in five emotions."""

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
"""How many sentences of each 350 are whose, in this order."""
FEMALE_SPEAKERS = {1, 2, 3, 7, 9, 15, 16, 17, 18, 19}
SENTENCES = 350
NAME_PATTERN = re.compile(r"(00(?:0[1-9]|1\d|20))_(\d{6})")


def esd(root: str = "", language: str = "en", split: str = "test", speakers: object = (), **arguments: Any) -> Task:
    """Emotional speech; by default the 1,500 English recordings of the official test split."""
    language = check_choice(CORPUS, "language", language, tuple(LANGUAGES))
    split = check_choice(CORPUS, "split", split, (*SPLITS, "all"))
    chosen = _parse_speakers(speakers) or tuple(f"{each:04}" for each in LANGUAGES[language])
    spoken = {"zh" if int(each) <= 10 else "en" for each in chosen}
    each = len(chosen) * SPLITS.get(split, SENTENCES)
    recordings = Recordings(
        corpus=CORPUS,
        root=resolve_folder(CORPUS, root),
        scan_folder=partial(_scan, speakers=chosen, split=split),
        expected=dict.fromkeys(CORPUS.labels, each),
        part=" ".join([*sorted(spoken), split]),
    )
    return emotion_task(recordings, arguments, spoken.pop() if len(spoken) == 1 else "en, zh")


def _parse_speakers(value: object) -> tuple[str, ...]:
    """`0011,0012`, `11` or a list; however written, four digits a speaker."""
    words = value.split(",") if isinstance(value, str) else value
    listed = list(words) if isinstance(words, Sequence) else [words]
    found = tuple(str(each).strip().zfill(4) for each in listed if str(each).strip())
    known = [f"{each:04}" for each in LANGUAGES["all"]]
    if unknown := [each for each in found if each not in known]:
        raise SpecError(f"esd: speakers are 0001 to 0020, not {', '.join(unknown)}.")
    return tuple(dict.fromkeys(found))


def _scan(root: Path, speakers: tuple[str, ...], split: str) -> ScanResult:
    def wanted(clip: Clip) -> bool:
        return clip.meta["speaker"] in speakers and split in ("all", clip.meta["split"])

    return scan_by_name(root, parse, wanted)


def parse(path: Path) -> Clip | None:
    """Emotion and split, from the folders where they say, else from the sentence's number."""
    if not (found := NAME_PATTERN.fullmatch(path.stem)) or not 1 <= int(found[2]) <= 5 * SENTENCES:
        return None
    speaker, number = found[1], int(found[2]) - 1
    folders = [folder.lower() for folder in path.parts[-4:-1]]
    by_place = CORPUS.labels[number // SENTENCES], _split_of_sentence(number % SENTENCES)
    label = next((each for each in reversed(folders) if each in CORPUS.labels), by_place[0])
    split = next((each for each in reversed(folders) if each in SPLITS), by_place[1])
    doubt = "lie in another emotion's or split's folder than their numbers say; the folder is believed"
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
        doubt * ((label, split) != by_place),
    )


def _split_of_sentence(offset: int) -> str:
    """Which split the sentence at this place of its 350 belongs to."""
    for name, size in SPLITS.items():
        if offset < size:
            return name
        offset -= size
    raise AssertionError(offset)
