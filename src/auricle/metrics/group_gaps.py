"""Compare the samples of a group, such as one accent, with all others of the same run."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from auricle.metrics.base import Aggregator, Codes, Mask, Stats
from auricle.metrics.distributions import t_quantile
from auricle.metrics.intervals import POWER, Contrast, Difference, make_difference
from auricle.metrics.jackknife import take_stats, unit_influences
from auricle.metrics.power import SIGNIFICANCE_LEVEL
from auricle.metrics.scales import Estimate
from auricle.metrics.unpaired import contrast_groups

MIN_SAMPLES = 20
"""Samples that a group and the others need for a test."""
MIN_CLUSTERS = 10
"""Clusters that a group and the others need for a test, if samples are clustered."""


@dataclass(frozen=True, slots=True)
class GroupDifference:
    """The number of a group minus that of the others, and the error of this difference."""

    difference: Difference
    estimate: Estimate

    def find_detectable(self, tests: int) -> float:
        """Return the smallest gap that is found with 80 % power if this is one of several tests.

        The first step of Holm's method divides the significance level by the number of tests.
        """
        degrees = self.estimate.degrees
        critical = t_quantile(1 - SIGNIFICANCE_LEVEL / max(1, tests) / 2, degrees)
        return (critical + t_quantile(POWER, degrees)) * self.estimate.error


def compare_group(
    stats: Stats, members: Mask, aggregate: Aggregator, clusters: Codes | None = None
) -> GroupDifference | None:
    """Compare the samples of a group with all others.

    Groups without a common cluster, such as speakers of two accents, are compared as independent samples: see
    `unpaired.compare_unpaired`. If a cluster has samples in both, such as a speaker in quiet and in noise, what its
    samples have in common cancels out: the error comes from the influence of each cluster on the difference.

    Args:
        stats: Statistics of all samples.
        members: Which of them are in the group.
        aggregate: Function from statistics to one number.
        clusters: Cluster index of each sample, such as its speaker. Clusters, not samples, are then independent.

    Returns:
        The number of the group minus that of the others; None if either has too few independent units, or a number
        is undefined.

    Examples:
        >>> from auricle.metrics import mean
        >>> values, members = np.array([1.0, 0.0] * 20), np.arange(40) < 20
        >>> compare_group(values, members, mean).difference.difference
        0.0
    """
    sides = [_Side.select(stats, selected, clusters) for selected in (~members, members)]
    if min(len(side.stats) for side in sides) < MIN_SAMPLES:
        return None
    if clusters is not None and min(side.units for side in sides) < MIN_CLUSTERS:
        return None
    others, group = sides
    values = float(aggregate(others.stats)), float(aggregate(group.stats))
    if any(map(math.isnan, values)):
        return None
    contrast = contrast_groups((others.stats, group.stats), aggregate, (others.codes, group.codes))
    if clusters is not None and len(np.intersect1d(others.clusters, group.clusters)):
        contrast = _contrast_within_clusters(others, group, aggregate, contrast)
    # Welch's degrees of freedom assume normal units, but errors are skewed: with many tests, that raises false alarms.
    degrees = min(contrast.estimate.degrees, min(others.units, group.units) - 1)
    contrast = replace(contrast, estimate=replace(contrast.estimate, degrees=degrees))
    difference = make_difference(values, contrast, len(stats))
    return None if math.isnan(difference.p) else GroupDifference(difference, contrast.estimate)


@dataclass(frozen=True, slots=True)
class _Side:
    """The samples of a group, or all others."""

    stats: Stats
    codes: Codes | None
    """Index in `clusters` of each sample; None if samples are independent."""
    clusters: Codes
    units: int

    @classmethod
    def select(cls, stats: Stats, members: Mask, clusters: Codes | None) -> _Side:
        selected = take_stats(stats, np.flatnonzero(members))
        if clusters is None:
            return cls(selected, None, np.empty(0, dtype=np.int64), len(selected))
        distinct, codes = np.unique(clusters[members], return_inverse=True)
        return cls(selected, codes, distinct, len(distinct))

    def influences(self, aggregate: Aggregator) -> dict[int, float]:
        """Return the influence of each cluster on the number, scaled so that their squares add up to its variance."""
        influences = unit_influences(self.stats, aggregate, self.codes) * math.sqrt(self.units / (self.units - 1))
        # With too many clusters for a slow aggregator, several share a value, which belongs to none of them.
        return dict(zip(self.clusters.tolist(), influences.tolist(), strict=len(influences) == self.units))


def _contrast_within_clusters(others: _Side, group: _Side, aggregate: Aggregator, independent: Contrast) -> Contrast:
    """Estimate the difference between groups that have samples of the same clusters."""
    subtracted, added = others.influences(aggregate), group.influences(aggregate)
    if len(subtracted) < others.units or len(added) < group.units:
        return independent
    changes = [added.get(cluster, 0.0) - subtracted.get(cluster, 0.0) for cluster in sorted({*subtracted, *added})]
    estimate = replace(independent.estimate, error=math.hypot(*changes))
    return replace(independent, estimate=estimate, method="cluster-paired-t")
