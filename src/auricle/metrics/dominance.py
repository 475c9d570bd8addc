"""Whether a single sample decides a pooled rate, as an answer that repeats itself thousands of times does.

No interval of such a rate is valid: whether the next data has another such sample, and how bad it is, cannot be seen
from one.
"""

from __future__ import annotations

import numpy as np

from auricle.metrics.base import Aggregator, Details, MeanAggregator, RatioAggregator, Stats
from auricle.metrics.jackknife import take_stats

MIN_SHARE = 1 / 3
"""Share of the numerator that a sample has to hold, besides more errors than it has tokens. If errors come in bursts,
an answer that is merely all wrong may hold a third of few errors, and intervals are right nevertheless."""
MIN_SAMPLES = 20
MIN_COUNT = 10
"""Errors that a sample has to hold if they are counted: two of three errors in all say nothing."""


def describe_dominance(stats: Stats, aggregate: Aggregator) -> Details:
    """Return what one sample holds of the numerator of a rate, and the rate without it; empty if it is ordinary.

    Examples:
        >>> from auricle.metrics import ratio
        >>> describe_dominance([(1.0, 10.0)] * 30 + [(90.0, 10.0)], ratio)
        {'dominant': {'share': 0.75, 'samples': 31, 'without': 0.1}}
    """
    if not isinstance(aggregate, RatioAggregator) or isinstance(aggregate, MeanAggregator) or len(stats) < MIN_SAMPLES:
        return {}
    numerators = aggregate.get_numerators(stats)
    at, total = int(numerators.argmax()), float(numerators.sum())
    largest, own_rate = float(numerators[at]), float(aggregate(take_stats(stats, np.array([at]))))
    if (numerators < 0).any() or not 0 < largest >= MIN_SHARE * total or own_rate <= 1:
        return {}
    if largest < MIN_COUNT and not (numerators % 1).any():
        return {}
    others = take_stats(stats, np.delete(np.arange(len(stats)), at))
    return {"dominant": {"share": largest / total, "samples": len(stats), "without": float(aggregate(others))}}
