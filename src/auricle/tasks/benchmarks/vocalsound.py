"""VocalSound: laughter, sighs, coughs, throat clearing, sneezes and sniffs."""

from __future__ import annotations

from pathlib import Path

from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Item, Items, about, find_below, make_item
from auricle.tasks.benchmarks.questions import VOCAL_SOUND_QUESTION
from auricle.tasks.benchmarks.tables import Values, convert_table

VOCAL_SOUNDS = {
    "/m/01j3sz": "laughter",
    "/m/07plz5l": "sigh",
    "/m/01b_21": "cough",
    "/m/0dl9sf8": "throat clearing",
    "/m/01hsr_": "sneeze",
    "/m/07ppn3j": "sniff",
}
DATAFILES = {"test": "te.json", "validation": "val.json", "train": "tr.json"}


def _read(root: Path, part: BenchmarkPart) -> Items:
    folder = find_below(root, "data/datafiles", "datafiles").parent
    audio_folder = find_below(folder, "audio_16k", "audio_44k")
    table = find_below(folder, f"datafiles/{DATAFILES[part['split']]}")

    def convert(row: Values) -> Item:
        name = str(row["wav"]).rpartition("/")[2]
        label = VOCAL_SOUNDS.get(row["labels"], row["labels"])
        speaker = name.partition("_")[0]
        sex = {"f": "female", "m": "male"}.get(speaker[:1], "")
        return make_item(Path(name).stem, audio_folder / name, label, speaker=speaker, sex=sex)

    return convert_table(table, convert)


VOCALSOUND = Benchmark(
    **about("vocalsound", "VocalSound", "classify", licence="CC BY-SA 4.0"),
    source="github.com/YuanGongND/vocalsound",
    splits={"test": 3594, "validation": 1860, "train": 15_570},
    layout="datafiles/te.json and audio_16k/f0003_0_cough.wav",
    read=_read,
    task_options={
        "labels": list(VOCAL_SOUNDS.values()),
        "question": VOCAL_SOUND_QUESTION,
        "cluster": "speaker",
        "by": ["sex"],
    },
)
