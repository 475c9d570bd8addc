"""Files that merging reads and writes beside those of an ordinary run."""

from __future__ import annotations

from pathlib import Path

from auricle.core.files import read_regular_file, write_atomically
from auricle.core.storage import Storage
from auricle.runs.run_spec import SPEC_FILE

SUMS_FILE = "sums.bin"
"""Sums of a shard, or of a merged run that does not fit into memory."""
IDS_FILE = "ids.bin"
"""Digests of the ids of a shard, by which repeated ids in other shards are noticed."""
DUPLICATES_FILE = "duplicates.jsonl"
"""The rows that were rejected because their id occurs in an earlier shard."""


def read_merged_sums(path: Path) -> bytes | None:
    """Return the sums of a merged run; None if it has none, because its samples fit into memory."""
    try:
        return read_regular_file(path / SUMS_FILE)
    except FileNotFoundError:
        return None


def copy_spec(storage: Storage, folder: Path) -> None:
    """Copy the spec of a sharded run to the folder of the merged run, unless it is there."""
    if not (folder / SPEC_FILE).exists():
        write_atomically(folder / SPEC_FILE, storage.read(SPEC_FILE))
