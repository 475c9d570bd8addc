"""Tables of sums by key."""

import numpy as np

from auricle.scoring.shards.buckets import BUCKETS, GROUP_BUCKETS
from auricle.scoring.shards.keyed_table import KeyedTable, KeyMap, bucket_keys, lost_keys


def test_values_are_added_at_their_keys_and_columns() -> None:
    table = KeyedTable()
    table.add_rows(np.arange(3), [np.array([1, 2, 3])])
    table.add(np.array([0, 2]), np.array([1, 5]), np.array([10, 20]))
    copy = table.copy()
    table.add_rows(np.array([4]), [np.array([0]), np.array([7])])
    assert table.select(slice(0, 7)).T.tolist() == [[1, 12, 3, 0, 0, 0, 0], [0, 0, 0, 0, 7, 0, 0], [0] * 5 + [20, 0]]
    assert copy.select(slice(4, 5)).tolist() == [[0, 0, 0]]


def test_groups_of_a_shard_get_the_numbers_of_the_run() -> None:
    keys = KeyMap(np.array([0, 2, -1]))
    group = bucket_keys(1).start
    mapped, kept = keys.map_buckets(np.array([5, group + 9, group + GROUP_BUCKETS + 1]))
    assert mapped.tolist() == [5, BUCKETS + GROUP_BUCKETS + 9]
    assert np.arange(3)[kept].tolist() == [0, 1]
    mapped, kept = keys.map_lost(np.array([1, lost_keys(1).start + 3, lost_keys(2).start]))
    assert mapped.tolist() == [1, lost_keys(2).start + 3]
