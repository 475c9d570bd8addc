"""The tasks `demo` and `demo-voice`: synthetic speech that ships with the package.

See demo_speech/README.md and demo_voice/README.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from auricle.core.types import RejectedRow, Sample
from auricle.data.manifest import Manifest
from auricle.engine.task import Task
from auricle.tasks.asr.kind import asr
from auricle.tasks.calls.kind import conversation

FOLDER = Path(__file__).with_name("demo_speech")
VOICE_FOLDER = Path(__file__).with_name("demo_voice")
_FAST_POCKETSPHINX = {"fwdflat": False, "maxhmmpf": 3000, "maxwpf": 20}  # three times faster
DEMO_MODELS: Mapping[str, Mapping[str, Any]] = {"moonshine": {}, "pocketsphinx": _FAST_POCKETSPHINX}
"""Models that `auricle demo` runs, with their arguments."""


VOICE_AGENT = "cascade"
VOICE_AGENT_ARGUMENTS: Mapping[str, Any] = {
    "rules": str(VOICE_FOLDER / "rules.yaml"),
    "voice": f"recordings:{VOICE_FOLDER / 'agent'}",
}
"""The voice agent that `auricle demo voice` calls."""

SUBSETS = ("clean", "noise-15db", "noise-5db")
DEMO_CONDITIONS = ("noise:snr=30,20,10",)
"""Conditions under which `auricle demo` runs its models on clean sentences."""


def demo(*, subset: Literal["", "clean", "noise-15db", "noise-5db"] = "") -> Task:
    """Build the demo task: synthetic sentences, clean and at two noise levels.

    Args:
        subset: Keep only the recordings of one subset.
    """
    task = asr(data=str(FOLDER / "manifest.jsonl"), language="en", name="demo")
    manifest = task.samples
    assert isinstance(manifest, Manifest)

    def add_sentence(sample: Sample) -> Sample:
        """Name the sentence: its clips, clean and noisy, are not independent."""
        return replace(sample, meta={**sample.meta, "sentence": sample.id.partition("-")[0]})

    samples = replace(manifest, transform=add_sentence)
    return replace(task, samples=Subset(samples, subset) if subset else samples, cluster="sentence", source="synthetic")


def demo_voice() -> Task:
    """Build the demo of voice agents: calls to a restaurant, with recorded speech."""
    return conversation(
        data=str(VOICE_FOLDER / "calls.yaml"),
        voice=f"recordings:{VOICE_FOLDER / 'caller'}",
        language="en",
        name="demo-voice",
    )


@dataclass(frozen=True)
class Subset:
    """The recordings of one subset."""

    manifest: Manifest
    name: str

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        rows = iter(self.manifest)
        return (row for row in rows if isinstance(row, RejectedRow) or row.meta.get("subset") == self.name)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def revision(self) -> str:
        return f"{self.manifest.revision}/{self.name}"
