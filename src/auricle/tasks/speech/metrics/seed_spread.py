"""How much a measure differs between answers to the same text, which differ only in their seed."""

from __future__ import annotations

import math
from typing import Any

from auricle.core.errors import Unreadable
from auricle.core.types import Output, Sample
from auricle.metrics.base import Array, Details, Metric, SumAggregator, divide
from auricle.metrics.capabilities import Restricted
from auricle.metrics.scales import NONNEGATIVE

SUFFIX = "sd"


def spread_over_seeds(metric: Metric) -> Metric:
    """Return the standard deviation of a metric between the answers to one text, pooled over texts.

    The statistic of a sample is the sum of squared deviations from the mean of its answers, and their number less one.

    Args:
        metric: A metric that scores one answer, whose statistic alone is a number.
    """

    def score(sample: Sample, *outputs: Output) -> tuple[float, float] | None:
        values = [value for output in outputs if not math.isnan(value := _value_of(metric, sample, output))]
        if len(values) < 2:
            return None
        shifted = [value - values[0] for value in values]  # so that equal values have no spread at all
        centre = math.fsum(shifted) / len(values)
        return math.fsum((value - centre) ** 2 for value in shifted), len(values) - 1.0

    return Metric(
        f"{metric.name}.{SUFFIX}",
        score,
        SumAggregator(_deviation, _describe, NONNEGATIVE),
        higher_is_better=False,
        version=metric.version,
        title=f"{metric.title}, SD over seeds",
        variant=f"{metric.variant}.sd-within-text" if metric.variant else "sd-within-text",
        unit=metric.unit,
        applies=metric.applies if isinstance(metric, Restricted) else lambda _sample: True,
    )


def _value_of(metric: Metric, sample: Sample, output: Output) -> float:
    try:
        stat: Any = metric.score(sample, output)
    except Unreadable:  # such as an answer without audio, which other metrics count
        return math.nan
    return math.nan if stat is None else metric.sample_value(stat)


def _deviation(totals: Array) -> float:
    variance = divide(totals[0], totals[1])
    return variance if math.isnan(variance) else math.sqrt(variance)


def _describe(totals: Array) -> Details:
    return {"texts": int(totals[2]), "answers": int(totals[1] + totals[2])}
