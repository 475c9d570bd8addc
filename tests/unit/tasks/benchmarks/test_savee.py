"""Tests of SAVEE."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from auricle.tasks.benchmarks import savee
from tests.support.emotion_corpora import FILE_NAMES, build, by_id, check_any_name, check_clip, notes


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


@pytest.mark.parametrize(
    ("path", "label", "meta"),
    [
        ("DC_sa07.wav", "sadness", {"speaker": "DC", "sex": "male", "sentence": 7}),
        ("AudioData/KL/su15.wav", "surprise", {"speaker": "KL"}),
        ("JE/n30.wav", "neutral", {"speaker": "JE"}),
    ],
)
def test_file_names_are_parsed(path: str, label: str, meta: dict[str, Any]) -> None:
    check_clip(savee.parse(Path(path)), label, meta)


@pytest.mark.parametrize("path", ["a01.wav", "DC_x01.wav"])
def test_other_file_names_are_ignored(path: str) -> None:
    assert savee.parse(Path(path)) is None


@given(name=FILE_NAMES)
def test_any_file_name_can_be_parsed(name: str) -> None:
    check_any_name(savee, name)
