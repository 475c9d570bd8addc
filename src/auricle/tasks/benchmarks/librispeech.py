"""LibriSpeech: English audiobooks, clean and other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auricle.tasks.benchmarks import base


def _read(root: Path, part: base.BenchmarkPart) -> base.Items:
    """Read `SPEAKER-CHAPTER.trans.txt`, beside the FLAC files of each chapter."""
    split = part["split"]
    folder = root if root.name == split else base.find_below(root, f"LibriSpeech/{split}", split)
    for transcript in sorted(folder.glob("*/*/*.trans.txt")):
        for line in base.read_lines(transcript):
            name, _, text = line.partition(" ")
            speaker, chapter, _ = name.split("-")
            audio = transcript.with_name(f"{name}.flac")
            yield base.make_item(name, audio, text, speaker=speaker, chapter=chapter)


def _convert_row(row: Mapping[str, Any]) -> base.Item:
    speaker, chapter = str(row["speaker_id"]), str(row["chapter_id"])
    return base.make_item(row["id"], row["audio"], row["text"], speaker=speaker, chapter=chapter)


def _config_and_split(part: base.BenchmarkPart) -> tuple[str, str]:
    split, _, config = part["split"].partition("-")
    return config, {"dev": "validation"}.get(split, split)


LIBRISPEECH = base.Benchmark(
    **base.about("librispeech", "LibriSpeech", "asr", language="en", licence="CC BY 4.0"),
    source="openslr.org/12",
    citation="Panayotov et al., ICASSP 2015",
    splits={"test-clean": 2620, "test-other": 2939, "dev-clean": 2703, "dev-other": 2864},
    layout="LibriSpeech/test-clean/SPEAKER/CHAPTER/SPEAKER-CHAPTER.trans.txt",
    read=_read,
    hub=base.HubDataset(
        "openslr/librispeech_asr",
        "71cacbfb7e2354c4226d01e70d77d5fca3d04ba1",
        locate=_config_and_split,
        convert_row=_convert_row,
        files="{config}/{split}/*.parquet",
    ),
    task_options={"cluster": "speaker"},
)
