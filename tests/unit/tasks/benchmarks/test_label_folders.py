"""Tests of labels of classification corpora."""

from __future__ import annotations

from pathlib import Path

import pytest

from auricle.tasks.benchmarks.label_folders import format_label, iter_labelled_files
from tests.support.miniatures import write_tone


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
