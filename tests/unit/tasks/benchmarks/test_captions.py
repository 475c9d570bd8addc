"""Tests of Clotho, AudioCaps and ClothoAQA."""

from __future__ import annotations

from pathlib import Path

from auricle.tasks.benchmarks.captions import AUDIOCAPS, CLOTHO
from tests.support.miniatures_suite import UnderstandingSuite, build_from, find_miniature


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
