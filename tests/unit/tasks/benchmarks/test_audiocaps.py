"""Tests of AudioCaps."""

from __future__ import annotations

from pathlib import Path

from tests.support.miniatures_suite import UnderstandingSuite, build_from, find_miniature


def test_a_row_without_a_recording_is_rejected(tmp_path: Path) -> None:
    mini = find_miniature("audiocaps")
    mini.build(tmp_path)
    (tmp_path / "test/-abc_30.wav").unlink()
    samples = list(build_from(mini, tmp_path).samples)
    assert [type(sample).__name__ for sample in samples] == ["RejectedRow", "Sample"]
    assert "no recording of -abc" in samples[0].reason


class TestAudiocaps(UnderstandingSuite):
    tasks = ("audiocaps",)
