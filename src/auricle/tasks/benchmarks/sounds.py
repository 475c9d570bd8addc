"""Sounds, scenes, words and music to be named: one label a recording."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from auricle.tasks.benchmarks.base import (
    Benchmark,
    BenchmarkPart,
    HubDataset,
    Item,
    Items,
    find_below,
    make_item,
    not_found_error,
    read_lines,
)
from auricle.tasks.benchmarks.tables import Values, convert_table
from auricle.tasks.folder_scan import AUDIO_SUFFIXES, iter_files

RECORDING_SUFFIXES = (*AUDIO_SUFFIXES, ".au")
SCENE_QUESTION = "Which acoustic scene was this recorded in?"
VOICE_QUESTION = "Which human vocal sound is this?"


def format_label(name: str) -> str:
    """A label as people write it: `CrowdedIndoor`, `forest_path` and `cafe/restaurant` as words."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.replace("/", " or "))
    return apart.replace("_", " ").strip().lower()


def iter_labelled_files(root: Path, names: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Recordings with the folder that each lies in, folder by folder."""
    for name in names:
        for path in iter_files(root / name, RECORDING_SUFFIXES):
            yield name, path


# --- ESC-50 -----------------------------------------------------------------------------

ESC50_LABELS = (
    "dog", "rooster", "pig", "cow", "frog", "cat", "hen", "insects", "sheep", "crow",
    "rain", "sea_waves", "crackling_fire", "crickets", "chirping_birds", "water_drops", "wind",
    "pouring_water", "toilet_flush", "thunderstorm",
    "crying_baby", "sneezing", "clapping", "breathing", "coughing", "footsteps", "laughing",
    "brushing_teeth", "snoring", "drinking_sipping",
    "door_wood_knock", "mouse_click", "keyboard_typing", "door_wood_creaks", "can_opening",
    "washing_machine", "vacuum_cleaner", "clock_alarm", "clock_tick", "glass_breaking",
    "helicopter", "chainsaw", "siren", "car_horn", "engine", "train", "church_bells",
    "airplane", "fireworks", "hand_saw",
)  # fmt: skip
"""In the order of its numbers; every ten are one of five groups."""
ESC50_GROUPS = ("animals", "nature", "human", "interior", "exterior")


def _read_esc50(root: Path, part: BenchmarkPart) -> Items:
    folder = find_below(root, "ESC-50-master", "ESC-50", "")
    find_below(folder, "meta/esc50.csv")

    def make(row: Values) -> Item | None:
        if part["split"] not in ("all", f"fold{row['fold']}"):
            return None
        return _convert_esc50_row({**row, "audio": folder / "audio" / row["filename"]})

    return convert_table(folder / "meta" / "esc50.csv", make)


def _convert_esc50_row(row: Values) -> Item:
    label = row["category"]
    group = ESC50_GROUPS[ESC50_LABELS.index(label) // 10] if label in ESC50_LABELS else ""
    name = Path(row["filename"]).stem
    return make_item(name, row["audio"], format_label(label), fold=str(row["fold"]), group=group)


def _esc50_row_filter(part: BenchmarkPart) -> dict[str, int]:
    return {} if part["split"] == "all" else {"fold": int(part["split"][-1])}


ESC50 = Benchmark(
    name="esc50",
    title="ESC-50",
    kind="classify",
    licence="CC BY-NC 3.0",
    source="github.com/karolpiczak/ESC-50",
    splits={"all": 2000, **{f"fold{number}": 400 for number in range(1, 6)}},
    layout="meta/esc50.csv and audio/1-100032-A-0.wav",
    read=_read_esc50,
    hub=HubDataset(
        "ashraq/esc50",
        "4005892498c64d7a9f4c09886414b065cb6bb61a",
        locate=lambda _part: (None, "train"),
        convert_row=_convert_esc50_row,
        row_filter=_esc50_row_filter,
    ),
    task_options={
        "labels": [format_label(label) for label in ESC50_LABELS],
        "question": "Which environmental sound is this?",
        "by": ["group", "fold"],
    },
)


# --- Speech Commands --------------------------------------------------------------------

TEN_COMMANDS = ("yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go")
COMMANDS = (
    *TEN_COMMANDS, "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "bed", "bird", "cat", "dog", "happy", "house", "marvin", "sheila", "tree", "wow",
    "backward", "follow", "forward", "learn", "visual",
)  # fmt: skip
TWELVE_CLASSES = (*TEN_COMMANDS, "_silence_", "_unknown_")
SPLIT_LISTS = {"test": "testing_list.txt", "validation": "validation_list.txt"}


def _read_speech_commands(root: Path, part: BenchmarkPart) -> Items:
    """35 words by the lists of the main archive; 12 classes by the folders of the test archive."""
    if part["classes"] == "12":
        folder = find_below(root, "speech_commands_test_set_v0.02", "")
        find_below(folder, "_unknown_")
        for name, path in iter_labelled_files(folder, TWELVE_CLASSES):
            yield make_item(f"{name}/{path.stem}", path, name.strip("_"), speaker=_speaker_id(path.stem))
        return
    folder = find_below(root, "speech_commands_v0.02", "")
    find_below(folder, SPLIT_LISTS[part["split"]])
    for line in read_lines(folder / SPLIT_LISTS[part["split"]]):
        word, _, name = line.partition("/")
        yield make_item(line.removesuffix(".wav"), folder / line, word, speaker=_speaker_id(name))


def _speaker_id(name: str) -> str:
    speaker, found, _ = name.partition("_nohash_")
    return speaker if found else ""


def _commands_options(part: BenchmarkPart) -> dict[str, object]:
    if part["classes"] == "12":
        return {
            "labels": [name.strip("_") for name in TWELVE_CLASSES],
            "question": "Which command is spoken: one of ten words, another word (unknown), or none (silence)?",
        }
    return {"labels": list(COMMANDS), "question": "Which word is spoken?", "cluster": "speaker"}


SPEECH_COMMANDS = Benchmark(
    name="speech-commands",
    title="Speech Commands v2",
    kind="classify",
    language="en",
    licence="CC BY 4.0",
    source="tensorflow.org/datasets/catalog/speech_commands",
    splits={"test": None, "validation": None},
    options={"classes": ("35", "12")},
    counts={"test/35": 11_005, "validation/35": 9_981, "test/12": 4_890},
    layout="testing_list.txt and yes/HASH_nohash_0.wav (35 classes), "
    "or speech_commands_test_set_v0.02/_unknown_/… (12 classes)",
    read=_read_speech_commands,
    part_options=_commands_options,
)


# --- VocalSound and Nonspeech7k ---------------------------------------------------------

VOCAL_SOUNDS = {
    "/m/01j3sz": "laughter",
    "/m/07plz5l": "sigh",
    "/m/01b_21": "cough",
    "/m/0dl9sf8": "throat clearing",
    "/m/01hsr_": "sneeze",
    "/m/07ppn3j": "sniff",
}
DATAFILES = {"test": "te.json", "validation": "val.json", "train": "tr.json"}


def _read_vocalsound(root: Path, part: BenchmarkPart) -> Items:
    folder = find_below(root, "data/datafiles", "datafiles").parent
    sounds = find_below(folder, "audio_16k", "audio_44k")
    find_below(folder, f"datafiles/{DATAFILES[part['split']]}")

    def make(row: Values) -> Item:
        name = str(row["wav"]).rpartition("/")[2]
        label = VOCAL_SOUNDS.get(row["labels"], row["labels"])
        speaker = name.partition("_")[0]
        sex = {"f": "female", "m": "male"}.get(speaker[:1], "")
        return make_item(Path(name).stem, sounds / name, label, speaker=speaker, sex=sex)

    return convert_table(folder / "datafiles" / DATAFILES[part["split"]], make)


VOCALSOUND = Benchmark(
    name="vocalsound",
    title="VocalSound",
    kind="classify",
    licence="CC BY-SA 4.0",
    source="github.com/YuanGongND/vocalsound",
    splits={"test": 3594, "validation": 1860, "train": 15_570},
    layout="datafiles/te.json and audio_16k/f0003_0_cough.wav",
    read=_read_vocalsound,
    task_options={
        "labels": list(VOCAL_SOUNDS.values()),
        "question": VOICE_QUESTION,
        "cluster": "speaker",
        "by": ["sex"],
    },
)


def _read_nonspeech7k(root: Path, part: BenchmarkPart) -> Items:
    split = part["split"]
    names = (f"metadata of {split} set.csv", f"metadata_{split}.csv")
    listed = find_below(root, *names, *(f"{split}/{name}" for name in names))
    sounds = find_below(root, split)

    def make(row: Values) -> Item:
        name = row["Filename"]
        return make_item(Path(name).stem, sounds / name, str(row["Classname"]).strip().lower())

    return convert_table(listed, make)


NONSPEECH7K = Benchmark(
    name="nonspeech7k",
    title="Nonspeech7k",
    kind="classify",
    licence="",
    source="doi.org/10.5281/zenodo.6967442",
    splits={"test": None, "train": None},
    layout="metadata of test set.csv beside test/NAME.wav",
    read=_read_nonspeech7k,
    task_options={"question": VOICE_QUESTION},
)


# --- scenes -----------------------------------------------------------------------------

TUT_SCENES = (
    "beach", "bus", "cafe/restaurant", "car", "city_center", "forest_path", "grocery_store",
    "home", "library", "metro_station", "office", "park", "residential_area", "train", "tram",
)  # fmt: skip


def _read_tut2017(root: Path, _part: BenchmarkPart) -> Items:
    """`meta.txt`, else the evaluation setup: a file and its scene, a tab between them."""
    folder = find_below(root, "TUT-acoustic-scenes-2017-evaluation", "")
    listed = find_below(folder, "meta.txt", "evaluation_setup/evaluate.txt")
    for line in read_lines(listed):
        name, label, *_ = line.split("\t") if "\t" in line else line.split()
        yield make_item(Path(name).stem, folder / name, format_label(label))


TUT2017 = Benchmark(
    name="tut2017",
    title="TUT Acoustic Scenes 2017",
    kind="classify",
    licence="academic, non-commercial",
    source="doi.org/10.5281/zenodo.1040168",
    splits={"evaluation": 1620},
    layout="TUT-acoustic-scenes-2017-evaluation/meta.txt and audio/",
    read=_read_tut2017,
    task_options={"labels": [format_label(scene) for scene in TUT_SCENES], "question": SCENE_QUESTION},
)
COCHL_SCENES = (
    "Bus", "Cafe", "Car", "CrowdedIndoor", "Elevator", "Kitchen", "Park", "ResidentialArea",
    "Restaurant", "Restroom", "Street", "Subway", "SubwayStation",
)  # fmt: skip


def _read_cochlscene(root: Path, part: BenchmarkPart) -> Items:
    """`Test/Bus/….wav`: the folder is the scene."""
    split = part["split"].capitalize()
    folder = find_below(root, f"CochlScene/{split}", split)
    known = {scene.lower(): scene for scene in COCHL_SCENES}
    there = sorted(each.name for each in folder.iterdir() if each.name.lower() in known)
    if not there:
        raise not_found_error(folder, "folders of scenes")
    for name, path in iter_labelled_files(folder, there):
        yield make_item(f"{name}/{path.stem}", path, format_label(known[name.lower()]))


COCHLSCENE = Benchmark(
    name="cochlscene",
    title="CochlScene",
    kind="classify",
    licence="",
    source="doi.org/10.5281/zenodo.7080122",
    splits={"test": None, "val": None, "train": None},
    layout="CochlScene/Test/Bus/NAME.wav",
    read=_read_cochlscene,
    task_options={"labels": [format_label(scene) for scene in COCHL_SCENES], "question": SCENE_QUESTION},
)


# --- GTZAN ------------------------------------------------------------------------------

GENRES = {
    "blues": "12-28 61-72 98-99",
    "classical": "11-29 34-41 49 77-79",
    "country": "30-40 43-44 46-48 50-51 53-64",
    "disco": "1 21 58 62-66 69 76-88 91-94 96-97 99",
    "hiphop": "0 26-27 30 40 43-45 51-54 62-75 99",
    "jazz": "73-99",
    "metal": "12-15 22-23 25-33 38-39 67 70 73-75 78 83 85 87-88",
    "pop": "0-1 13-14 43 63-66 69-79 82 88-96",
    "reggae": "34-40 46-48 52-53 64-68 71 79 82-84 87-90",
    "rock": "10-15 27-37 39-48 86-90",
}
"""The fault-filtered test split of Kereliuk, Sturm and Larsen (2015), by number."""


def _read_gtzan(root: Path, part: BenchmarkPart) -> Items:
    folder = find_below(root, "Data/genres_original", "genres_original", "genres", "")
    if not (folder / "blues").is_dir():
        raise not_found_error(folder, "blues/blues.00000.wav")
    for genre, path in iter_labelled_files(folder, list(GENRES)):
        number = path.stem.rpartition(".")[2]
        if number.isdigit() and (part["split"] == "all" or int(number) in _expand_ranges(GENRES[genre])):
            yield make_item(path.stem, path, genre)


def _expand_ranges(ranges: str) -> set[int]:
    spans = [each.partition("-") for each in ranges.split()]
    return {at for low, _, high in spans for at in range(int(low), int(high or low) + 1)}


GTZAN = Benchmark(
    name="gtzan",
    title="GTZAN",
    kind="classify",
    licence="",
    source="marsyas.info/downloads/datasets.html",
    splits={"test": 290, "all": 1000},
    layout="genres/blues/blues.00000.wav (or .au)",
    read=_read_gtzan,
    task_options={"labels": list(GENRES), "question": "Which genre is this music?"},
)
