"""The number of clusters."""

import numpy as np
import pytest

from auricle.scoring.shards import cluster_sketch
from auricle.scoring.shards.buckets import digest_texts
from auricle.scoring.shards.cluster_sketch import ClusterSketch, RunningSketch


def sketch(*names: str) -> ClusterSketch:
    return ClusterSketch.of(digest_texts(names)[:, 0])


def join(*sketches: ClusterSketch) -> ClusterSketch:
    running = RunningSketch()
    for some in sketches:
        running.add(some)
    return running.total


def test_few_clusters_are_counted_exactly() -> None:
    joined = join(sketch("a", "b"), sketch("b", "c"))
    assert joined.clusters == 3
    assert joined.repeats
    assert not join(sketch("a"), sketch("b")).repeats


@pytest.mark.parametrize("pending", [1, 64])
def test_many_clusters_are_estimated(pending: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_sketch, "MAX_PENDING", pending)
    names = [str(number) for number in range(60_000)]
    joined = join(*(sketch(*names[start : start + 10_000]) for start in range(0, 60_000, 10_000)))
    assert joined.clusters == pytest.approx(60_000, rel=0.05)
    assert not joined.repeats
    assert join(joined, sketch(*names[:30_000])).repeats
    assert len(joined.digests) == len(np.unique(joined.digests)) == 4096
