"""Tests of TESS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auricle.core.types import Sample
from auricle.tasks.catalogue import TASKS
from auricle.tasks.emotion import tess


def build(name: Any, root: Any, **options: Any) -> Any:
    return TASKS.get(name)(root=str(root), **options)


def by_id(task: Any) -> Any:
    return {sample.id: sample for sample in task.samples if isinstance(sample, Sample)}


def notes(task: Any) -> Any:
    return " ".join(task.notes("fake-labels", {}))


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
    clip = tess.parse(Path(path))
    assert clip is not None
    assert clip.label == label
    assert {name: clip.meta[name] for name in meta} == meta
    assert clip.meta["speaker"]


@pytest.mark.parametrize("path", ["OAF_back_glad.wav"])
def test_other_file_names_are_ignored(path: str) -> None:
    assert tess.parse(Path(path)) is None


@given(name=st.text(alphabet="DCJEKLOYAF_-0123456789abstuWN ", max_size=24))
def test_any_file_name_can_be_parsed(name: str) -> None:
    clip = tess.parse(Path(f"folder/{name}.wav"))
    assert clip is None or clip.label in tess.CORPUS.labels
