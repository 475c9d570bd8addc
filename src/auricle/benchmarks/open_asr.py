"""Test sets of the Open ASR Leaderboard and of ESB, as published on Hugging Face."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from auricle.benchmarks.base import Benchmark, HubDataset, make_item
from auricle.benchmarks.sources import BenchmarkPart, Item, Items, convert_table, not_found_error

IGNORED = ("", "ignore time segment in scoring", "ignore_time_segment_in_scoring")
SETS = {"librispeech-clean": ("librispeech", "test.clean"), "librispeech-other": ("librispeech", "test.other")}
LEADERBOARD_SETS = (
    *("ami_cleaned", "earnings22", "gigaspeech_cleaned", "librispeech-clean"),
    *("librispeech-other", "spgispeech", "voxpopuli_cleaned_aa"),
)
ESB_SETS = (
    *("ami", "earnings22", "gigaspeech", "librispeech-clean", "librispeech-other"),
    *("spgispeech", "tedlium", "voxpopuli"),
)


def _config_and_split(part: BenchmarkPart) -> tuple[str, str]:
    return SETS.get(part["set"], (part["set"], "test"))


def _convert_row(row: Mapping[str, Any]) -> Item | None:
    """Convert a row; return None for rows that the leaderboard does not score."""
    text = str(row["text"] or "").strip()
    if text.lower() in IGNORED:
        return None
    return make_item(str(row["id"]), row["audio"], text, dataset=row.get("dataset") or "")


def _read(root: Path, part: BenchmarkPart) -> Items:
    """Read a clone of the repository: one folder of Parquet files per set."""
    config, split = _config_and_split(part)
    shards = sorted(root.glob(f"**/{config}/{split}-*.parquet"))
    if not shards:
        raise not_found_error(root, f"{config}/{split}-*.parquet")
    return chain.from_iterable(convert_table(shard, _convert_row) for shard in shards)


_hub = partial(HubDataset, locate=_config_and_split, convert_row=_convert_row)
_benchmark = partial(
    Benchmark,
    kind="asr",
    language="en",
    licence="that of each set",
    splits={"test": None},
    layout="ami/test-00000-of-00003.parquet, a folder for each set",
    read=_read,
)

OPEN_ASR = _benchmark(
    name="open-asr",
    title="Open ASR Leaderboard",
    source="huggingface.co/datasets/hf-audio/open-asr-leaderboard",
    citation="Srivastav et al., arXiv:2510.06961",
    options={"set": LEADERBOARD_SETS},
    hub=_hub("hf-audio/open-asr-leaderboard", "b6bdcd0beb34f8975dc659796176d88f43aff502"),
)

ESB = _benchmark(
    name="esb",
    title="ESB",
    source="huggingface.co/datasets/hf-audio/esb-datasets-test-only-sorted",
    citation="Gandhi et al., arXiv:2210.13352",
    options={"set": ESB_SETS},
    hub=_hub("hf-audio/esb-datasets-test-only-sorted", None),
)
