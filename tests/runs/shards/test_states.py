"""States of shards from lists of names."""

from __future__ import annotations

from pathlib import Path

import pytest

from auricle.core.local_storage import LocalStorage
from auricle.runs.shards.completions import completion_path
from auricle.runs.shards.leases import Lease, lease_path
from auricle.runs.shards.states import ShardStates


@pytest.fixture
def storage(tmp_path: Path) -> LocalStorage:
    return LocalStorage(tmp_path)


def test_the_latest_generation_and_epoch_of_each_shard_count(storage: LocalStorage) -> None:
    for generation in (1, 2, 10):
        storage.write(completion_path(1, generation), b"{}")
    for epoch in (2, 9, 10):
        Lease.acquire(storage, 2, epoch, "worker", 60.0)
    states = ShardStates(storage, 4)
    assert [*states.generations] == [0, 10, 0, 0]
    assert [*states.epochs] == [0, 0, 10, 0]
    assert states.completed_at[1] == storage.head(completion_path(1, 10)).modified
    assert states.renewed_at[2] == storage.head(lease_path(2, 10)).modified


def test_a_released_lease_is_free_until_the_next_epoch(storage: LocalStorage) -> None:
    lease = Lease.acquire(storage, 0, 1, "worker", 60.0)
    assert lease
    assert ShardStates(storage, 1).is_leased(0, term=60)
    lease.release()
    assert not ShardStates(storage, 1).is_leased(0, term=60)
    Lease.acquire(storage, 0, 2, "worker", 60.0)
    assert ShardStates(storage, 1).is_leased(0, term=60)


def test_the_term_is_that_of_the_holder(storage: LocalStorage) -> None:
    Lease.acquire(storage, 0, 1, "patient", 1000.0)
    Lease.acquire(storage, 1, 1, "hasty", 1.0)
    states = ShardStates(storage, 3)
    states.now += 100
    assert [states.is_leased(shard, term=10) for shard in range(3)] == [True, False, False]


@pytest.mark.parametrize("content", [None, b"", b"{}"])
def test_a_damaged_lease_does_not_block_its_shard(storage: LocalStorage, content: bytes | None) -> None:
    Lease.acquire(storage, 0, 1, "worker", 60.0)
    states = ShardStates(storage, 1)
    states.now += 100
    if content is None:
        storage.delete(lease_path(0, 1))
    else:
        storage.write(lease_path(0, 1), content)
    assert not states.is_leased(0, term=10)


def test_other_names_and_numbers_beyond_the_plan_are_ignored(storage: LocalStorage) -> None:
    for path in ("done/x", "done/00007", "leases/x", "leases/00007.1"):
        storage.write(path, b"{}")
    states = ShardStates(storage, 2)
    assert [*states.generations, *states.epochs] == [0] * 4
