"""How far a number is from zero, for metrics that are best there, such as a bias."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from auricle.core.direction import Direction
from auricle.metrics.base import Aggregator, Metric, Stats, SupportsWeights, WeightedAggregate, WeightedAggregator
from auricle.metrics.scales import NONNEGATIVE

if TYPE_CHECKING:
    from auricle.metrics.intervals import Difference


class DistanceFromZero(WeightedAggregator):
    """The absolute value of another aggregator's number.

    >>> from auricle.metrics import mean
    >>> DistanceFromZero(mean)([-0.3, -0.1])
    0.2
    """

    scale = NONNEGATIVE

    def __init__(self, aggregate: SupportsWeights) -> None:
        self._aggregate = aggregate

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        value = self._aggregate.prepare_weighted(stats)
        return lambda weights: abs(value(weights))


def find_closer(metric: Metric, compare: Callable[[Aggregator], Difference]) -> bool | None:
    """Return whether B is closer to zero than A; None if the interval does not decide it, or zero is not best.

    Args:
        metric: The metric that is compared.
        compare: Function that compares both runs by an aggregator, B minus A.
    """
    if metric.direction is not Direction.ZERO or not isinstance(metric.aggregate, SupportsWeights):
        return None
    difference = compare(DistanceFromZero(metric.aggregate))
    if difference.high < 0:
        return True
    return False if difference.low > 0 else None
