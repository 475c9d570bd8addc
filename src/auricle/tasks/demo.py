"""The task `demo`: synthetic speech that ships with the package. See demo_speech/README.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from auricle.core.types import RejectedRow, Sample
from auricle.data.manifest import Manifest
from auricle.tasks.base import Task
from auricle.tasks.kinds import asr

FOLDER = Path(__file__).with_name("demo_speech")
_FAST_POCKETSPHINX = {"fwdflat": False, "maxhmmpf": 3000, "maxwpf": 20}  # three times faster
DEMO_MODELS: Mapping[str, Mapping[str, Any]] = {"moonshine": {}, "pocketsphinx": _FAST_POCKETSPHINX}
"""Models that `auricle demo` runs, with their arguments."""


@dataclass(frozen=True)
class DemoSpeech(Manifest):
    """The demo manifest with a `sentence` field: clips of one sentence, clean and noisy, are not independent."""

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        for sample in super().__iter__():
            if isinstance(sample, Sample):
                sentence = sample.id.partition("-")[0]
                sample = replace(sample, meta={**sample.meta, "sentence": sentence})
            yield sample


def demo() -> Task:
    """Build the demo task: synthetic sentences, clean and at two noise levels."""
    task = asr(data=str(FOLDER / "manifest.jsonl"), language="en", name="demo")
    manifest = task.samples
    assert isinstance(manifest, Manifest)
    samples = DemoSpeech(manifest.path, manifest.fields)
    return replace(task, samples=samples, cluster="sentence", source="synthetic")
