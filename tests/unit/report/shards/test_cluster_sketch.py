"""The number of clusters."""

import numpy as np
import pytest

from auricle.report.shards.buckets import digest_texts
from auricle.report.shards.cluster_sketch import ClusterSketch


def sketch(*names: str) -> ClusterSketch:
    return ClusterSketch.of(digest_texts(names)[:, 0])


def test_few_clusters_are_counted_exactly() -> None:
    joined = sketch("a", "b").join(sketch("b", "c"))
    assert joined.clusters == 3
    assert joined.repeats
    assert not sketch("a").join(sketch("b")).repeats


def test_many_clusters_are_estimated() -> None:
    names = [str(number) for number in range(60_000)]
    parts = [sketch(*names[start : start + 10_000]) for start in range(0, 60_000, 10_000)]
    joined = parts[0]
    for part in parts[1:]:
        joined = joined.join(part)
    assert joined.clusters == pytest.approx(60_000, rel=0.05)
    assert not joined.repeats
    assert joined.join(sketch(*names[:30_000])).repeats
    assert len(joined.digests) == len(np.unique(joined.digests)) == 4096
