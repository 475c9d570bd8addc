"""Buckets of samples."""

import numpy as np

from auricle.scoring.shards.buckets import BUCKETS, digest_texts, to_buckets


def test_the_bucket_of_an_id_depends_on_the_id_alone() -> None:
    buckets = to_buckets(digest_texts(["a", "b", "a", "\ud800"]))
    assert buckets[0] == buckets[2] != buckets[1]
    assert to_buckets(digest_texts(["a"]))[0] == buckets[0]


def test_ids_are_spread_evenly() -> None:
    counts = np.bincount(to_buckets(digest_texts(map(str, range(80_000)))), minlength=BUCKETS)
    assert len(counts) == BUCKETS
    assert 0.8 < counts.var() / counts.mean() < 1.2
