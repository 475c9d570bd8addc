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
from auricle.metrics.base import Fold, Metric
from auricle.text.scalars import number


@dataclass(frozen=True, slots=True)
class Dimension:
    """One thing that is rated, and what of a model's answers is about it."""

    name: str = ""
    """Its truth in a sample's target; without a name, the target is the truth."""
    output: str = ""
    """What the model calls it; empty for the same name, or the only number a model tells."""
    question: int = 0
    """Which of the questions to a model that writes is about it,"""
    questions: int = 1
    """and how many there are; none, where such a model is not asked about it."""
    scale: tuple[float, float] = (1.0, 5.0)
    """Between which numbers such a model was asked to answer."""
    chosen: bool = True
    """Was such a model asked to choose one of two sounds, or to rate each?"""

    def titled(self, metric: str) -> str:
        return f"{metric}.{self.name}" if self.name else metric

    def truth(self, sample: Sample) -> Json:
        """What people said; None where they said nothing of it."""
        target = sample.target
        if not self.name:
            return target
        return target.get(self.name) if isinstance(target, Mapping) else None

    def is_rated(self, sample: Sample) -> bool:
        return (self.truth(sample) if self.name else sample.target) is not None

    def told(self, output: Prediction) -> float:
        """The number a model calls by this name."""
        values = output.values
        wanted = self.output or self.name
        if wanted in values:
            return values[wanted]
        if len(values) == 1 and not self.output:
            return next(iter(values.values()))
        option = f"outputs={self.name}=NAME" if self.name else "outputs=NAME"
        raise Unsuited(
            f"this model tells {', '.join(values)}, not {wanted or 'one number'}: "
            f"say which is meant, -T {option}"
        )

    def written(self, output: Generation) -> float:
        """The number a model wrote, if it is on the scale it was asked for."""
        found = number(output.text)
        low, high = self.scale
        if found is None:
            raise Unreadable(f"names no number: {output.text[:80]!r}")
        if not low <= found <= high:
            raise Unreadable(f"{found:g} is not on the scale from {low:g} to {high:g}")
        return found

    def value(self, output: Output) -> float:
        if isinstance(output, Prediction):
            return self.told(output)
        if isinstance(output, Generation):
            return self.written(output)
        raise Unsupported(f"needs numbers or text, not {type(output).__name__}")

    def of(self, outputs: Sequence[Output]) -> Sequence[Output]:
        """The outputs that speak of it: all that a reward model tells, some that others write."""
        if isinstance(outputs[0], Prediction):
            return outputs
        if not self.questions:
            raise Unsuited(f"nothing was asked about {self.name}")
        each = len(outputs) // self.questions
        return outputs[self.question * each : (self.question + 1) * each]


def _pair(sample: Sample, *outputs: Output, dimension: Dimension) -> tuple[float, float]:
    return dimension.value(dimension.of(outputs)[0]), _number(dimension.truth(sample))


def _number(truth: Json) -> float:
    assert isinstance(truth, (int, float))
    return float(truth)


def _squared(sample: Sample, *outputs: Output, dimension: Dimension) -> float:
    said, true = _pair(sample, *outputs, dimension=dimension)
    return (said - true) ** 2


def _off(stat: Any) -> float:
    return abs(float(stat[0]) - float(stat[1]))


Named = tuple[Fold, Callable[..., Any], bool]
FOLDS: Mapping[str, Named] = {
    "srcc": (correlation.srcc, _pair, True),
    "lcc": (correlation.lcc, _pair, True),
    "ktau": (correlation.ktau, _pair, True),
    "rmse": (correlation.rmse, _squared, False),
}


def score_metrics(dimension: Dimension, names: Sequence[str] = tuple(FOLDS)) -> list[Metric]:
    """How well a model's numbers follow people's ratings of one dimension."""
    return [_metric(name, dimension) for name in names]


def _metric(name: str, dimension: Dimension) -> Metric:
    fold, score, rises = FOLDS[name]
    return Metric(
        dimension.titled(name),
        partial(score, dimension=dimension),
        fold,
        higher_is_better=rises,
        variant=meant(dimension),
        applies=dimension.is_rated,
        rank=_off if score is _pair else math.sqrt,
    )


def meant(dimension: Dimension) -> str:
    """What else decides a number: which output was taken, where that was said."""
    renamed = dimension.output and dimension.output != dimension.name
    return f"of-{dimension.output}" if renamed else ""
