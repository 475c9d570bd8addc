"""Tests of EmoDB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from auricle.tasks.benchmarks import emodb
from tests.support.emotion_corpora import FILE_NAMES, build, check_any_name, check_clip


def test_labels_are_english_and_the_language_is_german(corpus: Any) -> None:
    task = build("emodb", corpus(["wav/03a01Fa.wav", "wav/03a01Wa.wav"]))
    assert {sample.target for sample in task.samples} == {"happiness", "anger"}
    assert task.language == "de"


@pytest.mark.parametrize(
    ("path", "label", "meta"),
    [
        ("wav/03a01Fa.wav", "happiness", {"speaker": "03", "sex": "male", "sentence": "a01"}),
        ("16b10Lb.wav", "boredom", {"speaker": "16", "sex": "female", "version": "b"}),
        ("14a07Wc.wav", "anger", {"sex": "female"}),
    ],
)
def test_file_names_are_parsed(path: str, label: str, meta: dict[str, Any]) -> None:
    check_clip(emodb.parse(Path(path)), label, meta)


@pytest.mark.parametrize("path", ["04a01Fa.wav", "03a01Xa.wav"])
def test_other_file_names_are_ignored(path: str) -> None:
    assert emodb.parse(Path(path)) is None


@given(name=FILE_NAMES)
def test_any_file_name_can_be_parsed(name: str) -> None:
    check_any_name(emodb, name)
