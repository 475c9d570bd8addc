"""The state of a sharded run, from its leases and completions."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from auricle.core.types import Record, Sample
from auricle.runs.journal import encode_record_line
from auricle.runs.run_spec import OUTPUTS_FILE
from auricle.runs.shards.completions import Completion
from auricle.runs.shards.leases import Lease
from auricle.runs.shards.status import ShardStatus, StatusReader
from auricle.runs.shards.store import ShardStore
from tests.support.shards import make_completion, make_parts

TERM = 60.0


def make_store(folder: Path, shards: int = 4) -> ShardStore:
    return ShardStore.create(folder, make_parts(shards, 10))


def complete(store: ShardStore, shard: int, **fields: Any) -> None:
    values = {"rows": 10, "answered": 10, "attempts": 10, "wall_seconds": 5.0, **fields}
    assert store.complete(replace(make_completion(shard), **values))


def read(store: ShardStore, **options: bool) -> ShardStatus:
    return StatusReader(store, **options).read(TERM)


def test_a_run_that_was_only_planned_is_open(tmp_path: Path) -> None:
    status = read(make_store(tmp_path))
    assert (status.shards, status.done, status.leased, status.expired, status.open) == (4, 0, 0, 0, 4)
    assert (status.rows, status.total, status.rate, status.eta_seconds, status.complete) == (0, None, None, None, False)


def test_shards_are_completed_leased_expired_and_open(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    complete(store, 0, failed=2, answered=8, audio_seconds=30.0, cost=0.5, currency="EUR", unused_lines=3)
    assert Lease.acquire(store.storage, 1, 1, "quick", TERM)
    assert Lease.acquire(store.storage, 2, 1, "dead", 0.0)
    released = Lease.acquire(store.storage, 3, 1, "polite", TERM)
    assert released
    released.release()
    status = StatusReader(store).read(0.0)
    assert (status.done, status.leased, status.expired, status.open) == (1, 1, 1, 1)
    assert (status.answered, status.failed, status.attempts, status.unused_lines) == (8, 2, 10, 3)
    assert (status.cost, status.currency, status.audio_seconds) == (0.5, "EUR", 30.0)
    assert [(entry.shard, entry.worker) for entry in status.active] == [(1, "quick")]


def test_samples_of_active_shards_count_and_the_total_is_estimated(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    complete(store, 0)
    assert Lease.acquire(store.storage, 1, 1, "one", TERM)
    folder = store.open_epoch(1, 1).prepare()
    reader = StatusReader(store)
    assert reader.read(TERM).rows == 10
    record = Record(sample=Sample(id="a", inputs={}, target=""), row=0, key="k")
    (folder / OUTPUTS_FILE).write_bytes(encode_record_line(record))
    status = reader.read(TERM)
    assert (status.rows, status.total) == (11, 40)
    assert status.active[0].rows == 1
    assert status.rate
    assert status.eta_seconds == (40 - 11) / status.rate


def test_only_new_completions_are_read(tmp_path: Path, monkeypatch: Any) -> None:
    store = make_store(tmp_path)
    complete(store, 0)
    reader = StatusReader(store, count_active=False)
    assert reader.read(TERM).done == 1
    complete(store, 1)
    shards_read: list[int] = []
    read_completion = store.read_completion

    def read_and_note(shard: int, generation: int) -> Completion:
        shards_read.append(shard)
        return read_completion(shard, generation)

    monkeypatch.setattr(store, "read_completion", read_and_note)
    assert reader.read(TERM).done == 2
    assert shards_read == [1]


def test_shards_that_take_much_longer_than_others_are_named(tmp_path: Path) -> None:
    store = make_store(tmp_path, 6)
    for shard, seconds in enumerate((5.0, 5.0, 6.0, 90.0)):
        complete(store, shard, wall_seconds=seconds, worker="slow" if seconds > 9 else "quick")
    status = read(store)
    assert status.shard_seconds == 5.5
    assert [(entry.shard, entry.seconds, entry.worker) for entry in status.slow] == [(3, 90.0, "slow")]
    assert status.stragglers == ()


def test_a_completed_run_has_no_rate(tmp_path: Path) -> None:
    store = make_store(tmp_path, 1)
    complete(store, 0)
    status = read(store)
    assert status.complete
    assert (status.rate, status.eta_seconds, status.total) == (None, None, 10)


def test_a_bucket_has_no_counts_of_active_shards(bucket: str) -> None:
    store = ShardStore.create(f"{bucket}/run", make_parts(1, 10))
    assert Lease.acquire(store.storage, 0, 1, "one", TERM)
    reader = StatusReader(store)
    assert reader.is_remote
    assert reader.read(TERM).active[0].rows is None


def test_samples_of_shards_that_were_given_back_count_too(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    lease = Lease.acquire(store.storage, 1, 1, "one", TERM)
    assert lease
    record = Record(sample=Sample(id="a", inputs={}, target=""), row=0, key="k")
    (store.open_epoch(1, 1).prepare() / OUTPUTS_FILE).write_bytes(encode_record_line(record))
    lease.release()
    status = read(store)
    assert (status.rows, status.leased, status.open) == (1, 0, 4)
