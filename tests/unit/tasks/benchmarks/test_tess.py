"""Tests of TESS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from auricle.tasks.benchmarks import tess
from tests.support.emotion_corpora import FILE_NAMES, build, by_id, check_any_name, check_clip, notes


def test_a_nested_copy_is_used_once(corpus: Any) -> None:
    names = ["OAF_neutral/OA_bite_neutral.wav", "YAF_neutral/YAF_bite_neutral.wav"]
    task = build("tess", corpus([*names, *(f"TESS Toronto/{name}" for name in names)]))
    assert sorted(by_id(task)) == ["OAF_bite_neutral", "YAF_bite_neutral"]
    assert "2 recordings are in the folder more than once" in notes(task)


@pytest.mark.parametrize(
    ("path", "label", "meta"),
    [
        ("OAF_back_angry.wav", "angry", {"speaker": "OAF", "age": "older", "word": "back"}),
        ("YAF_youth_ps.wav", "pleasant surprise", {"speaker": "YAF", "sex": "female"}),
        ("OAF_neutral/OA_bite_neutral.wav", "neutral", {"speaker": "OAF", "word": "bite"}),
    ],
)
def test_file_names_are_parsed(path: str, label: str, meta: dict[str, Any]) -> None:
    check_clip(tess.parse(Path(path)), label, meta)


@pytest.mark.parametrize("path", ["OAF_back_glad.wav"])
def test_other_file_names_are_ignored(path: str) -> None:
    assert tess.parse(Path(path)) is None


@given(name=FILE_NAMES)
def test_any_file_name_can_be_parsed(name: str) -> None:
    check_any_name(tess, name)
