"""VoxPopuli: European Parliament speeches in sixteen languages, and accented English."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auricle.tasks.benchmarks import base

CODES = "en de fr es pl it ro hu cs nl fi hr sk sl et lt"
LANGUAGES = {**{code: code for code in CODES.split()}, "en_accented": "en"}


def _read(root: Path, part: base.BenchmarkPart) -> base.Items:
    """Read the output of the authors' script: a TSV file per split and a folder of OGG files per year."""
    language, name = part["language"], f"asr_{part['split']}.tsv"
    tops = (f"transcribed_data/{language}/", f"{language}/", "")
    path = base.find_below(root, *(f"{top}{name}" for top in tops))
    for row in base.read_table(path, required=("id", "normalized_text", "speaker_id")):
        audio = path.parent / row["id"][:4] / f"{row['id']}.ogg"
        if (item := _make_utterance(row["id"], row, audio)) is not None:
            yield item


def _make_utterance(name: str, row: Mapping[str, Any], audio: object) -> base.Item | None:
    """Build an utterance; return None for the few rows without a transcript."""
    text = str(row["normalized_text"] or "").strip()
    if not text:
        return None
    values = {name: str(row.get(name) or "") for name in ("gender", "accent")}
    meta: dict[str, Any] = {name: value for name, value in values.items() if value != "None"}
    return base.make_item(name, audio, text, speaker=str(row["speaker_id"]), **meta)


VOXPOPULI = base.Benchmark(
    **base.about("voxpopuli", "VoxPopuli", "asr", language="en", licence="CC0 1.0"),
    languages=LANGUAGES,
    source="github.com/facebookresearch/voxpopuli",
    citation="Wang et al., ACL 2021",
    splits={"test": None, "dev": None},
    layout="transcribed_data/en/asr_test.tsv and transcribed_data/en/YEAR/NAME.ogg",
    read=_read,
    hub=base.HubDataset(
        "facebook/voxpopuli",
        "refs/convert/parquet",
        base.locate_language,
        convert_row=lambda row: _make_utterance(row["audio_id"], row, row["audio"]),
    ),
    task_options={"cluster": "speaker"},
)
