"""How many clusters samples belong to, from the clusters with the smallest digests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from auricle.metrics.base import Codes
from auricle.scoring.shards.buckets import Digests

SKETCH_SIZE = 4096
MAX_PENDING = 64
"""Sketches that are joined together."""


class ClusterSketch:
    """The clusters with the smallest digests, and how many samples each has; exact up to `SKETCH_SIZE` clusters.

    Args:
        digests: First halves of digests, sorted.
        counts: Samples of each cluster.
    """

    def __init__(self, digests: Digests, counts: Codes) -> None:
        self.digests = digests[:SKETCH_SIZE]
        self.counts = counts[:SKETCH_SIZE]

    @classmethod
    def of(cls, digests: Digests) -> ClusterSketch:
        """Count the samples of clusters, given the digest of the cluster of each sample."""
        distinct, counts = np.unique(digests, return_counts=True)
        return cls(distinct, counts)

    @classmethod
    def join(cls, sketches: Sequence[ClusterSketch]) -> ClusterSketch:
        """Return the sketch of the samples of all sketches."""
        digests, positions = np.unique(np.concatenate([sketch.digests for sketch in sketches]), return_inverse=True)
        weights = np.concatenate([sketch.counts for sketch in sketches])
        return cls(digests, np.bincount(positions, weights=weights, minlength=len(digests)).astype(np.int64))

    @property
    def clusters(self) -> int:
        """The number of clusters, estimated if there are many."""
        if len(self.digests) < SKETCH_SIZE:
            return len(self.digests)
        return round((SKETCH_SIZE - 1) / (float(self.digests[-1]) / 2.0**64))

    @property
    def repeats(self) -> bool:
        """Whether any cluster has several samples."""
        return bool((self.counts > 1).any())


class RunningSketch:
    """The clusters of the shards that were added so far; several shards are joined at once, which is faster."""

    def __init__(self) -> None:
        self._pending: list[ClusterSketch] = []

    def add(self, sketch: ClusterSketch) -> None:
        """Add the clusters of a shard."""
        self._pending.append(sketch)
        if len(self._pending) > MAX_PENDING:
            self._pending = [ClusterSketch.join(self._pending)]

    @property
    def total(self) -> ClusterSketch:
        """The sketch of all samples."""
        self._pending = [ClusterSketch.join(self._pending)]
        return self._pending[0]
