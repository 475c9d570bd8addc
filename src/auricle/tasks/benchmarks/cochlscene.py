"""CochlScene: thirteen acoustic scenes."""

from __future__ import annotations

from pathlib import Path

from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Items, about, find_below, make_item, not_found_error
from auricle.tasks.benchmarks.label_folders import format_label, iter_labelled_files
from auricle.tasks.benchmarks.questions import SCENE_QUESTION

SCENES = (
    "Bus", "Cafe", "Car", "CrowdedIndoor", "Elevator", "Kitchen", "Park", "ResidentialArea",
    "Restaurant", "Restroom", "Street", "Subway", "SubwayStation",
)  # fmt: skip


def _read(root: Path, part: BenchmarkPart) -> Items:
    """Read files such as `Test/Bus/….wav`, whose folder is the scene."""
    split = part["split"].capitalize()
    folder = find_below(root, f"CochlScene/{split}", split)
    scenes = {scene.lower(): scene for scene in SCENES}
    names = sorted(path.name for path in folder.iterdir() if path.name.lower() in scenes)
    if not names:
        raise not_found_error(folder, "scene folders")
    for name, path in iter_labelled_files(folder, names):
        yield make_item(f"{name}/{path.stem}", path, format_label(scenes[name.lower()]))


COCHLSCENE = Benchmark(
    **about("cochlscene", "CochlScene", "classify"),
    source="doi.org/10.5281/zenodo.7080122",
    splits={"test": None, "val": None, "train": None},
    layout="CochlScene/Test/Bus/NAME.wav",
    read=_read,
    task_options={"labels": [format_label(scene) for scene in SCENES], "question": SCENE_QUESTION},
)
