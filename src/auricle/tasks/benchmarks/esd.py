"""ESD: ten English and ten Mandarin speakers speak 350 sentences in five emotions."""

from __future__ import annotations

import re
from pathlib import Path

from auricle.core.errors import SpecError
from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, about
from auricle.tasks.benchmarks.recordings import read_by_name
from auricle.tasks.folder_scan import Clip

LABELS = ("neutral", "angry", "happy", "sad", "surprise")
SPEAKERS = {"en": range(11, 21), "zh": range(1, 11), "all": range(1, 21)}
SPLITS = {"evaluation": 20, "test": 30, "train": 300}
"""Number of sentences of each split, in the order of the 350 sentences."""
FEMALE_SPEAKERS = {1, 2, 3, 7, 9, 15, 16, 17, 18, 19}
SENTENCES = 350
NAME_PATTERN = re.compile(r"(00(?:0[1-9]|1\d|20))_(\d{6})")


def _speakers(part: BenchmarkPart) -> list[str]:
    """Parse `0011,0012` or `11` into four-digit ids; without ids, return all speakers of the language."""
    chosen = [text.strip().zfill(4) for text in part["speakers"].split(",") if text.strip()]
    valid = [f"{number:04}" for number in SPEAKERS["all"]]
    if unknown := [speaker for speaker in chosen if speaker not in valid]:
        raise SpecError(f"esd: unknown speakers {', '.join(unknown)}: expected 0001 to 0020.")
    return list(dict.fromkeys(chosen)) or [f"{number:04}" for number in SPEAKERS[part["language"]]]


def _languages(part: BenchmarkPart) -> list[str]:
    return sorted({_language_of(speaker) for speaker in _speakers(part)})


def _language_of(speaker: str) -> str:
    return "zh" if int(speaker) <= 10 else "en"


def _accept(part: BenchmarkPart, clip: Clip) -> bool:
    return clip.meta["speaker"] in _speakers(part) and part["split"] in ("all", clip.meta["split"])


def parse(path: Path) -> Clip | None:
    """Parse emotion and split from the folder names, or else from the sentence number."""
    if not (match := NAME_PATTERN.fullmatch(path.stem)) or not 1 <= int(match[2]) <= 5 * SENTENCES:
        return None
    speaker, number = match[1], int(match[2]) - 1
    folders = [folder.lower() for folder in path.parts[-4:-1]]
    by_number = LABELS[number // SENTENCES], _split_of_sentence(number % SENTENCES)
    label = next((folder for folder in reversed(folders) if folder in LABELS), by_number[0])
    split = next((folder for folder in reversed(folders) if folder in SPLITS), by_number[1])
    warning = "are in the folder of another emotion or split than their number indicates; the folder is used"
    return Clip(
        path.stem,
        path,
        label,
        {
            "speaker": speaker,
            "sex": "female" if int(speaker) in FEMALE_SPEAKERS else "male",
            "language": _language_of(speaker),
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


ESD = Benchmark(
    **about("esd", "ESD", "emotion", language="en", licence="research only, by signed form"),
    languages={"en": "en", "zh": "zh", "all": ""},
    source="the National University of Singapore",
    citation="Zhou et al., Speech Communication 2022",
    layout="0011/Angry/test/0011_000371.wav or 0011/Angry/0011_000371.wav",
    splits={"test": 1500, "evaluation": 1000, "train": 15_000, "all": 17_500},
    options={"speakers": ()},
    count_labels=lambda part: dict.fromkeys(LABELS, len(_speakers(part)) * SPLITS.get(part["split"], SENTENCES)),
    describe_part=lambda part: [*_languages(part), part["split"]],
    read=read_by_name(parse, _accept),
    task_options={"labels": LABELS, "cluster": "speaker"},
    part_options=lambda part: {"language": ", ".join(_languages(part))},
)
