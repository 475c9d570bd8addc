"""Tests of FLEURS."""

from __future__ import annotations

import pytest

from auricle.tasks.catalogue import TASKS
from tests.support.miniatures_suite import SpeechSuite


@pytest.mark.parametrize(
    ("language", "first"), [("en", "wer"), ("de", "wer"), ("zh", "cer"), ("yue", "cer"), ("ja", "cer"), ("th", "cer")]
)
def test_languages_without_spaces_are_scored_by_character(language: str, first: str) -> None:
    task = TASKS.get("fleurs")(root="x", language=language)
    assert task.metrics[0].name == first


class TestFleurs(SpeechSuite):
    tasks = ("fleurs",)
