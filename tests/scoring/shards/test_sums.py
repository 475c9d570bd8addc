"""The sums of a shard."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from auricle.core.types import Record
from auricle.metrics.base import Metric
from auricle.scoring.shards.buckets import BUCKETS, GROUP_BUCKETS, digest_texts
from auricle.scoring.shards.sums import COUNTS, Cells, ShardSums, make_keys
from tests.support.sharded_runs import NO_FACTS, score_all


def build(metrics: Sequence[Metric], records: Sequence[Record]) -> ShardSums:
    ids = [record.sample.id for record in records]
    return ShardSums.build(score_all(metrics, records), digest_texts(ids), NO_FACTS)


def test_the_order_in_which_samples_finished_changes_nothing(metrics: Sequence[Metric], records: list[Record]) -> None:
    few = records[:300]
    first, second = build(metrics, few), build(metrics, few[::-1])
    for name, array in first.arrays.items():
        if name.startswith("0/unit:"):
            np.testing.assert_array_equal(array, second.arrays[name])


def test_samples_without_a_cluster_are_in_the_bucket_of_their_id(
    metrics: Sequence[Metric], records: list[Record]
) -> None:
    few = [replace(record, sample=replace(record.sample, meta={})) for record in records[:50]]
    few[0] = records[0]
    sums = build(metrics, few)
    assert sums.document["units"] == ["speaker"]
    by_id, by_speaker = (sums.arrays[f"3/unit:{unit}/keys"] for unit in ("", "speaker"))
    assert len(set(by_id.tolist()) - set(by_speaker.tolist())) <= 1 + 4


def test_groups_have_fewer_buckets_than_all_samples() -> None:
    keys = make_keys(np.array([0, 1, 2]), np.array([4095, 4095, 0]))
    assert keys.tolist() == [4095, BUCKETS + GROUP_BUCKETS - 1, BUCKETS + GROUP_BUCKETS]


def test_members_of_groups_are_counted(metrics: Sequence[Metric], records: list[Record]) -> None:
    table = score_all(metrics, records[:40])
    cells = Cells.of(table)
    counts = cells.count(np.arange(40))
    assert counts[0] == 40
    assert counts[cells.names.index(("subset", "a"))] == sum(r.sample.meta["subset"] == "a" for r in records[:40])
    sums = build(metrics, records[:40])
    assert sums.list_arrays()[0]["counts"][0, COUNTS.index("members")] == 40


def test_an_empty_shard_has_sums(metrics: Sequence[Metric]) -> None:
    sums = ShardSums.from_bytes(build(metrics, []).to_bytes())
    assert sums.document["total"] == 0
