"""Workers of a sharded run are killed and suspended beyond their lease: every row counts once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from auricle.runs.shards.store import ShardStore
from tests.support.shard_kills import Disturbance, WorkerPool
from tests.support.shards import make_parts

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
    pytest.mark.skipif(sys.platform == "win32", reason="needs fork and signals that suspend"),
]


def test_every_row_counts_once_whatever_happens_to_the_workers(tmp_path: Path) -> None:
    shards, rows = 24, 80
    for name in ("calm", "rough"):
        ShardStore.create(tmp_path / name, make_parts(shards, rows))
    calm = WorkerPool(tmp_path / "calm", 4, 0.0, Disturbance(interval=0.02)).run()
    disturbance = Disturbance(kills=20, pauses=5, term=0.6, interval=0.04)
    rough = WorkerPool(tmp_path / "rough", 6, 0.005, disturbance).run()
    assert rough.kills + rough.pauses >= 15  # on a very fast machine the workers may finish before the rest
    assert (rough.rows, rough.twice, rough.lost) == (shards * rows, 0, 0)
    assert rough.epochs >= shards + 10  # most signals interrupted an epoch
    assert rough.zombies
    assert rough.digest == calm.digest
    assert (calm.attempts, calm.unused) == (shards * rows, 0)
