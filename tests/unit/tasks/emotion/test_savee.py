"""Tests of SAVEE."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auricle.core.types import Sample
from auricle.tasks.catalogue import TASKS
from auricle.tasks.emotion import savee


def build(name: Any, root: Any, **options: Any) -> Any:
    return TASKS.get(name)(root=str(root), **options)


def by_id(task: Any) -> Any:
    return {sample.id: sample for sample in task.samples if isinstance(sample, Sample)}


def notes(task: Any) -> Any:
    return " ".join(task.notes("fake-labels", {}))


@pytest.mark.parametrize("layout", ["AudioData/{}/a01.wav", "ALL/{}_a01.wav"])
def test_both_layouts_are_read(corpus: Any, layout: str) -> None:
    task = build("savee", corpus([layout.format(speaker) for speaker in ("DC", "JE", "JK", "KL")]))
    assert sorted(by_id(task)) == ["DC_a01", "JE_a01", "JK_a01", "KL_a01"]
    assert "more than once" not in notes(task)


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
    clip = savee.parse(Path(path))
    assert clip is not None
    assert clip.label == label
    assert {name: clip.meta[name] for name in meta} == meta
    assert clip.meta["speaker"]


@pytest.mark.parametrize("path", ["a01.wav", "DC_x01.wav"])
def test_other_file_names_are_ignored(path: str) -> None:
    assert savee.parse(Path(path)) is None


@given(name=st.text(alphabet="DCJEKLOYAF_-0123456789abstuWN ", max_size=24))
def test_any_file_name_can_be_parsed(name: str) -> None:
    clip = savee.parse(Path(f"folder/{name}.wav"))
    assert clip is None or clip.label in savee.CORPUS.labels
