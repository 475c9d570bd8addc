"""Significance tests for two groups of different samples, such as human and generated speech.

Nothing pairs the samples, so the errors of both numbers add up. Pairs, where there are any, give narrower intervals:
see `intervals.compare_paired`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeAlias

from auricle.metrics.base import Aggregator, Array, Codes, Stats
from auricle.metrics.combined import combine_contrasts
from auricle.metrics.intervals import (
    Contrast,
    Difference,
    difference_without_interval,
    get_hits,
    make_difference,
    name_method,
)
from auricle.metrics.jackknife import choose_scale, count_units, estimate_number, resolve_units
from auricle.metrics.scales import REAL, Estimate

Clusters: TypeAlias = "tuple[Codes | None, Codes | None]"


def compare_unpaired(
    stats_a: Stats, stats_b: Stats, aggregate: Aggregator, clusters: Clusters = (None, None)
) -> Difference:
    """Compare two groups of different samples.

    Zeros and ones are compared by the method of Agresti and Caffo (2000), anything else by Welch's t with the standard
    errors of both numbers.

    Args:
        stats_a: Statistics of group A.
        stats_b: Statistics of group B.
        aggregate: Function from statistics to one number.
        clusters: Cluster index of each sample of A and of B. Clusters, not samples, are then independent.

    Returns:
        B minus A with its interval, p value and the smallest detectable difference; `n` counts both groups.

    Examples:
        >>> from auricle.metrics import mean
        >>> difference = compare_unpaired([1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0], mean)
        >>> round(difference.difference, 2), round(difference.p, 2), difference.method
        (-0.55, 0.14, 'agresti-caffo')
    """
    n = len(stats_a) + len(stats_b)
    units = min(count_units(stats_a, clusters[0]), count_units(stats_b, clusters[1]))
    if not len(stats_a) or not len(stats_b):
        return difference_without_interval((math.nan, math.nan), n, "none", units)
    values = float(aggregate(stats_a)), float(aggregate(stats_b))
    if any(map(math.isnan, values)):
        return difference_without_interval(values, n, "none", units)
    return make_difference(values, contrast_groups((stats_a, stats_b), aggregate, clusters), n)


def contrast_groups(stats: tuple[Stats, Stats], aggregate: Aggregator, clusters: Clusters) -> Contrast:
    """Estimate the difference between two groups of different samples; the arguments are those of a comparison."""
    clusters = resolve_units(stats[0], aggregate, clusters[0]), resolve_units(stats[1], aggregate, clusters[1])
    has_clusters = any(codes is not None for codes in clusters)
    hits_a, hits_b = (None if has_clusters else get_hits(side, aggregate) for side in stats)
    if hits_a is not None and hits_b is not None:
        sides = [Contrast(_agresti_caffo_estimate(hits), "agresti-caffo", 0.0, 1.0) for hits in (hits_a, hits_b)]
    else:
        sides = []
        for side, codes in zip(stats, clusters, strict=True):
            scale = choose_scale(side, aggregate, codes)
            bound = scale.unchanged_bound(count_units(side, codes))
            estimate = estimate_number(side, aggregate, codes, REAL)
            sides.append(Contrast(estimate, name_method("welch-t", has_clusters), bound, scale.span))
    combined = combine_contrasts([(-1.0, sides[0]), (1.0, sides[1])], sides[0].method)
    units = min(side.estimate.units for side in sides)
    estimate = replace(combined.estimate, units=units)
    return replace(combined, estimate=estimate, span=max(side.span for side in sides))


def _agresti_caffo_estimate(hits: Array) -> Estimate:
    """Estimate a share with one hit and one miss added, so that its error is also valid if all or none are hits."""
    size = len(hits) + 2
    share = (float(hits.sum()) + 1) / size
    return Estimate(share, math.sqrt(share * (1 - share) / size), 0.0, math.inf, len(hits))
