"""Tests of RAVDESS, ESD, CREMA-D, TESS, SAVEE and EmoDB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from auricle.benchmarks import acted_emotion
from tests.support.emotion_corpora import FILE_NAMES, RAVDESS_SPEECH, build, by_id, check_clip, notes

CORPORA = ("ravdess", "esd", "crema_d", "tess", "savee", "emodb")


def parse(corpus_name: str, path: str) -> Any:
    return getattr(acted_emotion, f"parse_{corpus_name}")(Path(path))


@pytest.mark.parametrize(
    ("corpus_name", "path", "label", "meta"),
    [
        ("ravdess", "Actor_12/03-01-06-01-02-01-12.wav", "fearful", {"speaker": "12", "sex": "female"}),
        ("ravdess", "Actor_01/03-01-02-02-01-02-01.wav", "calm", {"sex": "male", "intensity": "strong"}),
        ("ravdess", "03-02-03-01-01-02-24.WAV", "happy", {"part": "song", "repetition": 2}),
        ("ravdess", "01-01-08-01-01-01-07.mp4", "surprised", {"modality": "av", "part": "speech"}),
        ("esd", "0011/Angry/test/0011_000371.wav", "angry", {"split": "test", "sex": "male"}),
        ("esd", "0015/Surprise/0015_001401.wav", "surprise", {"split": "evaluation", "sex": "female"}),
        ("esd", "0001/Sad/0001_001101.wav", "sad", {"split": "train", "language": "zh"}),
        ("esd", "0020_000050.wav", "neutral", {"split": "test", "sentence": 50}),
        ("esd", "0019/Happy/train/take 3.wav", "happy", {"split": "train", "speaker": "0019", "sex": "female"}),
        ("crema_d", "AudioWAV/1001_DFA_ANG_XX.wav", "anger", {"speaker": "1001", "sentence": "DFA"}),
        ("crema_d", "1091_IEO_HAP_HI.wav", "happy", {"intensity": "high"}),
        ("crema_d", "1040_ITH_SAD_X.wav", "sad", {"intensity": "unspecified"}),
        ("tess", "OAF_back_angry.wav", "angry", {"speaker": "OAF", "age": "older", "word": "back"}),
        ("tess", "YAF_youth_ps.wav", "pleasant surprise", {"speaker": "YAF", "sex": "female"}),
        ("tess", "OAF_neutral/OA_bite_neutral.wav", "neutral", {"speaker": "OAF", "word": "bite"}),
        ("savee", "DC_sa07.wav", "sadness", {"speaker": "DC", "sex": "male", "sentence": 7}),
        ("savee", "AudioData/KL/su15.wav", "surprise", {"speaker": "KL"}),
        ("savee", "JE/n30.wav", "neutral", {"speaker": "JE"}),
        ("emodb", "wav/03a01Fa.wav", "happiness", {"speaker": "03", "sex": "male", "sentence": "a01"}),
        ("emodb", "16b10Lb.wav", "boredom", {"speaker": "16", "sex": "female", "version": "b"}),
        ("emodb", "14a07Wc.wav", "anger", {"sex": "female"}),
    ],
)
def test_file_names_are_parsed(corpus_name: str, path: str, label: str, meta: dict[str, Any]) -> None:
    check_clip(parse(corpus_name, path), label, meta)


@pytest.mark.parametrize(
    ("corpus_name", "path"),
    [
        ("ravdess", "03-01-09-01-02-01-12.wav"),
        ("ravdess", "03-01-06-01-02-01-25.wav"),
        ("ravdess", "03-01-06-01-02-01.wav"),
        ("ravdess", "03-01-06-01-02-01-12 (1).wav"),
        ("esd", "0021_000001.wav"),
        ("esd", "0021/Happy/train/take 3.wav"),
        ("esd", "0011/Bored/train/take 3.wav"),
        ("esd", "0011_001751.wav"),
        ("esd", "0011_000000.wav"),
        ("crema_d", "1001_DFA_SUR_XX.wav"),
        ("tess", "OAF_back_glad.wav"),
        ("savee", "a01.wav"),
        ("savee", "DC_x01.wav"),
        ("emodb", "04a01Fa.wav"),
        ("emodb", "03a01Xa.wav"),
    ],
)
def test_other_file_names_are_ignored(corpus_name: str, path: str) -> None:
    assert parse(corpus_name, path) is None


@pytest.mark.parametrize("corpus_name", CORPORA)
@given(name=FILE_NAMES)
def test_any_file_name_is_ignored_or_has_a_label_of_the_corpus(corpus_name: str, name: str) -> None:
    clip = parse(corpus_name, f"folder/{name}.wav")
    assert clip is None or clip.label in getattr(acted_emotion, f"{corpus_name.upper()}_LABELS")


def test_duplicate_recordings_are_used_once(corpus: Any) -> None:
    root = corpus([*RAVDESS_SPEECH, *(f"audio_speech_actors_01-24/{name}" for name in RAVDESS_SPEECH)])
    task = build("ravdess", root)
    assert len(task.samples) == 16
    assert "16 recordings are in the folder more than once" in notes(task)
    assert all(sample.origin.startswith("Actor_") for sample in task.samples)


def test_a_recording_in_the_wrong_folder_is_noted(corpus: Any) -> None:
    task = build("ravdess", corpus(["Actor_03/03-01-05-01-01-01-04.wav"]))
    (sample,) = task.samples
    assert sample.meta["speaker"] == "04"
    assert "in the folder of another actor" in notes(task)


def test_part_and_modality_are_selected(corpus: Any) -> None:
    root = corpus(
        [*RAVDESS_SPEECH, "Actor_01/03-02-04-01-01-01-01.wav"],
        {"Actor_01/01-01-04-01-01-01-01.mp4": "x", "Actor_01/02-01-04-01-01-01-01.mp4": "x"},
    )
    assert list(by_id(build("ravdess", root, part="song"))) == ["03-02-04-01-01-01-01"]
    assert len(build("ravdess", root, part="both").samples) == 17
    (with_audio,) = build("ravdess", root, modality="av").samples
    (without_audio,) = build("ravdess", root, modality="video").samples
    assert "audio" in with_audio.inputs
    assert "video" in without_audio.inputs
    assert "audio" not in without_audio.inputs


def test_a_fold_contains_only_its_actors(corpus: Any) -> None:
    task = build("ravdess", corpus(RAVDESS_SPEECH), fold=1)
    assert {sample.meta["speaker"] for sample in task.samples} == {"01"}
    assert task.name == "ravdess-speech-fold-1"


def test_the_published_counts_of_ravdess_are_expected() -> None:
    for part, count in {"speech": 1440, "song": 1012, "both": 2452}.items():
        assert build("ravdess", "x", part=part).samples.expected_rows == count
    for fold in range(1, 7):
        assert build("ravdess", "x", fold=fold).samples.expected_rows == 240


def test_each_actor_is_in_one_fold() -> None:
    assert sorted(actor for fold in acted_emotion.RAVDESS_FOLDS for actor in fold) == list(acted_emotion.RAVDESS_ACTORS)


FLAT = [f"0011/Angry/0011_{number:06}.wav" for number in (351, 371, 400, 401)]


def test_without_split_folders_the_sentence_number_decides(corpus: Any) -> None:
    task = build("esd", corpus([*FLAT, "0001/Angry/0001_000371.wav"]))
    assert sorted(by_id(task)) == ["0011_000371", "0011_000400"]
    assert task.name == "esd-en-test"


def test_language_speakers_and_split_are_selected(corpus: Any) -> None:
    root = corpus([*FLAT, "0001/Angry/0001_000371.wav"])
    assert list(by_id(build("esd", root, language="zh"))) == ["0001_000371"]
    assert len(build("esd", root, language="all").samples) == 3
    assert len(build("esd", root, split="all").samples) == 4
    assert len(build("esd", root, split="train", speakers=11).samples) == 1
    assert build("esd", root, language="zh").language == "zh"


def test_folders_override_sentence_numbers_with_a_note(corpus: Any) -> None:
    task = build("esd", corpus(["ESD/0011/Sad/test/0011_000351.wav"]))
    (sample,) = task.samples
    assert (sample.target, sample.meta["split"]) == ("sad", "test")
    assert "the folder is used" in notes(task)


def test_the_original_layout_gives_no_note(corpus: Any) -> None:
    root = corpus(["0011/Angry/test/0011_000371.wav", "0011/Angry/train/0011_000401.wav"])
    task = build("esd", root)
    assert list(by_id(task)) == ["0011_000371"]
    assert "the folder is used" not in notes(task)


def test_splits_have_their_published_sizes() -> None:
    clips = [acted_emotion.parse_esd(Path(f"0011_{number:06}.wav")) for number in range(1, 1751)]
    sizes = {
        split: sum(clip is not None and clip.meta["split"] == split for clip in clips)
        for split in ("evaluation", "test", "train")
    }
    assert sizes == {"evaluation": 100, "test": 150, "train": 1500}


def test_sex_and_age_come_from_the_demographics(corpus: Any) -> None:
    table = "ActorID,Age,Sex,Race,Ethnicity\n1001,51,Male,Caucasian,Not Hispanic\n1002,21,Female,,\n"
    root = corpus(["AudioWAV/1001_DFA_ANG_XX.wav"], {"VideoDemographics.csv": table})
    (sample,) = build("crema-d", root).samples
    assert (sample.meta["sex"], sample.meta["age"]) == ("male", 51)


def test_demographics_are_optional(corpus: Any) -> None:
    (sample,) = build("crema-d", corpus(["1001_DFA_ANG_XX.wav"])).samples
    assert "sex" not in sample.meta


def test_a_nested_copy_is_used_once(corpus: Any) -> None:
    names = ["OAF_neutral/OA_bite_neutral.wav", "YAF_neutral/YAF_bite_neutral.wav"]
    task = build("tess", corpus([*names, *(f"TESS Toronto/{name}" for name in names)]))
    assert sorted(by_id(task)) == ["OAF_bite_neutral", "YAF_bite_neutral"]
    assert "2 recordings are in the folder more than once" in notes(task)


@pytest.mark.parametrize("layout", ["AudioData/{}/a01.wav", "ALL/{}_a01.wav"])
def test_both_layouts_are_read(corpus: Any, layout: str) -> None:
    task = build("savee", corpus([layout.format(speaker) for speaker in ("DC", "JE", "JK", "KL")]))
    assert sorted(by_id(task)) == ["DC_a01", "JE_a01", "JK_a01", "KL_a01"]
    assert "more than once" not in notes(task)


@pytest.mark.slow
def test_a_complete_copy_has_no_notes(corpus: Any) -> None:
    codes = [f"{code}{number:02}" for code in ("a", "d", "f", "h", "sa", "su") for number in range(1, 16)]
    codes += [f"n{number:02}" for number in range(1, 31)]
    task = build("savee", corpus([f"{speaker}_{code}.wav" for speaker in ("DC", "JE", "JK", "KL") for code in codes]))
    assert len(task.samples) == 480
    assert notes(task) == ""


def test_labels_are_english_and_the_language_is_german(corpus: Any) -> None:
    task = build("emodb", corpus(["wav/03a01Fa.wav", "wav/03a01Wa.wav"]))
    assert {sample.target for sample in task.samples} == {"happiness", "anger"}
    assert task.language == "de"
