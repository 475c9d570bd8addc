"""Sounds, music and spoken commands: classification (ESC-50, GTZAN, VocalSound, …), captions and questions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from auricle.benchmarks import base, sources
from auricle.core.types import RejectedRow
from auricle.data.folder_scan import AUDIO_SUFFIXES, iter_files
from auricle.engine.kinds import MEDIA_TEMPLATE

RECORDING_SUFFIXES = (*AUDIO_SUFFIXES, ".au")
SCENE_QUESTION = "Which acoustic scene was this recorded in?"
VOCAL_SOUND_QUESTION = "Which human vocal sound is this?"


def format_label(name: str) -> str:
    """Write a label as words: `CrowdedIndoor`, `forest_path` and `cafe/restaurant`."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.replace("/", " or "))
    return spaced.replace("_", " ").strip().lower()


def iter_labelled_files(root: Path, names: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Yield the folder name and path of each recording in these folders."""
    for name in names:
        for path in iter_files(root / name, RECORDING_SUFFIXES):
            yield name, path


# --- ESC-50 -----------------------------------------------------------------------------------

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
"""In the order of their numbers; every ten form one group."""
ESC50_GROUPS = ("animals", "nature", "human", "interior", "exterior")


def _read_esc50(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    folder = sources.find_below(root, "ESC-50-master", "ESC-50", "")

    def convert(row: sources.Values) -> sources.Item | None:
        audio = folder / "audio" / row["filename"]
        return _convert_esc50({**row, "audio": audio}) if part["split"] in ("all", f"fold{row['fold']}") else None

    return sources.convert_table(sources.find_below(folder, "meta/esc50.csv"), convert)


def _convert_esc50(row: sources.Values) -> sources.Item:
    label = row["category"]
    group = ESC50_GROUPS[ESC50_LABELS.index(label) // 10] if label in ESC50_LABELS else ""
    name = Path(row["filename"]).stem
    return base.make_item(name, row["audio"], format_label(label), fold=str(row["fold"]), group=group)


ESC50 = base.Benchmark(
    **base.about("esc50", "ESC-50", "classify", licence="CC BY-NC 3.0"),
    source="github.com/karolpiczak/ESC-50",
    citation="Piczak, ACM Multimedia 2015",
    splits={"all": 2000, **{f"fold{number}": 400 for number in range(1, 6)}},
    layout="meta/esc50.csv and audio/1-100032-A-0.wav",
    read=_read_esc50,
    hub=base.HubDataset(
        "ashraq/esc50",
        "4005892498c64d7a9f4c09886414b065cb6bb61a",
        locate=lambda _part: (None, "train"),
        convert_row=_convert_esc50,
        row_filter=lambda part: {} if part["split"] == "all" else {"fold": int(part["split"][-1])},
    ),
    task_options={
        "labels": [format_label(label) for label in ESC50_LABELS],
        "question": "Which environmental sound is this?",
        "by": ["group", "fold"],
    },
)


# --- GTZAN ------------------------------------------------------------------------------------

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
"""File numbers of the fault-filtered test split of Kereliuk, Sturm and Larsen (2015)."""


def _read_gtzan(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    folder = sources.find_below(root, "Data/genres_original", "genres_original", "genres", "")
    if not (folder / "blues").is_dir():
        raise sources.not_found_error(folder, "blues/blues.00000.wav")
    for genre, path in iter_labelled_files(folder, list(GENRES)):
        number = path.stem.rpartition(".")[2]
        if number.isdigit() and (part["split"] == "all" or int(number) in _expand_ranges(GENRES[genre])):
            yield base.make_item(path.stem, path, genre)


def _expand_ranges(ranges: str) -> set[int]:
    spans = [text.partition("-") for text in ranges.split()]
    return {number for low, _, high in spans for number in range(int(low), int(high or low) + 1)}


GTZAN = base.Benchmark(
    **base.about("gtzan", "GTZAN", "classify"),
    source="marsyas.info/downloads/datasets.html",
    citation="Tzanetakis and Cook, IEEE Transactions on Speech and Audio Processing 2002",
    splits={"test": 290, "all": 1000},
    layout="genres/blues/blues.00000.wav (or .au)",
    read=_read_gtzan,
    task_options={"labels": list(GENRES), "question": "Which genre is this music?"},
)


# --- VocalSound and Nonspeech7k ---------------------------------------------------------------

VOCAL_SOUNDS = {
    "/m/01j3sz": "laughter",
    "/m/07plz5l": "sigh",
    "/m/01b_21": "cough",
    "/m/0dl9sf8": "throat clearing",
    "/m/01hsr_": "sneeze",
    "/m/07ppn3j": "sniff",
}
VOCALSOUND_TABLES = {"test": "te.json", "validation": "val.json", "train": "tr.json"}


def _read_vocalsound(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    folder = sources.find_below(root, "data/datafiles", "datafiles").parent
    audio_folder = sources.find_below(folder, "audio_16k", "audio_44k")

    def convert(row: sources.Values) -> sources.Item:
        name = str(row["wav"]).rpartition("/")[2]
        label = VOCAL_SOUNDS.get(row["labels"], row["labels"])
        speaker = name.partition("_")[0]
        sex = {"f": "female", "m": "male"}.get(speaker[:1], "")
        return base.make_item(Path(name).stem, audio_folder / name, label, speaker=speaker, sex=sex)

    return sources.convert_table(sources.find_below(folder, f"datafiles/{VOCALSOUND_TABLES[part['split']]}"), convert)


VOCALSOUND = base.Benchmark(
    **base.about("vocalsound", "VocalSound", "classify", licence="CC BY-SA 4.0"),
    source="github.com/YuanGongND/vocalsound",
    citation="Gong et al., ICASSP 2022",
    splits={"test": 3594, "validation": 1860, "train": 15_570},
    layout="datafiles/te.json and audio_16k/f0003_0_cough.wav",
    read=_read_vocalsound,
    task_options={
        "labels": list(VOCAL_SOUNDS.values()),
        "question": VOCAL_SOUND_QUESTION,
        "cluster": "speaker",
        "by": ["sex"],
    },
)

NONSPEECH7K_TABLES = ("metadata of {split} set.csv", "metadata_{split}.csv")
NONSPEECH7K = base.Benchmark(
    **base.about("nonspeech7k", "Nonspeech7k", "classify"),
    source="doi.org/10.5281/zenodo.6967442",
    splits={"test": None, "train": None},
    layout="metadata of test set.csv beside test/NAME.wav",
    read=sources.read_table_with_audio(
        (*NONSPEECH7K_TABLES, *(f"{{split}}/{name}" for name in NONSPEECH7K_TABLES)),
        ("{split}",),
        lambda row, folder: base.make_item(
            Path(row["Filename"]).stem, folder / row["Filename"], str(row["Classname"]).strip().lower()
        ),
    ),
    task_options={"question": VOCAL_SOUND_QUESTION},
)


# --- acoustic scenes: TUT 2017 and CochlScene -------------------------------------------------

TUT_SCENES = (
    "beach", "bus", "cafe/restaurant", "car", "city_center", "forest_path", "grocery_store",
    "home", "library", "metro_station", "office", "park", "residential_area", "train", "tram",
)  # fmt: skip
COCHL_SCENES = (
    "Bus", "Cafe", "Car", "CrowdedIndoor", "Elevator", "Kitchen", "Park", "ResidentialArea",
    "Restaurant", "Restroom", "Street", "Subway", "SubwayStation",
)  # fmt: skip


def _read_tut2017(root: Path, _part: sources.BenchmarkPart) -> sources.Items:
    """Read `meta.txt`, or else the evaluation setup: file names and scenes separated by tabs."""
    folder = sources.find_below(root, "TUT-acoustic-scenes-2017-evaluation", "")
    table = sources.find_below(folder, "meta.txt", "evaluation_setup/evaluate.txt")
    for line in sources.read_lines(table):
        name, label, *_ = line.split("\t") if "\t" in line else line.split()
        yield base.make_item(Path(name).stem, folder / name, format_label(label))


def _read_cochlscene(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    """Read files such as `Test/Bus/….wav`, whose folder is the scene."""
    split = part["split"].capitalize()
    folder = sources.find_below(root, f"CochlScene/{split}", split)
    scenes = {scene.lower(): scene for scene in COCHL_SCENES}
    names = sorted(path.name for path in folder.iterdir() if path.name.lower() in scenes)
    if not names:
        raise sources.not_found_error(folder, "scene folders")
    for name, path in iter_labelled_files(folder, names):
        yield base.make_item(f"{name}/{path.stem}", path, format_label(scenes[name.lower()]))


TUT2017 = base.Benchmark(
    **base.about("tut2017", "TUT Acoustic Scenes 2017", "classify", licence="academic, non-commercial"),
    source="doi.org/10.5281/zenodo.1040168",
    citation="Mesaros et al., EUSIPCO 2016",
    splits={"evaluation": 1620},
    layout="TUT-acoustic-scenes-2017-evaluation/meta.txt and audio/",
    read=_read_tut2017,
    task_options={"labels": [format_label(scene) for scene in TUT_SCENES], "question": SCENE_QUESTION},
)
COCHLSCENE = base.Benchmark(
    **base.about("cochlscene", "CochlScene", "classify"),
    source="doi.org/10.5281/zenodo.7080122",
    citation="Jeong and Park, APSIPA ASC 2022",
    splits={"test": None, "val": None, "train": None},
    layout="CochlScene/Test/Bus/NAME.wav",
    read=_read_cochlscene,
    task_options={"labels": [format_label(scene) for scene in COCHL_SCENES], "question": SCENE_QUESTION},
)


# --- Speech Commands v2 -----------------------------------------------------------------------

TEN_COMMANDS = ("yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go")
COMMANDS = (
    *TEN_COMMANDS, "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "bed", "bird", "cat", "dog", "happy", "house", "marvin", "sheila", "tree", "wow",
    "backward", "follow", "forward", "learn", "visual",
)  # fmt: skip
TWELVE_CLASSES = (*TEN_COMMANDS, "_silence_", "_unknown_")
SPLIT_LISTS = {"test": "testing_list.txt", "validation": "validation_list.txt"}


def _read_commands(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    """Read 35 classes from the lists of the main archive, or 12 from the folders of the test archive."""
    if part["classes"] == "12":
        folder = sources.find_below(root, "speech_commands_test_set_v0.02", "")
        sources.find_below(folder, "_unknown_")
        for name, path in iter_labelled_files(folder, TWELVE_CLASSES):
            yield base.make_item(f"{name}/{path.stem}", path, name.strip("_"), speaker=_speaker_id(path.stem))
        return
    folder = sources.find_below(root, "speech_commands_v0.02", "")
    for line in sources.read_lines(sources.find_below(folder, SPLIT_LISTS[part["split"]])):
        word, _, name = line.partition("/")
        yield base.make_item(line.removesuffix(".wav"), folder / line, word, speaker=_speaker_id(name))


def _speaker_id(name: str) -> str:
    speaker, separator, _ = name.partition("_nohash_")
    return speaker if separator else ""


def _command_options(part: sources.BenchmarkPart) -> dict[str, object]:
    if part["classes"] == "12":
        return {
            "labels": [name.strip("_") for name in TWELVE_CLASSES],
            "question": "Which command is spoken: one of ten words, another word (unknown), or none (silence)?",
        }
    return {"labels": list(COMMANDS), "question": "Which word is spoken?", "cluster": "speaker"}


SPEECH_COMMANDS = base.Benchmark(
    **base.about("speech-commands", "Speech Commands v2", "classify", language="en", licence="CC BY 4.0"),
    source="tensorflow.org/datasets/catalog/speech_commands",
    citation="Warden, arXiv:1804.03209",
    splits={"test": None, "validation": None},
    options={"classes": ("35", "12")},
    counts={"test/35": 11_005, "validation/35": 9_981, "test/12": 4_890},
    layout="testing_list.txt and yes/HASH_nohash_0.wav (35 classes), "
    "or speech_commands_test_set_v0.02/_unknown_/… (12 classes)",
    read=_read_commands,
    part_options=_command_options,
)


# --- Clotho and AudioCaps: captions, with five references each ---------------------------------

CAPTION_OPTIONS = {
    "question": "Describe this audio in one sentence.",
    "metrics": ["cider", "rouge_l", "bleu", "chrf"],
    "max_tokens": 128,
}


def _convert_clotho(row: sources.Values, folder: Path) -> sources.Item:
    captions = [row[f"caption_{number}"] for number in range(1, 6)]
    return base.make_item(Path(row["file_name"]).stem, folder / row["file_name"], captions)


CLOTHO = base.Benchmark(
    **base.about(
        "clotho", "Clotho", "qa", language="en", licence="captions: academic, non-commercial; sounds: Creative Commons"
    ),
    source="doi.org/10.5281/zenodo.3490684",
    citation="Drossos et al., ICASSP 2020",
    splits={"evaluation": 1045, "validation": 1045, "development": None},
    layout="clotho_captions_evaluation.csv and evaluation/",
    read=sources.read_table_with_audio(
        ("clotho_captions_{split}.csv",),
        ("{split}", "clotho_audio_{split}/{split}", "clotho_audio_{split}"),
        _convert_clotho,
    ),
    task_options=CAPTION_OPTIONS,
)


def _read_audiocaps(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    """Read `test.csv`; recordings are named by their YouTube id, in one of several usual ways."""
    table = sources.find_below(root, f"{part['split']}.csv", f"dataset/{part['split']}.csv")
    recordings = {path.stem: path for path in iter_files(root, AUDIO_SUFFIXES)}
    if not recordings:
        raise sources.not_found_error(root, "recordings named by their YouTube id (YOUTUBE_ID.wav)")
    rows, rejected = sources.split_valid_rows(table, "youtube_id", "start_time", "caption")
    yield from rejected
    captions: dict[tuple[str, str], list[Any]] = {}
    for row in rows:
        key = str(row.values["youtube_id"]), str(row.values["start_time"])
        captions.setdefault(key, []).append(row.values["caption"])
    for (clip, start), texts in sorted(captions.items(), key=lambda item: item[0]):
        names = (clip, f"Y{clip}", f"{clip}_{start}", f"Y{clip}_{start}", f"{clip}_{start}000")
        audio = next((recordings[name] for name in names if name in recordings), None)
        if audio is None:
            yield RejectedRow(f"{table.name}, {clip}", f"no recording of {clip}")
        else:
            yield base.make_item(clip, audio, texts)


AUDIOCAPS = base.Benchmark(
    **base.about("audiocaps", "AudioCaps", "qa", language="en", licence="MIT (captions)"),
    source="github.com/cdjkim/audiocaps",
    citation="Kim et al., NAACL 2019",
    splits={"test": 975, "val": 495},
    layout="test.csv and YOUTUBE_ID.wav in any folder",
    read=_read_audiocaps,
    task_options=CAPTION_OPTIONS,
)


# --- ClothoAQA --------------------------------------------------------------------------------

MIN_AGREEMENT = {"majority": 2, "unanimous": 3, "any": 1}
"""How many of the three annotators must have given an answer for it to be accepted."""


def _read_questions(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    """Read `clotho_aqa_test.csv`, which has three adjacent rows per question, one for each annotator."""
    table = sources.find_below(root, f"clotho_aqa_{part['split']}.csv")
    audio_folder = sources.find_below(root, "audio_files", "")
    question_counts: Counter[str] = Counter()
    rows, rejected = sources.split_valid_rows(table, "file_name", "QuestionText", "answer")
    yield from rejected
    for (name, question), group in groupby(
        rows, key=lambda row: (str(row.values["file_name"]), str(row.values["QuestionText"]))
    ):
        question_counts[name] += 1
        votes = Counter(str(row.values["answer"]).strip().lower() for row in group)
        accepted = [answer for answer, count in votes.items() if count >= MIN_AGREEMENT[part["agreement"]]]
        kind = "yes-no" if set(votes) <= {"yes", "no"} else "single-word"
        if accepted and part["questions"] in ("all", kind):
            row_id, agreement = f"{Path(name).stem}#{question_counts[name]}", str(max(votes.values()))
            audio = audio_folder / name
            yield base.make_item(row_id, audio, accepted, question=question, kind=kind, agreement=agreement)


CLOTHO_AQA = base.Benchmark(
    **base.about("clotho-aqa", "ClothoAQA", "qa", language="en"),
    source="doi.org/10.5281/zenodo.6473207",
    citation="Lipping et al., EUSIPCO 2022",
    splits={"test": None, "val": None, "train": None},
    options={"agreement": tuple(MIN_AGREEMENT), "questions": ("all", "yes-no", "single-word")},
    counts={"test/majority/all": 2476, "test/majority/yes-no": 1892, "test/unanimous/all": 1312, "test/any/all": 2838},
    layout="clotho_aqa_test.csv and audio_files/",
    read=_read_questions,
    task_options={
        "prompt": f"{MEDIA_TEMPLATE}{{question}}\nAnswer with one word.",
        "metrics": ["exact_match", "contains"],
        "by": ["kind", "agreement"],
    },
)
