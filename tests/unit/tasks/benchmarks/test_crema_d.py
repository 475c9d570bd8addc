"""Tests of CREMA-D."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from auricle.tasks.benchmarks import crema_d
from tests.support.emotion_corpora import FILE_NAMES, build, check_any_name, check_clip


def test_sex_and_age_come_from_the_demographics(corpus: Any) -> None:
    table = "ActorID,Age,Sex,Race,Ethnicity\n1001,51,Male,Caucasian,Not Hispanic\n1002,21,Female,,\n"
    root = corpus(["AudioWAV/1001_DFA_ANG_XX.wav"], {"VideoDemographics.csv": table})
    (sample,) = build("crema-d", root).samples
    assert (sample.meta["sex"], sample.meta["age"]) == ("male", 51)


def test_demographics_are_optional(corpus: Any) -> None:
    (sample,) = build("crema-d", corpus(["1001_DFA_ANG_XX.wav"])).samples
    assert "sex" not in sample.meta


@pytest.mark.parametrize(
    ("path", "label", "meta"),
    [
        ("AudioWAV/1001_DFA_ANG_XX.wav", "anger", {"speaker": "1001", "sentence": "DFA"}),
        ("1091_IEO_HAP_HI.wav", "happy", {"intensity": "high"}),
        ("1040_ITH_SAD_X.wav", "sad", {"intensity": "unspecified"}),
    ],
)
def test_file_names_are_parsed(path: str, label: str, meta: dict[str, Any]) -> None:
    check_clip(crema_d.parse(Path(path)), label, meta)


@pytest.mark.parametrize("path", ["1001_DFA_SUR_XX.wav"])
def test_other_file_names_are_ignored(path: str) -> None:
    assert crema_d.parse(Path(path)) is None


@given(name=FILE_NAMES)
def test_any_file_name_can_be_parsed(name: str) -> None:
    check_any_name(crema_d, name)
