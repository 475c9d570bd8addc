"""MELD as multiple choice: the emotions of television dialogue as options."""

from __future__ import annotations

from pathlib import Path

from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Items, about, make_item
from auricle.tasks.emotion import meld

EMOTIONS = ("neutral", "joy", "sadness", "anger", "surprise", "fear", "disgust")
SPLITS = ("test", "dev", "train")


def _read(root: Path, part: BenchmarkPart) -> Items:
    scan = meld.scan(root, part["split"])
    yield from scan.rejected
    for clip in scan.clips:
        yield make_item(clip.id, clip.path, clip.label, choices=EMOTIONS, **dict(clip.meta))  # type: ignore[arg-type]


MELD_CHOICE = Benchmark(
    **about("meld-choice", "MELD", "mcq", language="en", licence=meld.CORPUS.licence),
    source=meld.CORPUS.source,
    splits={name: sum(meld.PUBLISHED_COUNTS[name]) - (name in meld.WITHOUT_AUDIO) for name in SPLITS},
    layout=meld.CORPUS.example,
    read=_read,
    task_options={"question": "Identify the predominant emotion in this speech.", "by": ["sentiment"]},
)
