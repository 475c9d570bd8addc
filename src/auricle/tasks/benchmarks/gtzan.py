"""GTZAN: ten genres of music."""

from __future__ import annotations

from pathlib import Path

from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Items, about, find_below, make_item, not_found_error
from auricle.tasks.benchmarks.label_folders import iter_labelled_files

GENRES = {
    "blues": "12-28 61-72 98-99",
    "classical": "11-29 34-41 49 77-79",
    "country": "30-40 43-44 46-48 50-51 53-64",
    "disco": "1 21 58 62-66 69 76-88 91-94 96-97 99",
    "hiphop": "0 26-27 30 40 43-45 51-54 62-75 99",
    "jazz": "73-99",
    "metal": "12-15 22-23 25-33 38-39 67 70 73-75 78 83 85 87-88",
    "pop": "0-1 13-14 43 63-66 69-79 82 88-96",
    "reggae": "34-40 46-48 52-53 64-68 71 79 82-84 87-90",
    "rock": "10-15 27-37 39-48 86-90",
}
"""File numbers of the fault-filtered test split of Kereliuk, Sturm and Larsen (2015)."""


def _read(root: Path, part: BenchmarkPart) -> Items:
    folder = find_below(root, "Data/genres_original", "genres_original", "genres", "")
    if not (folder / "blues").is_dir():
        raise not_found_error(folder, "blues/blues.00000.wav")
    for genre, path in iter_labelled_files(folder, list(GENRES)):
        number = path.stem.rpartition(".")[2]
        if number.isdigit() and (part["split"] == "all" or int(number) in _expand_ranges(GENRES[genre])):
            yield make_item(path.stem, path, genre)


def _expand_ranges(ranges: str) -> set[int]:
    spans = [text.partition("-") for text in ranges.split()]
    return {number for low, _, high in spans for number in range(int(low), int(high or low) + 1)}


GTZAN = Benchmark(
    **about("gtzan", "GTZAN", "classify"),
    source="marsyas.info/downloads/datasets.html",
    splits={"test": 290, "all": 1000},
    layout="genres/blues/blues.00000.wav (or .au)",
    read=_read,
    task_options={"labels": list(GENRES), "question": "Which genre is this music?"},
)
