"""Shards of several runs, collected in one."""

from pathlib import Path

import pytest

from auricle.core.errors import RunMismatch
from auricle.engine.shards.worker import ShardWorker, StopSignal, WorkerOptions
from auricle.runs.shards.collection import collect_shards
from auricle.runs.shards.store import ShardStore
from tests.support.shards import FakeProcess, expected_ids, iter_counted_ids, make_parts


def process_some(folder: Path, index: int, of: int) -> ShardStore:
    store = ShardStore.create(folder, make_parts(5, 3))
    store.storage.create("spec.json", b"{}")
    options = WorkerOptions(name=f"worker-{index}", shard_filter=(index, of))
    ShardWorker(store, FakeProcess(f"worker-{index}"), options).run(StopSignal())
    return store


def test_all_shards_are_in_the_new_folder_and_the_old_ones_are_unchanged(tmp_path: Path) -> None:
    stores = [process_some(tmp_path / str(index), index, 2) for index in range(2)]
    merged = collect_shards(stores, tmp_path / "all")
    assert [*iter_counted_ids(merged)] == expected_ids(merged)
    assert len([*merged.completions()]) == 5
    assert [len([*store.completions()]) for store in stores] == [3, 2]
    assert merged.storage.read("spec.json") == b"{}"


def test_the_first_run_is_the_default_and_collecting_again_copies_nothing(tmp_path: Path) -> None:
    stores = [process_some(tmp_path / str(index), index, 2) for index in range(2)]
    assert collect_shards(stores) is stores[0]
    epochs = [completion.epoch for completion in stores[0].completions()]
    collect_shards(stores)
    assert [completion.epoch for completion in stores[0].completions()] == epochs
    assert [*iter_counted_ids(stores[0])] == expected_ids(stores[0])


def test_different_data_is_refused(tmp_path: Path) -> None:
    first = process_some(tmp_path / "a", 0, 1)
    other = ShardStore.create(tmp_path / "b", make_parts(4, 3))
    with pytest.raises(RunMismatch, match="have different shards"):
        collect_shards([first, other])
    with pytest.raises(RunMismatch, match="contains a different run"):
        collect_shards([first], tmp_path / "b")
