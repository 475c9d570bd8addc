"""Tests of the classification benchmarks."""

from __future__ import annotations

from pathlib import Path

import pytest

from auricle.tasks.benchmarks.classification import COCHLSCENE, TUT2017, format_label, iter_labelled_files
from tests.support.miniatures import write_tone
from tests.support.miniatures_suite import UnderstandingSuite


class TestClassification(UnderstandingSuite):
    tasks = ("esc50", "gtzan", "vocalsound", "nonspeech7k", "tut2017", "cochlscene", "speech-commands")


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("CrowdedIndoor", "crowded indoor"),
        ("forest_path", "forest path"),
        ("cafe/restaurant", "cafe or restaurant"),
        ("_silence_", "silence"),
    ],
)
def test_labels_are_written_as_words(name: str, label: str) -> None:
    assert format_label(name) == label


def test_files_are_yielded_in_the_order_of_the_folders(tmp_path: Path) -> None:
    for name in ("b/1.wav", "a/2.wav", "a/1.wav", "c/1.wav"):
        write_tone(tmp_path / name)
    files = [(label, path.name) for label, path in iter_labelled_files(tmp_path, ["b", "a"])]
    assert files == [("b", "1.wav"), ("a", "1.wav"), ("a", "2.wav")]


def test_scenes_are_asked_for_with_one_question() -> None:
    assert TUT2017.task_options["question"] == COCHLSCENE.task_options["question"]
    assert TUT2017.task_options["question"] == "Which acoustic scene was this recorded in?"
