"""Tests of the columns of CMI-RewardBench."""

from __future__ import annotations

from typing import Any

import pytest

from auricle.tasks.benchmarks.cmi_columns import assign_groups, detect_dataset, parse_targets
from tests.support.cmi_rows import ARENA


def test_the_source_decides_the_dataset() -> None:
    assert [detect_dataset(source) for source in ("PAM (music)", "SongEval", "MusicEval")] == [
        *("PAM", "MusicEval", "MusicEval")
    ]
    assert detect_dataset("Music Arena ['x']") == "MusicArena"
    assert detect_dataset("cmi-arena-annotation") == "CMI-Pref"
    assert detect_dataset("cmi") is None


def test_the_month_comes_from_either_path() -> None:
    assert assign_groups("MusicArena", ARENA) == {"month": "01-2025JULAUG"}
    assert assign_groups("MusicArena", {**ARENA, "audio-path": "x.wav"})["month"] == "01-2025JULAUG"
    assert assign_groups("MusicArena", {"audio2": None}) == {"month": "unknown"}


@pytest.mark.parametrize("vote", ["TIE", "BOTH_BAD", "", None, {"a": 1}])
def test_an_invalid_vote_is_not_a_target(vote: Any) -> None:
    assert parse_targets("MusicArena", {"preference": vote}) == ({}, ["preference"])
