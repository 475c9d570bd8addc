"""Clotho: audio captioning, five references per recording."""

from __future__ import annotations

from pathlib import Path

from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Item, Items, about, find_below, make_item
from auricle.tasks.benchmarks.questions import CAPTION_OPTIONS
from auricle.tasks.benchmarks.tables import Values, convert_table

CAPTION_COLUMNS = tuple(f"caption_{number}" for number in range(1, 6))


def _read(root: Path, part: BenchmarkPart) -> Items:
    split = part["split"]
    table = find_below(root, f"clotho_captions_{split}.csv")
    audio_folder = find_below(root, split, f"clotho_audio_{split}/{split}", f"clotho_audio_{split}")

    def convert(row: Values) -> Item:
        name = row["file_name"]
        return make_item(Path(name).stem, audio_folder / name, [row[column] for column in CAPTION_COLUMNS])

    return convert_table(table, convert)


CLOTHO = Benchmark(
    **about(
        "clotho", "Clotho", "qa", language="en", licence="captions: academic, non-commercial; sounds: Creative Commons"
    ),
    source="doi.org/10.5281/zenodo.3490684",
    splits={"evaluation": 1045, "validation": 1045, "development": None},
    layout="clotho_captions_evaluation.csv and evaluation/",
    read=_read,
    task_options=CAPTION_OPTIONS,
)
