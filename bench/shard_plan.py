"""Plan a sharded run over 100 million rows: how long it takes, and how much memory.

The files are sparse: planning reads their sizes, and the first bytes of one of them.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from auricle.data.parts import plan_parts
from auricle.data.sources import DataSource
from auricle.runs.shards.store import ShardStore

ROW_BYTES = 140
MAX_SECONDS, MAX_MEGABYTES = 10.0, 100.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--rows-per-shard", type=int, default=1000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data")
        data.mkdir()
        for index in range(arguments.files):
            path = data / f"part-{index:05d}.jsonl"
            path.touch()
            os.truncate(path, arguments.rows // arguments.files * ROW_BYTES)
        before, slowest = peak_megabytes(), 0.0
        for name in ("first", "again"):
            started_at = time.perf_counter()
            parts = plan_parts(DataSource(str(data)), arguments.rows_per_shard * ROW_BYTES)
            store = ShardStore.create(Path(folder, "run"), parts)
            planned = time.perf_counter() - started_at
            slowest = max(slowest, planned)
            unfinished = store.read_states()
            scanned = time.perf_counter() - started_at - planned
            print(
                f"{name}: {arguments.rows:,} rows in {arguments.files:,} files planned as {store.plan.count:,} shards "
                f"in {planned:.2f} s; states of {unfinished.count:,} shards read in {scanned:.2f} s"
            )
        print(f"memory: {peak_megabytes():.0f} MB at most, of which {before:.0f} MB before planning")
    is_met = slowest < MAX_SECONDS and peak_megabytes() < MAX_MEGABYTES
    print(f"target: {MAX_SECONDS:.0f} s and {MAX_MEGABYTES:.0f} MB: {'met' if is_met else 'missed'}")
    return 0 if is_met else 1


def peak_megabytes() -> float:
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


if __name__ == "__main__":
    sys.exit(main())
