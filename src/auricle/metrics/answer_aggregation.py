"""Folds over samples that have a stat for each of several answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from auricle.metrics.base import Aggregator, Details, SupportsWeights, WeightedAggregate

if TYPE_CHECKING:
    from auricle.metrics.base import Array


class AnswerAggregator:
    """A fold over samples with a stat an answer: a sample's stat is (noted, stats)."""

    def __init__(
        self, inner: Aggregator, count_name: str, *, equal_sample_weights: bool = False, is_single_stat: bool = False
    ):
        self.inner = inner
        self.is_single_stat = is_single_stat
        """Has every sample one stat, so that `bare` ones tell the same?"""
        self._count_name = count_name
        self._equal_sample_weights = equal_sample_weights  # a sample weighs one, however often it was answered

    def with_inner(self, inner: Aggregator) -> AnswerAggregator:
        """The same over another fold."""
        return type(self)(
            inner, self._count_name, equal_sample_weights=self._equal_sample_weights, is_single_stat=self.is_single_stat
        )

    def unwrap(self, stats: Sequence[Any]) -> list[Any]:
        """The stats of all answers, in order."""
        return [stat for _, held in stats for stat in held]

    def __call__(self, stats: Sequence[Any]) -> float:
        return self.inner(self.unwrap(stats))

    def details(self, stats: Sequence[Any]) -> Details:
        """What the fold itself has to tell, and how many answers there were."""
        own = getattr(self.inner, "details", None)
        bare = self.unwrap(stats)
        told = dict(own(bare)) if own and bare else {}
        if not self.is_single_stat:
            told["answers"] = len(bare)
        return {**told, self._count_name: int(sum(noted for noted, _ in stats))}


class WeightedAnswerAggregator(AnswerAggregator):
    """The same over a fold that can weigh its stats."""

    inner: SupportsWeights

    def __call__(self, stats: Sequence[Any]) -> float:
        import numpy as np

        return self.prepare_weighted(stats)(np.ones(len(stats)))

    def prepare_weighted(self, stats: Sequence[Any]) -> WeightedAggregate:
        import numpy as np

        value = self.inner.prepare_weighted(self.unwrap(stats))
        lengths = np.array([len(held) for _, held in stats])
        share = 1.0 / lengths if self._equal_sample_weights else np.ones(len(lengths))

        def weighed(weights: Array) -> float:
            return value(np.repeat(weights * share, lengths))

        return weighed


def wrap_aggregator(
    inner: Aggregator, count_name: str, *, equal_sample_weights: bool = False, is_single_stat: bool = False
) -> AnswerAggregator:
    """A fold over samples with several answers; it weighs if the other does."""
    kind = WeightedAnswerAggregator if isinstance(inner, SupportsWeights) else AnswerAggregator
    return kind(inner, count_name, equal_sample_weights=equal_sample_weights, is_single_stat=is_single_stat)
