"""Compare a model's numbers for a rated dimension, such as musicality, with human ratings.

Numbers come from a reward model, or from the text of a model that was asked to rate. They are never rescaled, so
RMSE is meaningful only if both sides use the same scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from auricle.core.errors import SampleError, Unsuited, Unsupported
from auricle.core.types import Generation, Json, Output, Prediction, Sample
from auricle.metrics import correlation
from auricle.metrics.base import Aggregator, Metric
from auricle.metrics.capabilities import ReadsReply, Restricted
from auricle.metrics.readings import as_text, join_readings, read_number, require_value
from auricle.text import Reading


@dataclass(frozen=True, slots=True)
class Dimension:
    """A rated quality, and which outputs of a model refer to it."""

    name: str = ""
    """Key of the rating in the sample's target; without a name, the target itself is the rating."""
    output: str = ""
    """The model's name for it. [default: the same name, or the model's only number]"""
    question_index: int = 0
    """For text models: index of the question about this dimension."""
    question_count: int = 1
    """For text models: number of questions; 0 if there is none about this dimension."""
    scale: tuple[float, float] = (1.0, 5.0)
    """For text models: lowest and highest rating on the scale of the question."""
    is_pairwise: bool = True
    """For text models: whether the question asks for a choice between two recordings, not for a rating of each."""

    def metric_name(self, metric: str) -> str:
        return f"{metric}.{self.name}" if self.name else metric

    def metric_title(self, title: str) -> str:
        return f"{title} {self.name}".strip()

    def get_truth(self, sample: Sample) -> Json:
        """Return the human rating, or None."""
        target = sample.target
        if not self.name:
            return target
        return target.get(self.name) if isinstance(target, Mapping) else None

    def is_rated(self, sample: Sample) -> bool:
        return self.get_truth(sample) is not None

    def predicted_value(self, output: Prediction) -> float:
        """Return the model's number for this dimension."""
        values = output.values
        name = self.output or self.name
        if name in values:
            return values[name]
        if len(values) == 1 and not self.output:
            return next(iter(values.values()))
        option = f"outputs={self.name}=NAME" if self.name else "outputs=NAME"
        raise Unsuited(
            f"this model returns {', '.join(values)}, not {name or 'a single number'}. Choose one with -T {option}"
        )

    def parse_value(self, output: Generation) -> float:
        """Return the number in a text if it is on the scale."""
        low, high = self.scale
        limits = f" from {low:g} to {high:g}" if math.isfinite(high) else ""
        return require_value(self._read(output), output, f"names no number{limits}")

    def _read(self, output: Generation) -> Reading[float]:
        return read_number(output.text, self.scale, is_cut_off=output.is_cut_off)

    def read_values(self, sample: Sample, *outputs: Output) -> Reading[str]:
        """Read the numbers that refer to this dimension from replies; those of a reward model have no reading."""
        return join_readings(
            as_text(self._read(output), "{:g}".format)
            for output in self.select_outputs(outputs)
            if isinstance(output, Generation)
        )

    def get_value(self, output: Output) -> float:
        if isinstance(output, Prediction):
            return self.predicted_value(output)
        if isinstance(output, Generation):
            return self.parse_value(output)
        raise Unsupported(f"needs numbers or text, not {type(output).__name__}")

    def select_outputs(self, outputs: Sequence[Output]) -> Sequence[Output]:
        """Return the outputs that refer to this dimension: all of a reward model, some of a text model."""
        if isinstance(outputs[0], Prediction):
            return outputs
        if not self.question_count:
            raise Unsuited(f"the prompt has no question about {self.name}")
        per_question = len(outputs) // self.question_count
        return outputs[self.question_index * per_question : (self.question_index + 1) * per_question]


def _value_and_truth(sample: Sample, *outputs: Output, dimension: Dimension) -> tuple[float, float]:
    return dimension.get_value(dimension.select_outputs(outputs)[0]), _to_float(dimension.get_truth(sample))


def _to_float(truth: Json) -> float:
    if isinstance(truth, bool) or not isinstance(truth, (int, float, str)):
        raise SampleError(f"the target {truth!r} is not a rating")
    try:
        return float(truth)
    except ValueError as error:
        raise SampleError(f"the target {truth!r} is not a rating") from error


def _squared_error(sample: Sample, *outputs: Output, dimension: Dimension) -> float:
    predicted, true = _value_and_truth(sample, *outputs, dimension=dimension)
    return (predicted - true) ** 2


RATING_METRICS: Mapping[str, tuple[str, Aggregator, Callable[..., Any], bool]] = {
    "srcc": ("SRCC", correlation.srcc, _value_and_truth, True),
    "lcc": ("LCC", correlation.lcc, _value_and_truth, True),
    "ktau": ("Kendall’s τ", correlation.ktau, _value_and_truth, True),
    "rmse": ("RMSE", correlation.rmse, _squared_error, False),
}
"""Title, aggregator, score function and direction of each metric."""


def rating_metrics(dimension: Dimension, names: Sequence[str] = tuple(RATING_METRICS)) -> list[Metric]:
    """Make the metrics that compare a model's numbers with human ratings of one dimension."""
    return [RatingMetric(name, dimension) for name in names]


class RatingMetric(Metric, Restricted, ReadsReply):
    """A comparison of a model's numbers with human ratings of one dimension."""

    version = 3

    def __init__(self, name: str, dimension: Dimension) -> None:
        title, aggregate, score, higher_is_better = RATING_METRICS[name]
        super().__init__(
            dimension.metric_name(name),
            partial(score, dimension=dimension),
            aggregate,
            higher_is_better,
            title=dimension.metric_title(title),
            plot="ratings" if higher_is_better else "",
            variant=output_variant(dimension),
        )
        self._dimension = dimension

    def applies(self, sample: Sample) -> bool:
        return self._dimension.is_rated(sample)

    def reader(self, sample: Sample, *outputs: Output) -> Reading[Any]:
        return self._dimension.read_values(sample, *outputs)

    def badness(self, stat: Any) -> float:
        return abs(float(stat[0]) - float(stat[1])) if self.higher_is_better else math.sqrt(stat)


def output_variant(dimension: Dimension) -> str:
    """Return the part of the signature that names the model's output, if it differs from the dimension."""
    renamed = dimension.output and dimension.output != dimension.name
    return f"of-{dimension.output}" if renamed else ""


srcc, lcc, ktau, rmse = rating_metrics(Dimension(scale=(-math.inf, math.inf)))
