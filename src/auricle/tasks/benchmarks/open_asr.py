"""The test sets of the Open ASR Leaderboard, as Hugging Face keeps them, and those of ESB."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from auricle.core.types import Rejected
from auricle.data.rows import Row, rows
from auricle.tasks.benchmarks.base import Benchmark, Hub, Item, Items, Part, item, missing

IGNORED = ("", "ignore time segment in scoring", "ignore_time_segment_in_scoring")
SETS = {
    "librispeech-clean": ("librispeech", "test.clean"),
    "librispeech-other": ("librispeech", "test.other"),
}
BOARD = (
    *("ami_cleaned", "earnings22", "gigaspeech_cleaned", "librispeech-clean"),
    *("librispeech-other", "spgispeech", "voxpopuli_cleaned_aa"),
)
ESB_SETS = (
    *("ami", "earnings22", "gigaspeech", "librispeech-clean", "librispeech-other"),
    *("spgispeech", "tedlium", "voxpopuli"),
)


def _at(part: Part) -> tuple[str, str]:
    return SETS.get(part["set"], (part["set"], "test"))


def _item(row: Mapping[str, Any]) -> Item | None:
    """A row with its set's name; None where the board scores nothing."""
    text = str(row["text"] or "").strip()
    if text.lower() in IGNORED:
        return None
    return item(str(row["id"]), row["audio"], text, dataset=row.get("dataset") or "")


def _read(root: Path, part: Part) -> Items:
    """A clone of the repository: Parquet files in a folder for each set."""
    config, split = _at(part)
    shards = sorted(root.glob(f"**/{config}/{split}-*.parquet"))
    if not shards:
        raise missing(root, f"{config}/{split}-*.parquet")
    for shard in shards:
        for row in rows(shard):
            found = row if isinstance(row, Rejected) else _of(row)
            if found is not None:
                yield found


def _of(row: Row) -> Item | Rejected | None:
    try:
        return _item(row.values)
    except KeyError as error:
        return Rejected(row.origin, f"no column {error}; there are {', '.join(row.values)}")


_board = partial(
    Benchmark,
    kind="asr",
    language="en",
    licence="that of each set",
    splits={"test": None},
    layout="ami/test-00000-of-00003.parquet, a folder for each set",
    read=_read,
)

OPEN_ASR = _board(
    name="open-asr",
    title="Open ASR Leaderboard",
    source="huggingface.co/datasets/hf-audio/open-asr-leaderboard",
    options={"set": BOARD},
    hub=Hub(
        "hf-audio/open-asr-leaderboard",
        "b6bdcd0beb34f8975dc659796176d88f43aff502",
        at=_at,
        item=_item,
    ),
)

ESB = _board(
    name="esb",
    title="ESB",
    source="huggingface.co/datasets/hf-audio/esb-datasets-test-only-sorted",
    options={"set": ESB_SETS},
    hub=Hub("hf-audio/esb-datasets-test-only-sorted", None, at=_at, item=_item),
)
