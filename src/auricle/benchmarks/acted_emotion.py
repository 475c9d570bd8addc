"""Emotional speech by actors, labelled in the file names: RAVDESS, ESD, CREMA-D, TESS, SAVEE and EmoDB."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

from auricle.benchmarks.base import Benchmark, about
from auricle.benchmarks.sources import BenchmarkPart, Recordings, read_by_name, read_bytes
from auricle.core.types import Json
from auricle.data.folder_scan import AUDIO_SUFFIXES, VIDEO_SUFFIXES, Clip, iter_files, scan_by_name
from auricle.engine.task_options import split_list

# --- RAVDESS: 24 actors speak, and 23 of them sing, two sentences in up to eight emotions ------

RAVDESS_LABELS = ("neutral", "calm", "happy", "sad", "angry", "fearful", "disgust", "surprised")
SONG_LABELS = RAVDESS_LABELS[:6]
RAVDESS_CHANNELS = {"speech": ("speech",), "song": ("song",), "both": ("speech", "song")}
RAVDESS_MODALITIES = {"audio": "03", "av": "01", "video": "02"}
INTENSITIES = ("normal", "strong")
STATEMENTS = ("Kids are talking by the door", "Dogs are sitting by the door")
RAVDESS_ACTORS = tuple(f"{actor:02}" for actor in range(1, 25))
NON_SINGER = "18"
RAVDESS_FOLDS = tuple(
    actors.split()
    for actors in ("01 11 20 21", "04 10 12 14", "08 09 19 23", "03 05 07 24", "02 15 16 18", "06 13 17 22")
)
"""The test actors of each EmoBox fold."""
ALL_FOLDS = "0"
RAVDESS_NAME_PATTERN = re.compile(
    r"(?P<modality>0[1-3])-(?P<channel>0[12])-(?P<emotion>0[1-8])-(?P<intensity>0[12])"
    r"-(?P<statement>0[12])-(?P<repetition>0[12])-(?P<actor>0[1-9]|1\d|2[0-4])"
)
ACTOR_FOLDER = re.compile(r"actor_?(\d\d)", re.IGNORECASE)


def _ravdess_actors(part: BenchmarkPart) -> Sequence[str]:
    return RAVDESS_FOLDS[int(part["fold"]) - 1] if part["fold"] != ALL_FOLDS else RAVDESS_ACTORS


def _count_ravdess_labels(part: BenchmarkPart) -> dict[str, int]:
    """Return the published counts: two statements, two repetitions, two intensities (neutral: one)."""
    actors = _ravdess_actors(part)
    counts: dict[str, int] = {}
    for channel in RAVDESS_CHANNELS[part["part"]]:
        voices = len(actors) - (channel == "song" and NON_SINGER in actors)
        for label in RAVDESS_LABELS if channel == "speech" else SONG_LABELS:
            counts[label] = counts.get(label, 0) + voices * (4 if label == "neutral" else 8)
    return counts


def _accept_ravdess(part: BenchmarkPart, clip: Clip) -> bool:
    is_selected = clip.meta["modality"] == part["modality"] and clip.meta["part"] in RAVDESS_CHANNELS[part["part"]]
    return is_selected and clip.meta["speaker"] in _ravdess_actors(part)


def _describe_ravdess_part(part: BenchmarkPart) -> list[str]:
    modality = [] if part["modality"] == "audio" else [part["modality"]]
    return [*RAVDESS_CHANNELS[part["part"]], *modality, *(["fold", part["fold"]] if part["fold"] != ALL_FOLDS else [])]


def parse_ravdess(path: Path) -> Clip | None:
    """Parse the seven numbers of a file name; return None if it is not a RAVDESS name."""
    if not (match := RAVDESS_NAME_PATTERN.fullmatch(path.stem)):
        return None
    index = {name: int(digits) - 1 for name, digits in match.groupdict().items()}
    folder = ACTOR_FOLDER.fullmatch(path.parent.name)
    is_misplaced = folder is not None and folder[1] != match["actor"]
    modality = next(name for name, code in RAVDESS_MODALITIES.items() if code == match["modality"])
    return Clip(
        path.stem,
        path,
        RAVDESS_LABELS[index["emotion"]],
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
        "part": tuple(RAVDESS_CHANNELS),
        "modality": tuple(RAVDESS_MODALITIES),
        "fold": (ALL_FOLDS, *(str(number) for number in range(1, len(RAVDESS_FOLDS) + 1))),
    },
    count_labels=_count_ravdess_labels,
    describe_part=_describe_ravdess_part,
    read=read_by_name(parse_ravdess, _accept_ravdess, (*AUDIO_SUFFIXES, *VIDEO_SUFFIXES)),
    task_options={"labels": RAVDESS_LABELS, "cluster": "speaker"},
    part_options=lambda part: {"labels": SONG_LABELS} if part["part"] == "song" else {},
)


# --- ESD: ten English and ten Mandarin speakers speak 350 sentences in five emotions -----------

ESD_LABELS = ("neutral", "angry", "happy", "sad", "surprise")
ESD_SPEAKERS = {"en": range(11, 21), "zh": range(1, 11), "all": range(1, 21)}
ESD_SPEAKER_NAMES = tuple(f"{number:04}" for number in ESD_SPEAKERS["all"])
ESD_SPLITS = {"evaluation": 20, "test": 30, "train": 300}
"""Number of sentences of each split, in the order of the 350 sentences."""
ESD_WOMEN = {1, 2, 3, 7, 9, 15, 16, 17, 18, 19}
ESD_SENTENCES = 350
ESD_NAME_PATTERN = re.compile(r"(00(?:0[1-9]|1\d|20))_(\d{6})")


def _esd_speakers(part: BenchmarkPart) -> list[str]:
    """Return the chosen speakers, or all speakers of the language."""
    return split_list(part["speakers"]) or [f"{number:04}" for number in ESD_SPEAKERS[part["language"]]]


def _esd_language(speaker: str) -> str:
    return "zh" if int(speaker) <= 10 else "en"


def _esd_languages(part: BenchmarkPart) -> list[str]:
    return sorted({_esd_language(speaker) for speaker in _esd_speakers(part)})


def _accept_esd(part: BenchmarkPart, clip: Clip) -> bool:
    return clip.meta["speaker"] in _esd_speakers(part) and part["split"] in ("all", clip.meta["split"])


def parse_esd(path: Path) -> Clip | None:
    """Parse emotion and split from the folder names, or else from the sentence number; other names have no number."""
    folders = [folder.lower() for folder in path.parts[-4:-1]]
    if not (match := ESD_NAME_PATTERN.fullmatch(path.stem)):
        return _parse_esd_folders(path, *folders) if len(folders) == 3 else None
    if not 1 <= int(match[2]) <= 5 * ESD_SENTENCES:
        return None
    speaker, number = match[1], int(match[2]) - 1
    split_ends = zip(ESD_SPLITS, accumulate(ESD_SPLITS.values()), strict=True)
    split_by_number = next(split for split, end in split_ends if number % ESD_SENTENCES < end)
    by_number = ESD_LABELS[number // ESD_SENTENCES], split_by_number
    label = next((folder for folder in reversed(folders) if folder in ESD_LABELS), by_number[0])
    split = next((folder for folder in reversed(folders) if folder in ESD_SPLITS), by_number[1])
    warning = "are in the folder of another emotion or split than their number indicates; the folder is used"
    return Clip(
        path.stem,
        path,
        label,
        {**_describe_esd_speaker(speaker), "split": split, "sentence": number % ESD_SENTENCES + 1},
        warning * ((label, split) != by_number),
    )


def _parse_esd_folders(path: Path, speaker: str, label: str, split: str) -> Clip | None:
    """Parse `0011/Angry/test/*.wav`; names may repeat in other folders, so that ids consist of all of them."""
    is_known = speaker in ESD_SPEAKER_NAMES and label in ESD_LABELS and split in ESD_SPLITS
    name = f"{speaker}_{label}_{split}_{path.stem}"
    return Clip(name, path, label, {**_describe_esd_speaker(speaker), "split": split}) if is_known else None


def _describe_esd_speaker(speaker: str) -> dict[str, Json]:
    sex = "female" if int(speaker) in ESD_WOMEN else "male"
    return {"speaker": speaker, "sex": sex, "language": _esd_language(speaker)}


def _count_esd_labels(part: BenchmarkPart) -> dict[str, int]:
    return dict.fromkeys(ESD_LABELS, len(_esd_speakers(part)) * ESD_SPLITS.get(part["split"], ESD_SENTENCES))


ESD = Benchmark(
    **about("esd", "ESD", "emotion", language="en", licence="research only, by signed form"),
    languages={"en": "en", "zh": "zh", "all": ""},
    source="the National University of Singapore",
    citation="Zhou et al., Speech Communication 2022",
    layout="0011/Angry/test/0011_000371.wav or 0011/Angry/0011_000371.wav",
    splits={"test": 1500, "evaluation": 1000, "train": 15_000, "all": 17_500},
    selections={"speakers": ESD_SPEAKER_NAMES},
    count_labels=_count_esd_labels,
    describe_part=lambda part: [*_esd_languages(part), part["split"]],
    read=read_by_name(parse_esd, _accept_esd),
    task_options={"labels": ESD_LABELS, "cluster": "speaker"},
    part_options=lambda part: {"language": ", ".join(_esd_languages(part))},
)


# --- CREMA-D: 91 actors speak twelve sentences; labels are the acted emotions ------------------

CREMA_D_LABELS = ("anger", "disgust", "fear", "happy", "neutral", "sad")
CREMA_D_CODES = dict(zip(("ANG", "DIS", "FEA", "HAP", "NEU", "SAD"), CREMA_D_LABELS, strict=True))
CREMA_D_LEVELS = {"LO": "low", "MD": "medium", "HI": "high", "XX": "unspecified", "X": "unspecified"}
CREMA_D_NAME_PATTERN = re.compile(r"(10\d\d)_([A-Z]{3})_([A-Z]{3})_(LO|MD|HI|XX?)")  # one file is named …_SAD_X
DEMOGRAPHICS = "videodemographics.csv"


def _read_crema_d(root: Path, _part: BenchmarkPart) -> Recordings:
    """Read the recordings, with sex and age of the actors if VideoDemographics.csv is in the folder."""
    result = scan_by_name(root, parse_crema_d)
    actors = _read_actors(root)
    clips = [replace(clip, meta={**clip.meta, **actors.get(str(clip.meta["speaker"]), {})}) for clip in result.clips]
    return Recordings(replace(result, clips=clips), root)


def parse_crema_d(path: Path) -> Clip | None:
    """Parse actor, sentence, emotion and intensity from a file name."""
    match = CREMA_D_NAME_PATTERN.fullmatch(path.stem)
    if not match or match[3] not in CREMA_D_CODES:
        return None
    meta = {"speaker": match[1], "sentence": match[2], "intensity": CREMA_D_LEVELS[match[4]]}
    return Clip(path.stem, path, CREMA_D_CODES[match[3]], meta)


def _read_actors(root: Path) -> dict[str, dict[str, Json]]:
    """Return sex and age of each actor."""
    table = next((path for path in iter_files(root, (".csv",)) if path.name.lower() == DEMOGRAPHICS), None)
    if table is None:
        return {}
    lines = read_bytes(table).decode("utf-8-sig", errors="replace").splitlines(keepends=True)
    rows = [{name: value or "" for name, value in row.items()} for row in csv.DictReader(lines)]
    return {
        row.get("ActorID", ""): {
            "sex": row.get("Sex", "").lower(),
            **({"age": int(row["Age"])} if row.get("Age", "").isdecimal() else {}),
        }
        for row in rows
    }


CREMA_D = Benchmark(
    **about("crema-d", "CREMA-D", "emotion", language="en", licence="ODbL 1.0"),
    source="github.com/CheyneyComputerScience/CREMA-D",
    citation="Cao et al., IEEE Transactions on Affective Computing 2014",
    layout="AudioWAV/1001_DFA_ANG_XX.wav",
    splits={"all": 7442},
    count_labels=lambda _part: {label: 1087 if label == "neutral" else 1271 for label in CREMA_D_LABELS},
    read=_read_crema_d,
    task_options={"labels": CREMA_D_LABELS, "cluster": "speaker"},
)


# --- TESS: two women speak "Say the word …" with 200 words in seven emotions -------------------

TESS_LABELS = ("angry", "disgust", "fear", "happy", "pleasant surprise", "neutral", "sad")
TESS_CODES = {label: label for label in TESS_LABELS} | {"ps": "pleasant surprise"}
TESS_AGES = {"O": "older", "Y": "younger"}
TESS_NAME_PATTERN = re.compile(r"([OY])AF?_([a-z']+)_([a-z]+)", re.IGNORECASE)  # one file is named OA_bite_neutral


def parse_tess(path: Path) -> Clip | None:
    """Parse speaker, word and emotion from a file name."""
    match = TESS_NAME_PATTERN.fullmatch(path.stem)
    if not match or match[3].lower() not in TESS_CODES:
        return None
    voice, word, emotion = match[1].upper(), match[2].lower(), match[3].lower()
    speaker = f"{voice}AF"
    meta = {"speaker": speaker, "sex": "female", "age": TESS_AGES[voice], "word": word}
    return Clip(f"{speaker}_{word}_{emotion}", path, TESS_CODES[emotion], meta)


TESS = Benchmark(
    **about("tess", "TESS", "emotion", language="en", licence="CC BY-NC-ND 4.0"),
    source="the University of Toronto (doi 10.5683/SP2/E8H2MF)",
    citation="Pichora-Fuller and Dupuis, Borealis 2020",
    layout="OAF_angry/OAF_back_angry.wav",
    splits={"all": 2800},
    count_labels=lambda _part: dict.fromkeys(TESS_LABELS, 400),
    read=read_by_name(parse_tess),
    task_options={"labels": TESS_LABELS, "cluster": "speaker"},
)


# --- SAVEE: four men speak fifteen sentences in six emotions, and thirty neutral ones ----------

SAVEE_LABELS = ("anger", "disgust", "fear", "happiness", "neutral", "sadness", "surprise")
SAVEE_CODES = dict(zip(("a", "d", "f", "h", "n", "sa", "su"), SAVEE_LABELS, strict=True))
SAVEE_SPEAKERS = ("DC", "JE", "JK", "KL")
SAVEE_NAME_PATTERN = re.compile(r"(?:(DC|JE|JK|KL)_)?(sa|su|a|d|f|h|n)(\d\d)", re.IGNORECASE)


def parse_savee(path: Path) -> Clip | None:
    """Parse emotion and sentence from a file name, and the speaker from the name or the folder."""
    match = SAVEE_NAME_PATTERN.fullmatch(path.stem)
    speaker = (match[1] or path.parent.name).upper() if match else ""
    if not match or speaker not in SAVEE_SPEAKERS:
        return None
    code, number = match[2].lower(), int(match[3])
    meta = {"speaker": speaker, "sex": "male", "sentence": number}
    return Clip(f"{speaker}_{code}{number:02}", path, SAVEE_CODES[code], meta)


SAVEE = Benchmark(
    **about("savee", "SAVEE", "emotion", language="en", licence="research only, on request"),
    source="the University of Surrey",
    citation="Haq and Jackson, AVSP 2009",
    layout="AudioData/DC/a01.wav or DC_a01.wav",
    splits={"all": 480},
    count_labels=lambda _part: {label: 120 if label == "neutral" else 60 for label in SAVEE_LABELS},
    read=read_by_name(parse_savee),
    task_options={"labels": SAVEE_LABELS, "cluster": "speaker"},
)


# --- EmoDB (Berlin): ten actors speak ten German sentences in seven emotions -------------------

EMODB_LABELS = ("anger", "boredom", "disgust", "fear", "happiness", "sadness", "neutral")
EMODB_CODES = dict(zip("WLEAFTN", EMODB_LABELS, strict=True))
EMODB_SEXES = dict.fromkeys(("03", "10", "11", "12", "15"), "male")
EMODB_SEXES |= dict.fromkeys(("08", "09", "13", "14", "16"), "female")
EMODB_NAME_PATTERN = re.compile(r"(\d\d)([ab]\d\d)([WLEAFTN])([a-z])", re.IGNORECASE)


def parse_emodb(path: Path) -> Clip | None:
    """Parse speaker, sentence, emotion (initial of a German word) and version from a file name."""
    match = EMODB_NAME_PATTERN.fullmatch(path.stem)
    if not match or match[1] not in EMODB_SEXES:
        return None
    meta = {"speaker": match[1], "sex": EMODB_SEXES[match[1]], "sentence": match[2].lower()}
    return Clip(path.stem, path, EMODB_CODES[match[3].upper()], {**meta, "version": match[4].lower()})


EMODB = Benchmark(
    **about("emodb", "EmoDB", "emotion", language="de", licence="see the corpus"),
    source="the Technical University of Berlin",
    citation="Burkhardt et al., Interspeech 2005",
    layout="wav/03a01Fa.wav",
    splits={"all": 535},
    count_labels=lambda _part: dict(zip(EMODB_LABELS, (127, 81, 46, 69, 71, 62, 79), strict=True)),
    read=read_by_name(parse_emodb),
    task_options={"labels": EMODB_LABELS, "cluster": "speaker"},
)
