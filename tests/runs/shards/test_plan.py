"""Plans of sharded runs: their lines, and how they follow the data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from auricle.core.errors import DataError, RunMismatch
from auricle.core.local_storage import LocalStorage
from auricle.core.storage import ObjectInfo, Storage, open_storage
from auricle.data.parts import DataPart
from auricle.runs.shards.plan import PLAN_FILE, ShardPlan

PARTS = [
    DataPart("a.jsonl", "bytes", 0, 100, size=150, etag="1"),
    DataPart("a.jsonl", "bytes", 100, 150, size=150, etag="1"),
    DataPart("b.tar", "file", size=9, etag="x"),
]


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    return open_storage(tmp_path)


def test_a_plan_is_read_as_it_was_written(storage: Storage) -> None:
    plan = ShardPlan.create(storage, PARTS)
    assert [shard.part for shard in plan] == PARTS
    assert [shard.name for shard in plan] == ["00000", "00001", "00002"]
    assert len(plan) == plan.count == 3
    assert plan[1].part == PARTS[1]
    assert ShardPlan.load(storage).digest == plan.digest


def test_a_second_plan_of_the_same_data_changes_nothing(storage: Storage) -> None:
    ShardPlan.create(storage, PARTS)
    etag = storage.head(PLAN_FILE).etag
    ShardPlan.create(storage, PARTS)
    assert storage.head(PLAN_FILE).etag == etag


def test_added_files_become_further_shards(storage: Storage) -> None:
    before = ShardPlan.create(storage, PARTS)
    after = ShardPlan.create(storage, [*PARTS, DataPart("c.tar", "file", size=3, etag="y")])
    assert after.count == 4
    assert after[3].part.source == "c.tar"
    assert after.digest != before.digest


def test_a_changed_file_opens_its_shards_again(storage: Storage) -> None:
    before = ShardPlan.create(storage, PARTS)
    after = ShardPlan.create(storage, [*PARTS[:2], replace(PARTS[2], size=12, etag="z")])
    assert [shard.generation for shard in after] == [1, 1, 2]
    assert after[2].part.size == 12
    assert after.digest == before.digest


def test_the_last_part_of_a_file_reaches_to_its_end_also_when_the_file_changes(storage: Storage) -> None:
    ShardPlan.create(storage, PARTS)
    longer = [replace(PARTS[0], size=160, etag="2"), replace(PARTS[1], end=160, size=160, etag="2"), PARTS[2]]
    assert [shard.generation for shard in ShardPlan.create(storage, longer)] == [2, 2, 1]


def test_the_last_part_of_a_file_of_lines_grows_with_it(storage: Storage) -> None:
    before = ShardPlan.create(storage, PARTS)
    cuts = [(0, 100), (100, 200), (200, 290)]
    longer = [DataPart("a.jsonl", "bytes", start, end, size=290, etag="2") for start, end in cuts]
    after = ShardPlan.create(storage, [*longer, PARTS[2], DataPart("c.tar", "file", size=3, etag="y")])
    parts = [(shard.number, shard.part.source, shard.part.start, shard.part.end) for shard in after]
    assert parts == [(0, "a.jsonl", 0, 100), (1, "a.jsonl", 100, 290), (2, "b.tar", 0, None), (3, "c.tar", 0, None)]
    assert [shard.generation for shard in after] == [2, 2, 1, 1]
    assert before.count == 3


@pytest.mark.parametrize(
    ("parts", "difference"),
    [
        (PARTS[:2], "b.tar was removed"),
        ([PARTS[2], *PARTS[:2]], "shard 0 was a.jsonl bytes 0 to 100, now b.tar file 0 to end"),
        ([DataPart("a.jsonl", "bytes", 0, 100, size=100)], "a.jsonl has shrunk"),
        ([*PARTS, DataPart("b.tar", "rows", 1)], "b.tar has grown"),
    ],
)
def test_another_cut_is_another_run(storage: Storage, parts: list[DataPart], difference: str) -> None:
    ShardPlan.create(storage, PARTS)
    with pytest.raises(RunMismatch, match=difference):
        ShardPlan.create(storage, parts)


def test_data_without_parts_is_refused(storage: Storage) -> None:
    with pytest.raises(DataError, match="empty"):
        ShardPlan.create(storage, [])


def test_a_folder_without_a_plan_is_no_sharded_run(storage: Storage) -> None:
    with pytest.raises(DataError, match=r"has no plan\.jsonl"):
        ShardPlan.load(storage)


@pytest.mark.parametrize("line", [b"{", b"[]\n", b'{"number": 0}\n', b"\xff\n"])
def test_a_damaged_plan_is_reported(storage: Storage, line: bytes) -> None:
    storage.write(PLAN_FILE, line)
    with pytest.raises(DataError, match="damaged"):
        ShardPlan.load(storage)


def test_a_number_beyond_the_plan_is_an_error(storage: Storage) -> None:
    with pytest.raises(IndexError, match="no shard 3"):
        ShardPlan.create(storage, PARTS)[3]


def test_secrets_of_signed_urls_are_not_stored(storage: Storage) -> None:
    parts = [
        DataPart(f"https://host/a.tar?X-Amz-Signature={secret}", "file") for secret in ("0123456789", "abcdefghij")
    ]
    ShardPlan.create(storage, parts[:1])
    assert b"0123456789" not in storage.read(PLAN_FILE)
    assert ShardPlan.create(storage, parts[1:]).count == 1  # signed again


class ContestedStorage(LocalStorage):
    """Another process adapts the plan before this one does."""

    is_contested = True

    def replace(self, path: str, content: bytes, etag: str) -> ObjectInfo:
        if self.is_contested:
            self.is_contested = False
            super().replace(path, content, etag)
        return super().replace(path, content, etag)


def test_of_several_processes_that_adapt_a_plan_one_does(tmp_path: Path) -> None:
    storage = ContestedStorage(tmp_path)
    ShardPlan.create(storage, PARTS)
    plan = ShardPlan.create(storage, [*PARTS[:2], replace(PARTS[2], etag="z")])
    assert [shard.generation for shard in plan] == [1, 1, 2]  # not opened twice
