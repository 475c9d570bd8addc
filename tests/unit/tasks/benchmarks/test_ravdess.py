"""Tests of RAVDESS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from auricle.tasks.benchmarks import ravdess
from tests.support.emotion_corpora import FILE_NAMES, RAVDESS_SPEECH, build, by_id, check_any_name, check_clip, notes


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


def test_the_published_counts_are_expected() -> None:
    for part, count in {"speech": 1440, "song": 1012, "both": 2452}.items():
        assert build("ravdess", "x", part=part).samples.expected_rows == count
    for fold in range(1, 7):
        assert build("ravdess", "x", fold=fold).samples.expected_rows == 240


def test_each_actor_is_in_one_fold() -> None:
    assert sorted(actor for fold in ravdess.FOLDS for actor in fold) == list(ravdess.ACTORS)


@pytest.mark.parametrize(
    ("path", "label", "meta"),
    [
        ("Actor_12/03-01-06-01-02-01-12.wav", "fearful", {"speaker": "12", "sex": "female"}),
        ("Actor_01/03-01-02-02-01-02-01.wav", "calm", {"sex": "male", "intensity": "strong"}),
        ("03-02-03-01-01-02-24.WAV", "happy", {"part": "song", "repetition": 2}),
        ("01-01-08-01-01-01-07.mp4", "surprised", {"modality": "av", "part": "speech"}),
    ],
)
def test_file_names_are_parsed(path: str, label: str, meta: dict[str, Any]) -> None:
    check_clip(ravdess.parse(Path(path)), label, meta)


@pytest.mark.parametrize(
    "path",
    ["03-01-09-01-02-01-12.wav", "03-01-06-01-02-01-25.wav", "03-01-06-01-02-01.wav", "03-01-06-01-02-01-12 (1).wav"],
)
def test_other_file_names_are_ignored(path: str) -> None:
    assert ravdess.parse(Path(path)) is None


@given(name=FILE_NAMES)
def test_any_file_name_can_be_parsed(name: str) -> None:
    check_any_name(ravdess, name)
