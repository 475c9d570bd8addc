"""Speech Commands v2: single spoken words, as 35 or 12 classes."""

from __future__ import annotations

from pathlib import Path

from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Items, about, find_below, make_item, read_lines
from auricle.tasks.benchmarks.label_folders import iter_labelled_files

TEN_COMMANDS = ("yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go")
COMMANDS = (
    *TEN_COMMANDS, "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "bed", "bird", "cat", "dog", "happy", "house", "marvin", "sheila", "tree", "wow",
    "backward", "follow", "forward", "learn", "visual",
)  # fmt: skip
TWELVE_CLASSES = (*TEN_COMMANDS, "_silence_", "_unknown_")
SPLIT_LISTS = {"test": "testing_list.txt", "validation": "validation_list.txt"}


def _read(root: Path, part: BenchmarkPart) -> Items:
    """Read 35 classes from the lists of the main archive, or 12 from the folders of the test archive."""
    if part["classes"] == "12":
        folder = find_below(root, "speech_commands_test_set_v0.02", "")
        find_below(folder, "_unknown_")
        for name, path in iter_labelled_files(folder, TWELVE_CLASSES):
            yield make_item(f"{name}/{path.stem}", path, name.strip("_"), speaker=_speaker_id(path.stem))
        return
    folder = find_below(root, "speech_commands_v0.02", "")
    for line in read_lines(find_below(folder, SPLIT_LISTS[part["split"]])):
        word, _, name = line.partition("/")
        yield make_item(line.removesuffix(".wav"), folder / line, word, speaker=_speaker_id(name))


def _speaker_id(name: str) -> str:
    speaker, separator, _ = name.partition("_nohash_")
    return speaker if separator else ""


def _part_options(part: BenchmarkPart) -> dict[str, object]:
    if part["classes"] == "12":
        return {
            "labels": [name.strip("_") for name in TWELVE_CLASSES],
            "question": "Which command is spoken: one of ten words, another word (unknown), or none (silence)?",
        }
    return {"labels": list(COMMANDS), "question": "Which word is spoken?", "cluster": "speaker"}


SPEECH_COMMANDS = Benchmark(
    **about("speech-commands", "Speech Commands v2", "classify", language="en", licence="CC BY 4.0"),
    source="tensorflow.org/datasets/catalog/speech_commands",
    splits={"test": None, "validation": None},
    options={"classes": ("35", "12")},
    counts={"test/35": 11_005, "validation/35": 9_981, "test/12": 4_890},
    layout="testing_list.txt and yes/HASH_nohash_0.wav (35 classes), "
    "or speech_commands_test_set_v0.02/_unknown_/… (12 classes)",
    read=_read,
    part_options=_part_options,
)
