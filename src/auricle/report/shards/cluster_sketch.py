"""How many clusters samples belong to, from the clusters with the smallest digests."""

from __future__ import annotations

import numpy as np

from auricle.metrics.base import Codes
from auricle.report.shards.buckets import Digests

SKETCH_SIZE = 4096


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

    def join(self, other: ClusterSketch) -> ClusterSketch:
        """Return the sketch of the samples of both."""
        if len(self.digests) == SKETCH_SIZE:  # larger digests would be cut off again
            kept = np.searchsorted(other.digests, self.digests[-1], side="right")
            other = ClusterSketch(other.digests[:kept], other.counts[:kept])
        positions = np.minimum(np.searchsorted(self.digests, other.digests), len(self.digests) - 1)
        if len(self.digests) and (self.digests[positions] == other.digests).all():  # nearly always, with few clusters
            counts = self.counts.astype(np.int64)
            counts[positions] += other.counts
            return ClusterSketch(self.digests, counts)
        digests, positions = np.unique(np.concatenate([self.digests, other.digests]), return_inverse=True)
        counts = np.bincount(positions, weights=np.concatenate([self.counts, other.counts])).astype(np.int64)
        return ClusterSketch(digests, counts)

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
