"""Tasks over emotion corpora, and checks of the file names of their recordings."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from auricle.core.types import Sample
from auricle.engine.catalogue import TASKS

RAVDESS_SPEECH = [
    f"Actor_{actor:02}/03-01-{emotion:02}-01-01-01-{actor:02}.wav" for actor in (1, 2) for emotion in range(1, 9)
]
FILE_NAMES = st.text(alphabet="DCJEKLOYAF_-0123456789abstuWN ", max_size=24)


def build(name: Any, root: Any, **options: Any) -> Any:
    return TASKS.get(name)(root=str(root), **options)


def by_id(task: Any) -> Any:
    return {sample.id: sample for sample in task.samples if isinstance(sample, Sample)}


def notes(task: Any) -> Any:
    return " ".join(task.notes("fake-labels", {}))


def check_clip(clip: Any, label: str, meta: dict[str, Any]) -> None:
    """Check that a file name gave this label, these fields and a speaker."""
    assert clip is not None
    assert clip.label == label
    assert {name: clip.meta[name] for name in meta} == meta
    assert clip.meta["speaker"]
