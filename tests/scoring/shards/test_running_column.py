"""The statistics of a metric over several shards."""

import numpy as np

from auricle.scoring.shards.running_column import StatSample, restore_stats
from auricle.scoring.shards.running_sums import RunningSums


def test_totals_of_buckets_are_those_of_all_samples(sums: RunningSums) -> None:
    column = sums.columns["exact_match"]
    for unit in ("", "speaker"):
        totals = column.list_totals(0, unit)
        assert totals.any(axis=1).all()
        assert totals.sum(axis=0)[-1] == column.scored
    assert len(column.list_totals(0, "speaker")) <= 60 < len(column.list_totals(0, ""))
    assert len(column.list_bucket_totals(0, "")) == 4096


def test_distinct_statistics_are_counted(sums: RunningSums) -> None:
    column = sums.columns["macro_f1"]
    assert len(column.list_distinct()) == len(column.labels) == column.list_totals(0, "").shape[1]
    assert not column.is_sampled
    assert {"failed_worst", "failed_best"} <= column.list_lost(0).keys()


def test_statistics_are_restored_as_a_score_table_has_them() -> None:
    assert restore_stats([b'["a",null]'], is_numeric=False) == [("a", None)]
    numbers = restore_stats([b"[1,2]", b"[3,4]"], is_numeric=True)
    assert isinstance(numbers, np.ndarray)
    assert numbers.tolist() == [[1, 2], [3, 4]]


def test_a_sample_keeps_the_smallest_digests() -> None:
    sample = StatSample()
    for digests in ([5, 9], [1, 7]):
        arrays = {"sample/digests": np.array(digests, dtype=np.uint64), "sample/codes": np.array([0, 1])}
        sample.add([b"%d" % digest for digest in digests], arrays)
    assert sample.labels == [b"1", b"5", b"7", b"9"]
