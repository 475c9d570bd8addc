"""The task `demo`: synthetic speech that ships with the package. See demo_speech/README.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from auricle.core.types import Sample
from auricle.data.manifest import Manifest
from auricle.tasks.base import Task
from auricle.tasks.kinds import asr

FOLDER = Path(__file__).with_name("demo_speech")
_FAST_POCKETSPHINX = {"fwdflat": False, "maxhmmpf": 3000, "maxwpf": 20}  # three times faster
DEMO_MODELS: Mapping[str, Mapping[str, Any]] = {"moonshine": {}, "pocketsphinx": _FAST_POCKETSPHINX}
"""Models that `auricle demo` runs, with their arguments."""


def demo() -> Task:
    """Build the demo task: synthetic sentences, clean and at two noise levels."""
    task = asr(data=str(FOLDER / "manifest.jsonl"), language="en", name="demo")
    manifest = task.samples
    assert isinstance(manifest, Manifest)

    def add_sentence(sample: Sample) -> Sample:
        """Name the sentence: its clips, clean and noisy, are not independent."""
        return replace(sample, meta={**sample.meta, "sentence": sample.id.partition("-")[0]})

    return replace(task, samples=replace(manifest, transform=add_sentence), cluster="sentence", source="synthetic")
