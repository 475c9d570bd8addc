"""Tests of IEMOCAP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.core.types import RejectedRow
from tests.support.emotion_corpora import build, by_id, notes

IEMOCAP_LINES = (
    "% [START_TIME - END_TIME] TURN_NAME EMOTION [V, A, D]\n"
    "\n"
    "[6.2901 - 8.2357]\tSes01F_impro01_F000\tneu\t[2.5000, 2.0000, 3.5000]\n"
    "C-E2:\tNeutral;\t()\n"
    "[10.0100 - 11.3925]\tSes01F_impro01_M000\texc\t[4.5000, 3.5000, 3.0000]\n"
    "[14.8872 - 18.0175]\tSes01F_impro01_F001\txxx\t[2.5000, 2.5000, 2.5000]\n"
    "[19.2900 - 20.7875]\tSes01F_impro01_F002\tfru\t[2.0000, 3.0000, 3.0000]\n"
)


@pytest.fixture
def iemocap(corpus: Any) -> Any:
    session = "IEMOCAP_full_release/Session1"
    names = ("F000", "M000", "F001", "F002")
    wavs = [f"{session}/sentences/wav/Ses01F_impro01/Ses01F_impro01_{name}.wav" for name in names]
    evaluation = f"{session}/dialog/EmoEvaluation"
    return corpus(
        [*wavs, f"{session}/dialog/wav/Ses01F_impro01.wav"],
        {
            f"{evaluation}/Ses01F_impro01.txt": IEMOCAP_LINES,
            f"{evaluation}/._Ses01F_impro01.txt": b"\x00\x05\x16\x07",
            f"{evaluation}/Categorical/Ses01F_impro01_e2_cat.txt": "Ses01F_impro01_F000 :Neutral;",
        },
    )


def test_excited_counts_as_happy(iemocap: Any) -> None:
    samples = by_id(build("iemocap", iemocap))
    assert {name: sample.target for name, sample in samples.items()} == {
        "Ses01F_impro01_F000": "neutral",
        "Ses01F_impro01_M000": "happy",
    }
    meta = samples["Ses01F_impro01_M000"].meta
    assert (meta["valence"], meta["arousal"], meta["dominance"]) == (4.5, 3.5, 3.0)
    assert (meta["speaker"], meta["sex"], meta["session"]) == ("Ses01M", "male", 1)
    assert (meta["style"], meta["code"]) == ("improvised", "exc")


def test_ratings_can_be_scaled_to_0_1(iemocap: Any) -> None:
    meta = by_id(build("iemocap", iemocap, ratings="0-1"))["Ses01F_impro01_M000"].meta
    assert (meta["valence"], meta["arousal"], meta["dominance"]) == (0.875, 0.625, 0.5)
    with pytest.raises(SpecError, match="invalid ratings '1-7': expected one of 1-5, 0-1"):
        build("iemocap", iemocap, ratings="1-7")


def test_all_classes_can_be_selected(iemocap: Any) -> None:
    task = build("iemocap", iemocap, classes="all")
    assert sorted(sample.target for sample in task.samples) == ["excited", "frustrated", "neutral"]
    assert "1 turns are left out because listeners did not agree" in notes(task)


def test_the_published_counts_are_expected(tmp_path: Path) -> None:
    assert build("iemocap", tmp_path).samples.expected_rows == 5531
    sessions = [build("iemocap", tmp_path, session=number).samples.expected_rows for number in range(1, 6)]
    assert sum(sessions) == 5531


def test_a_turn_without_audio_is_rejected(iemocap: Any) -> None:
    next(iemocap.rglob("*_M000.wav")).unlink()
    task = build("iemocap", iemocap)
    (rejected,) = [sample for sample in task.samples if isinstance(sample, RejectedRow)]
    assert rejected.origin == "Ses01F_impro01.txt:5"
    assert "Ses01F_impro01_M000.wav is missing" in rejected.reason


def test_a_session_is_compared_with_its_own_count(iemocap: Any) -> None:
    assert "1,085 are published" in notes(build("iemocap", iemocap, session=1))
