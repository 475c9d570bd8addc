"""Tests of the benchmarks of sounds, music and spoken commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from auricle.benchmarks.sounds import AUDIOCAPS, CLOTHO, COCHLSCENE, TUT2017, format_label, iter_labelled_files
from tests.support.miniatures import write_tone
from tests.support.miniatures_suite import UnderstandingSuite, build_from, find_miniature


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


def test_a_row_without_a_recording_is_rejected(tmp_path: Path) -> None:
    mini = find_miniature("audiocaps")
    mini.build(tmp_path)
    (tmp_path / "test/-abc_30.wav").unlink()
    samples = list(build_from(mini, tmp_path).samples)
    assert [type(sample).__name__ for sample in samples] == ["RejectedRow", "Sample"]
    assert "no recording of -abc" in samples[0].reason


class TestCaptions(UnderstandingSuite):
    tasks = ("audiocaps", "clotho", "clotho-aqa")


def test_captions_are_asked_for_with_one_question() -> None:
    assert CLOTHO.task_options == AUDIOCAPS.task_options
    assert CLOTHO.task_options["question"] == "Describe this audio in one sentence."
