"""VoxPopuli: the European Parliament in sixteen languages, and accented English."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auricle.tasks.benchmarks.base import (
    Benchmark,
    BenchmarkPart,
    HubDataset,
    Item,
    Items,
    find_below,
    make_item,
    read_table,
)

CODES = "en de fr es pl it ro hu cs nl fi hr sk sl et lt"
LANGUAGES = {**{code: code for code in CODES.split()}, "en_accented": "en"}


def _read(root: Path, part: BenchmarkPart) -> Items:
    """What the authors' script cuts: a TSV for each split, a folder of OGG files for each year."""
    language, name = part["language"], f"asr_{part['split']}.tsv"
    tops = (f"transcribed_data/{language}/", f"{language}/", "")
    path = find_below(root, *(f"{top}{name}" for top in tops))
    for row in read_table(path, required=("id", "normalized_text", "speaker_id")):
        sound = path.parent / row["id"][:4] / f"{row['id']}.ogg"
        if (found := _make_utterance(row["id"], row, sound)) is not None:
            yield found


def _make_utterance(name: str, row: Mapping[str, Any], sound: object) -> Item | None:
    """None for the few rows that have no transcript."""
    text = str(row["normalized_text"] or "").strip()
    if not text:
        return None
    known = {name: str(row.get(name) or "") for name in ("gender", "accent")}
    told: dict[str, Any] = {name: value for name, value in known.items() if value != "None"}
    return make_item(name, sound, text, speaker=str(row["speaker_id"]), **told)


VOXPOPULI = Benchmark(
    name="voxpopuli",
    title="VoxPopuli",
    kind="asr",
    language="en",
    languages=LANGUAGES,
    licence="CC0 1.0",
    source="github.com/facebookresearch/voxpopuli",
    splits={"test": None, "dev": None},
    layout="transcribed_data/en/asr_test.tsv and transcribed_data/en/YEAR/NAME.ogg",
    read=_read,
    hub=HubDataset(
        "facebook/voxpopuli",
        "refs/convert/parquet",
        locate=lambda part: (part["language"], {"dev": "validation"}.get(part["split"], "test")),
        convert_row=lambda row: _make_utterance(row["audio_id"], row, row["audio"]),
    ),
    task_options={"cluster": "speaker"},
)
