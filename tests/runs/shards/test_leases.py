"""Leases of shards, and their renewal."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from auricle.core.errors import DataError, StorageUnavailable
from auricle.core.local_storage import LocalStorage
from auricle.core.storage import ObjectInfo
from auricle.runs.shards.leases import Lease, LeaseKeeper, LeaseLost, exists, lease_path, parse_lease_path, read_holder


@pytest.fixture
def storage(tmp_path: Path) -> LocalStorage:
    return LocalStorage(tmp_path)


def acquire(storage: LocalStorage, epoch: int = 1, term: float = 60.0) -> Lease:
    lease = Lease.acquire(storage, 17, epoch, "worker-3", term)
    assert lease
    return lease


def test_a_lease_states_who_has_it_and_since_when(storage: LocalStorage) -> None:
    lease = acquire(storage)
    created = storage.head(lease_path(17, 1)).modified
    lease.renew()
    holder = read_holder(storage, 17, 1)
    assert (holder.worker, holder.term, holder.acquired_at) == ("worker-3", 60.0, created)


def test_renewing_makes_a_lease_younger(storage: LocalStorage) -> None:
    lease = acquire(storage)
    before = storage.head(lease_path(17, 1)).modified
    lease.renew()
    lease.renew()
    assert storage.head(lease_path(17, 1)).modified > before


def test_a_lease_is_lost_when_the_next_epoch_begins(storage: LocalStorage) -> None:
    lease = acquire(storage)
    acquire(storage, epoch=2)
    with pytest.raises(LeaseLost, match="taken over shard 17"):
        lease.renew()


def test_a_lease_that_was_replaced_is_lost(storage: LocalStorage) -> None:
    lease = acquire(storage)
    storage.write(lease_path(17, 1), b"{}")
    with pytest.raises(LeaseLost, match="changed or deleted"):
        lease.renew()


def test_a_release_is_visible_in_the_list_of_names(storage: LocalStorage) -> None:
    acquire(storage).release()
    assert [parse_lease_path(info.path) for info in storage.list("leases")] == [(17, 1, False), (17, 1, True)]


@pytest.mark.parametrize("path", ["leases/x", "leases/1", "done/1.2", "leases/1.2.other"])
def test_other_paths_are_no_leases(path: str) -> None:
    assert parse_lease_path(path) is None


@pytest.mark.parametrize("content", [b"", b"[]", b'{"worker": 3}'])
def test_a_damaged_lease_is_reported(storage: LocalStorage, content: bytes) -> None:
    storage.write(lease_path(17, 1), content)
    with pytest.raises(DataError, match=r"leases/00017\.1 cannot be read"):
        read_holder(storage, 17, 1)


class UnreliableStorage(LocalStorage):
    """Refuses the first replacements."""

    refusals = 2

    def replace(self, path: str, content: bytes, etag: str) -> ObjectInfo:
        if self.refusals:
            self.refusals -= 1
            raise StorageUnavailable("try later")
        return super().replace(path, content, etag)


def test_a_keeper_renews_also_after_the_store_was_unavailable(tmp_path: Path) -> None:
    storage = UnreliableStorage(tmp_path)
    lease = acquire(storage, term=0.03)
    created = storage.head(lease_path(17, 1)).modified
    with LeaseKeeper(lease, lambda: None) as keeper:
        deadline = time.monotonic() + 10
        while storage.head(lease_path(17, 1)).modified == created and time.monotonic() < deadline:
            time.sleep(0.01)
    assert storage.head(lease_path(17, 1)).modified > created
    assert not keeper.lost


def test_a_keeper_reports_that_its_lease_is_lost(storage: LocalStorage) -> None:
    lost = threading.Event()
    with LeaseKeeper(acquire(storage, term=0.03), lost.set) as keeper:
        acquire(storage, epoch=2)
        assert lost.wait(10)
    assert keeper.lost


def test_an_object_exists_or_not(storage: LocalStorage) -> None:
    assert not exists(storage, "a")
    storage.write("a", b"")
    assert exists(storage, "a")
