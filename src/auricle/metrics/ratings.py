"""What a model says of one dimension, such as musicality, and how well that follows ratings.

A number is told by a reward model, or written by a model that was asked for one. It is never
rescaled, so RMSE means something only if both sides use one scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from auricle.core.errors import Unreadable, Unsuited, Unsupported
from auricle.core.types import Generation, Json, Output, Prediction, Sample
from auricle.metrics import correlation
from auricle.metrics.base import Aggregator, Metric
from auricle.text.extract_number import extract_number


@dataclass(frozen=True, slots=True)
class Dimension:
    """One thing that is rated, and what of a model's answers is about it."""

    name: str = ""
    """Its truth in a sample's target; without a name, the target is the truth."""
    output: str = ""
    """What the model calls it; empty for the same name, or the only number a model tells."""
    question_index: int = 0
    """Which of the questions to a model that writes is about it,"""
    question_count: int = 1
    """and how many there are; none, where such a model is not asked about it."""
    scale: tuple[float, float] = (1.0, 5.0)
    """Between which numbers such a model was asked to answer."""
    is_pairwise: bool = True
    """Was such a model asked to choose one of two sounds, or to rate each?"""

    def metric_name(self, metric: str) -> str:
        return f"{metric}.{self.name}" if self.name else metric

    def get_truth(self, sample: Sample) -> Json:
        """What people said; None where they said nothing of it."""
        target = sample.target
        if not self.name:
            return target
        return target.get(self.name) if isinstance(target, Mapping) else None

    def is_rated(self, sample: Sample) -> bool:
        return (self.get_truth(sample) if self.name else sample.target) is not None

    def predicted_value(self, output: Prediction) -> float:
        """The number a model calls by this name."""
        values = output.values
        wanted = self.output or self.name
        if wanted in values:
            return values[wanted]
        if len(values) == 1 and not self.output:
            return next(iter(values.values()))
        option = f"outputs={self.name}=NAME" if self.name else "outputs=NAME"
        raise Unsuited(
            f"this model tells {', '.join(values)}, not {wanted or 'one number'}: say which is meant, -T {option}"
        )

    def parse_value(self, output: Generation) -> float:
        """The number a model wrote, if it is on the scale it was asked for."""
        found = extract_number(output.text)
        low, high = self.scale
        if found is None:
            raise Unreadable(f"names no number: {output.text[:80]!r}")
        if not low <= found <= high:
            raise Unreadable(f"{found:g} is not on the scale from {low:g} to {high:g}")
        return found

    def get_value(self, output: Output) -> float:
        if isinstance(output, Prediction):
            return self.predicted_value(output)
        if isinstance(output, Generation):
            return self.parse_value(output)
        raise Unsupported(f"needs numbers or text, not {type(output).__name__}")

    def select_outputs(self, outputs: Sequence[Output]) -> Sequence[Output]:
        """The outputs that speak of it: all that a reward model tells, some that others write."""
        if isinstance(outputs[0], Prediction):
            return outputs
        if not self.question_count:
            raise Unsuited(f"nothing was asked about {self.name}")
        each = len(outputs) // self.question_count
        return outputs[self.question_index * each : (self.question_index + 1) * each]


def _value_and_truth(sample: Sample, *outputs: Output, dimension: Dimension) -> tuple[float, float]:
    return dimension.get_value(dimension.select_outputs(outputs)[0]), _to_float(dimension.get_truth(sample))


def _to_float(truth: Json) -> float:
    assert isinstance(truth, (int, float))
    return float(truth)


def _squared_error(sample: Sample, *outputs: Output, dimension: Dimension) -> float:
    said, true = _value_and_truth(sample, *outputs, dimension=dimension)
    return (said - true) ** 2


def _absolute_error(stat: Any) -> float:
    return abs(float(stat[0]) - float(stat[1]))


RatingMetric = tuple[Aggregator, Callable[..., Any], bool]
RATING_METRICS: Mapping[str, RatingMetric] = {
    "srcc": (correlation.srcc, _value_and_truth, True),
    "lcc": (correlation.lcc, _value_and_truth, True),
    "ktau": (correlation.ktau, _value_and_truth, True),
    "rmse": (correlation.rmse, _squared_error, False),
}


def score_metrics(dimension: Dimension, names: Sequence[str] = tuple(RATING_METRICS)) -> list[Metric]:
    """How well a model's numbers follow people's ratings of one dimension."""
    return [_metric(name, dimension) for name in names]


def _metric(name: str, dimension: Dimension) -> Metric:
    fold, score, rises = RATING_METRICS[name]
    return Metric(
        dimension.metric_name(name),
        partial(score, dimension=dimension),
        fold,
        higher_is_better=rises,
        variant=output_variant(dimension),
        applies=dimension.is_rated,
        custom_badness=_absolute_error if score is _value_and_truth else math.sqrt,
    )


def output_variant(dimension: Dimension) -> str:
    """What else decides a number: which output was taken, where that was said."""
    renamed = dimension.output and dimension.output != dimension.name
    return f"of-{dimension.output}" if renamed else ""
