"""LibriSpeech: read English audiobooks, clean and other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auricle.tasks.benchmarks.base import Benchmark, Hub, Item, Items, Part, below, item, lines


def _read(root: Path, part: Part) -> Items:
    """`SPEAKER-CHAPTER.trans.txt` beside the FLAC files of each chapter."""
    split = part["split"]
    folder = root if root.name == split else below(root, f"LibriSpeech/{split}", split)
    for transcript in sorted(folder.glob("*/*/*.trans.txt")):
        for line in lines(transcript):
            name, _, text = line.partition(" ")
            speaker, chapter, _ = name.split("-")
            sound = transcript.with_name(f"{name}.flac")
            yield item(name, sound, text, speaker=speaker, chapter=chapter)


def _item(row: Mapping[str, Any]) -> Item:
    speaker, chapter = str(row["speaker_id"]), str(row["chapter_id"])
    return item(row["id"], row["audio"], row["text"], speaker=speaker, chapter=chapter)


def _at(part: Part) -> tuple[str, str]:
    split, _, config = part["split"].partition("-")
    return config, {"dev": "validation"}.get(split, split)


LIBRISPEECH = Benchmark(
    name="librispeech",
    title="LibriSpeech",
    kind="asr",
    language="en",
    licence="CC BY 4.0",
    source="openslr.org/12",
    splits={"test-clean": 2620, "test-other": 2939, "dev-clean": 2703, "dev-other": 2864},
    layout="LibriSpeech/test-clean/SPEAKER/CHAPTER/SPEAKER-CHAPTER.trans.txt",
    read=_read,
    hub=Hub(
        "openslr/librispeech_asr",
        "71cacbfb7e2354c4226d01e70d77d5fca3d04ba1",
        at=_at,
        item=_item,
        files="{config}/{split}/*.parquet",
    ),
    asking={"cluster": "speaker"},
)
