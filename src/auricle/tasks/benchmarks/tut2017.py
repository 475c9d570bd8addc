"""TUT Acoustic Scenes 2017: fifteen acoustic scenes (evaluation set)."""

from __future__ import annotations

from pathlib import Path

from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Items, about, find_below, make_item, read_lines
from auricle.tasks.benchmarks.label_folders import format_label
from auricle.tasks.benchmarks.questions import SCENE_QUESTION

SCENES = (
    "beach", "bus", "cafe/restaurant", "car", "city_center", "forest_path", "grocery_store",
    "home", "library", "metro_station", "office", "park", "residential_area", "train", "tram",
)  # fmt: skip


def _read(root: Path, _part: BenchmarkPart) -> Items:
    """Read `meta.txt`, or else the evaluation setup: file names and scenes separated by tabs."""
    folder = find_below(root, "TUT-acoustic-scenes-2017-evaluation", "")
    table = find_below(folder, "meta.txt", "evaluation_setup/evaluate.txt")
    for line in read_lines(table):
        name, label, *_ = line.split("\t") if "\t" in line else line.split()
        yield make_item(Path(name).stem, folder / name, format_label(label))


TUT2017 = Benchmark(
    **about("tut2017", "TUT Acoustic Scenes 2017", "classify", licence="academic, non-commercial"),
    source="doi.org/10.5281/zenodo.1040168",
    splits={"evaluation": 1620},
    layout="TUT-acoustic-scenes-2017-evaluation/meta.txt and audio/",
    read=_read,
    task_options={"labels": [format_label(scene) for scene in SCENES], "question": SCENE_QUESTION},
)
