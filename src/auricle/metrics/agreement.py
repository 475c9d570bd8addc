"""Several judges: their combined score and how well they agree (Krippendorff's alpha, or the order of samples)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, multimode
from typing import Literal, TypeAlias

from auricle.core.errors import Unreadable
from auricle.core.types import Sample, Stat
from auricle.metrics.base import Array, Metric, Stats, WeightedAggregate, WeightedAggregator, divide, mean
from auricle.metrics.capabilities import Judged
from auricle.metrics.scales import CORRELATION

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
NO_MAJORITY = 0.5
"""Combined score if as many judges say yes as say no, or no winner has a majority."""


@dataclass(frozen=True, slots=True)
class JudgeScale:
    """What the values of verdicts mean, and how those of several judges are combined."""

    level: Level = "interval"
    """Whether values are names, have an order, or also equal distances."""
    to_stat: Callable[[float], Stat] = float
    """Make the statistic of a sample from the combined value."""

    def combine(self, values: Sequence[float]) -> float:
        """Return the mean of points, or the value that most judges chose."""
        if self.level == "interval":
            return fmean(values)
        winner, *others = multimode(values)
        return NO_MAJORITY if others else winner


def make_panel_metrics(metric: Metric, names: Sequence[str]) -> tuple[Metric, Metric]:
    """Make the metrics that combine the scores of several judges and measure their agreement.

    Args:
        metric: The metric of one judge.
        names: Names of the metrics of all judges, whose values are combined.
    """
    own_scale = metric.judge_scale if isinstance(metric, Judged) else None
    scale = own_scale or JudgeScale()

    def combine(_: Sample, *values: float | None) -> Stat:
        present = [value for value in values if value is not None]
        if len(present) < len(values):
            raise Unreadable(f"{len(values) - len(present)} of {len(values)} judges gave no readable verdict")
        return scale.to_stat(scale.combine(present))

    combined = metric.replace(score=combine, judge_requests=None, derived_from=tuple(names))
    if own_scale is None:  # its statistics may have any form
        limits = getattr(metric.aggregate, "limits", None)
        average = mean.with_limits(*limits) if limits else mean
        combined = combined.replace(aggregate=average, credit=None, badness=None, bounds=None)
    alpha = Metric(
        f"{metric.name}.alpha",
        _collect_values,
        AlphaAggregator(scale.level),
        version=metric.version,
        title=f"{metric.title} α",
        variant=f"{metric.variant}.{scale.level}",
        derived_from=tuple(names),
        badness=lambda stat: max(stat[0::2]) - min(stat[0::2]),
    )
    return combined, alpha


def _collect_values(_: Sample, *values: float | None) -> tuple[float, ...] | None:
    """Return each value with a 1, or two zeros for a judge without one; None if there are not two to compare."""
    if sum(value is not None for value in values) < 2:
        return None
    return tuple(number for value in values for number in ((0.0, 0.0) if value is None else (value, 1.0)))


def make_rank_agreement(metric: Metric, names: Sequence[str]) -> Metric:
    """Make the metric of how far several models agree on the order of the samples, for values that are not combined.

    Args:
        metric: The metric of one model.
        names: Names of the metrics of all models, whose values are compared.
    """
    return Metric(
        f"{metric.name}.rank_agreement",
        _collect_complete,
        RankAgreement(),
        version=metric.version,
        title=f"{metric.title} rank agreement",
        variant=".".join(filter(None, (metric.variant, "mean-spearman"))),
        derived_from=tuple(names),
        badness=lambda stat: max(stat) - min(stat),
    )


def _collect_complete(_: Sample, *values: float | None) -> tuple[float, ...] | None:
    """Return all values; None if one is missing or undefined."""
    present = tuple(value for value in values if value is not None and not math.isnan(value))
    return present if len(present) == len(values) else None


class RankAgreement(WeightedAggregator):
    """Spearman's rank correlation between two models, or its mean over all pairs of several.

    Statistics have one number per model. It is undefined if a model gives all samples the same number.
    """

    scale = CORRELATION

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        import numpy as np

        from auricle.metrics.correlation import srcc

        rows = np.asarray(stats, dtype=np.float64).reshape(len(stats), -1)
        pairs = [srcc.prepare_weighted(rows[:, pair]) for pair in combinations(range(rows.shape[1]), 2)]
        return lambda weights: fmean(pair(weights) for pair in pairs)


class AlphaAggregator(WeightedAggregator):
    """Krippendorff's alpha: 1 minus observed over expected disagreement.

    Statistics have two numbers per judge: its value, and 1 if there is one. Samples with fewer than two values do
    not count, and alpha is undefined if all values are equal.

    Args:
        level: What disagreement between two values means. nominal: 1; ordinal: the squared share of values between
            them; interval: their squared difference.
    """

    scale = CORRELATION

    def __init__(self, level: Level) -> None:
        self._level = level

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        import numpy as np

        rows = np.asarray(stats, dtype=np.float64).reshape(len(stats), -1, 2)
        is_present = rows[..., 1] > 0
        levels, codes = np.unique(rows[..., 0][is_present], return_inverse=True)
        counts = np.zeros((len(rows), len(levels)))
        np.add.at(counts, (np.nonzero(is_present)[0], codes), 1.0)
        sizes = counts.sum(axis=1)
        counts[sizes < 2] = 0.0
        pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(len(levels))
        coincidences = (pairs / np.maximum(sizes - 1, 1)[:, None, None]).reshape(len(rows), -1)

        def value(weights: Array) -> float:
            observed = (weights @ coincidences).reshape(len(levels), -1)
            totals = weights @ counts
            distances = self._distances(levels, totals)
            expected = float(totals @ distances @ totals)
            return 1.0 - divide((totals.sum() - 1) * float((observed * distances).sum()), expected)

        return value

    def _distances(self, levels: Array, totals: Array) -> Array:
        import numpy as np

        if self._level == "nominal":
            return np.asarray(levels[:, None] != levels, dtype=np.float64)
        if self._level == "interval":
            return np.asarray((levels[:, None] - levels) ** 2)
        middles = np.cumsum(totals) - totals / 2  # half of the values of a level are below its middle
        return np.asarray((middles[:, None] - middles) ** 2)
