"""AudioCaps: audio captioning, five references per clip."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from auricle.core.types import RejectedRow
from auricle.data.file_formats import Row
from auricle.tasks.benchmarks.base import Benchmark, BenchmarkPart, Items, about, find_below, make_item, not_found_error
from auricle.tasks.benchmarks.questions import CAPTION_OPTIONS
from auricle.tasks.benchmarks.tables import split_valid_rows
from auricle.tasks.folder_scan import AUDIO_SUFFIXES, iter_files


def _read(root: Path, part: BenchmarkPart) -> Items:
    """Read `test.csv`; recordings are named by their YouTube id, in one of several usual ways."""
    table = find_below(root, f"{part['split']}.csv", f"dataset/{part['split']}.csv")
    recordings = {path.stem: path for path in iter_files(root, AUDIO_SUFFIXES)}
    if not recordings:
        raise not_found_error(root, "recordings named by their YouTube id (YOUTUBE_ID.wav)")
    rows, rejected = split_valid_rows(table, "youtube_id", "start_time", "caption")
    yield from rejected
    for (clip, start), group in groupby(sorted(rows, key=_clip_key), key=_clip_key):
        captions = [row.values["caption"] for row in group]
        names = (clip, f"Y{clip}", f"{clip}_{start}", f"Y{clip}_{start}", f"{clip}_{start}000")
        audio = next((recordings[name] for name in names if name in recordings), None)
        if audio is None:
            yield RejectedRow(f"{table.name}, {clip}", f"no recording of {clip}")
        else:
            yield make_item(clip, audio, captions)


def _clip_key(row: Row) -> tuple[str, str]:
    return str(row.values["youtube_id"]), str(row.values["start_time"])


AUDIOCAPS = Benchmark(
    **about("audiocaps", "AudioCaps", "qa", language="en", licence="MIT (captions)"),
    source="github.com/cdjkim/audiocaps",
    splits={"test": 975, "val": 495},
    layout="test.csv and YOUTUBE_ID.wav in any folder",
    read=_read,
    task_options=CAPTION_OPTIONS,
)
