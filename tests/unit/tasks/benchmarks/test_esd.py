"""Tests of ESD."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from auricle.tasks.benchmarks import esd
from tests.support.emotion_corpora import FILE_NAMES, build, by_id, check_any_name, check_clip, notes

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
    clips = [esd.parse(Path(f"0011_{number:06}.wav")) for number in range(1, 1751)]
    sizes = {
        split: sum(clip is not None and clip.meta["split"] == split for clip in clips)
        for split in ("evaluation", "test", "train")
    }
    assert sizes == {"evaluation": 100, "test": 150, "train": 1500}


@pytest.mark.parametrize(
    ("path", "label", "meta"),
    [
        ("0011/Angry/test/0011_000371.wav", "angry", {"split": "test", "sex": "male"}),
        ("0015/Surprise/0015_001401.wav", "surprise", {"split": "evaluation", "sex": "female"}),
        ("0001/Sad/0001_001101.wav", "sad", {"split": "train", "language": "zh"}),
        ("0020_000050.wav", "neutral", {"split": "test", "sentence": 50}),
    ],
)
def test_file_names_are_parsed(path: str, label: str, meta: dict[str, Any]) -> None:
    check_clip(esd.parse(Path(path)), label, meta)


@pytest.mark.parametrize("path", ["0021_000001.wav", "0011_001751.wav", "0011_000000.wav"])
def test_other_file_names_are_ignored(path: str) -> None:
    assert esd.parse(Path(path)) is None


@given(name=FILE_NAMES)
def test_any_file_name_can_be_parsed(name: str) -> None:
    check_any_name(esd, name)
