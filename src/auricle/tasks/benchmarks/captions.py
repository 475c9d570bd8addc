"""Sounds to be described: Clotho and AudioCaps, five references a recording."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from auricle.core.types import RejectedRow
from auricle.data.row_files import Row
from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Item, Items, find_below, make_item, not_found_error
from auricle.tasks.benchmarks.tables import Values, convert_table, split_valid_rows
from auricle.tasks.folder_scan import AUDIO_SUFFIXES, iter_files

TASK_OPTIONS = {
    "question": "Describe this audio in one sentence.",
    "metrics": ["cider", "rouge_l", "bleu", "chrf"],
    "max_tokens": 128,
}
CAPTION_COLUMNS = tuple(f"caption_{number}" for number in range(1, 6))


def _read_clotho(root: Path, part: BenchmarkPart) -> Items:
    split = part["split"]
    listed = find_below(root, f"clotho_captions_{split}.csv")
    sounds = find_below(root, split, f"clotho_audio_{split}/{split}", f"clotho_audio_{split}")

    def make(row: Values) -> Item:
        name = row["file_name"]
        return make_item(Path(name).stem, sounds / name, [row[each] for each in CAPTION_COLUMNS])

    return convert_table(listed, make)


CLOTHO = Benchmark(
    name="clotho",
    title="Clotho",
    kind="qa",
    language="en",
    licence="captions: academic, non-commercial; sounds: Creative Commons",
    source="doi.org/10.5281/zenodo.3490684",
    splits={"evaluation": 1045, "validation": 1045, "development": None},
    layout="clotho_captions_evaluation.csv and evaluation/",
    read=_read_clotho,
    task_options=TASK_OPTIONS,
)


def _read_audiocaps(root: Path, part: BenchmarkPart) -> Items:
    """`test.csv`, and sounds called by their YouTube id, as everybody names them otherwise."""
    listed = find_below(root, f"{part['split']}.csv", f"dataset/{part['split']}.csv")
    there = {path.stem: path for path in iter_files(root, AUDIO_SUFFIXES)}
    if not there:
        raise not_found_error(root, "recordings called by their YouTube id, such as YOUTUBE_ID.wav,")
    rows, rejected = split_valid_rows(listed, "youtube_id", "start_time", "caption")
    yield from rejected
    for (clip, start), those in groupby(sorted(rows, key=_clip_key), key=_clip_key):
        captions = [row.values["caption"] for row in those]
        names = (clip, f"Y{clip}", f"{clip}_{start}", f"Y{clip}_{start}", f"{clip}_{start}000")
        sound = next((there[name] for name in names if name in there), None)
        if sound is None:
            yield RejectedRow(f"{listed.name}, {clip}", f"no recording of {clip}")
        else:
            yield make_item(clip, sound, captions)


def _clip_key(row: Row) -> tuple[str, str]:
    return str(row.values["youtube_id"]), str(row.values["start_time"])


AUDIOCAPS = Benchmark(
    name="audiocaps",
    title="AudioCaps",
    kind="qa",
    language="en",
    licence="MIT (captions)",
    source="github.com/cdjkim/audiocaps",
    splits={"test": 975, "val": 495},
    layout="test.csv and YOUTUBE_ID.wav in any folder",
    read=_read_audiocaps,
    task_options=TASK_OPTIONS,
)
