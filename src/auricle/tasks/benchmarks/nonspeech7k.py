"""Nonspeech7k: human sounds that are not speech."""

from __future__ import annotations

from pathlib import Path

from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Item, Items, about, find_below, make_item
from auricle.tasks.benchmarks.questions import VOCAL_SOUND_QUESTION
from auricle.tasks.benchmarks.tables import Values, convert_table


def _read(root: Path, part: BenchmarkPart) -> Items:
    split = part["split"]
    names = (f"metadata of {split} set.csv", f"metadata_{split}.csv")
    table = find_below(root, *names, *(f"{split}/{name}" for name in names))
    audio_folder = find_below(root, split)

    def convert(row: Values) -> Item:
        name = row["Filename"]
        return make_item(Path(name).stem, audio_folder / name, str(row["Classname"]).strip().lower())

    return convert_table(table, convert)


NONSPEECH7K = Benchmark(
    **about("nonspeech7k", "Nonspeech7k", "classify"),
    source="doi.org/10.5281/zenodo.6967442",
    splits={"test": None, "train": None},
    layout="metadata of test set.csv beside test/NAME.wav",
    read=_read,
    task_options={"question": VOCAL_SOUND_QUESTION},
)
