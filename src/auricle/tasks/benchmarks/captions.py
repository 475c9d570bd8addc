"""Sounds to be described: Clotho and AudioCaps, five references a recording."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from auricle.core.types import Rejected
from auricle.data.rows import Row
from auricle.tasks.benchmarks.base import Benchmark, Item, Items, Part, below, item, missing
from auricle.tasks.benchmarks.tables import Values, made, sorted_out
from auricle.tasks.recordings import SOUNDS, files

ASKING = {
    "question": "Describe this audio in one sentence.",
    "metrics": ["cider", "rouge_l", "bleu", "chrf"],
    "max_tokens": 128,
}
CAPTIONS = tuple(f"caption_{number}" for number in range(1, 6))


def _clotho(root: Path, part: Part) -> Items:
    split = part["split"]
    listed = below(root, f"clotho_captions_{split}.csv")
    sounds = below(root, split, f"clotho_audio_{split}/{split}", f"clotho_audio_{split}")

    def make(row: Values) -> Item:
        name = row["file_name"]
        return item(Path(name).stem, sounds / name, [row[each] for each in CAPTIONS])

    return made(listed, make)


CLOTHO = Benchmark(
    name="clotho",
    title="Clotho",
    kind="qa",
    language="en",
    licence="captions: academic, non-commercial; sounds: Creative Commons",
    source="doi.org/10.5281/zenodo.3490684",
    splits={"evaluation": 1045, "validation": 1045, "development": None},
    layout="clotho_captions_evaluation.csv and evaluation/",
    read=_clotho,
    asking=ASKING,
)


def _audiocaps(root: Path, part: Part) -> Items:
    """`test.csv`, and sounds called by their YouTube id, as everybody names them otherwise."""
    listed = below(root, f"{part['split']}.csv", f"dataset/{part['split']}.csv")
    there = {path.stem: path for path in files(root, SOUNDS)}
    if not there:
        raise missing(root, "recordings called by their YouTube id, such as YOUTUBE_ID.wav,")
    rows, rejected = sorted_out(listed, "youtube_id", "start_time", "caption")
    yield from rejected
    for (clip, start), those in groupby(sorted(rows, key=_clip), key=_clip):
        captions = [row.values["caption"] for row in those]
        names = (clip, f"Y{clip}", f"{clip}_{start}", f"Y{clip}_{start}", f"{clip}_{start}000")
        sound = next((there[name] for name in names if name in there), None)
        if sound is None:
            yield Rejected(f"{listed.name}, {clip}", f"no recording of {clip}")
        else:
            yield item(clip, sound, captions)


def _clip(row: Row) -> tuple[str, str]:
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
    read=_audiocaps,
    asking=ASKING,
)
