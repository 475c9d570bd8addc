"""Agreement of two reward models: rank correlation of their numbers and shared preferences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auricle.core.types import Output, Prediction
from auricle.metrics.base import divide
from auricle.metrics.correlation import srcc


@dataclass(frozen=True, slots=True)
class ModelAgreement:
    """Agreement of two models on one output; NaN where there is no data."""

    output: str
    srcc: float
    """Spearman's correlation of their numbers over all recordings."""
    sounds: int
    alike: float
    """The share of pairs in which both prefer the same side, or neither side."""
    kappa: float
    """Cohen's kappa of the same choices."""
    pairs: int


def measure_agreement(a: Sequence[Sequence[Output]], b: Sequence[Sequence[Output]]) -> list[ModelAgreement]:
    """Measure the agreement of two models on each output name they share.

    Args:
        a: Outputs of one model for each sample.
        b: Outputs of the other model for the same samples, in the same order.
    """
    answered = [
        (values_a, values_b)
        for values_a, values_b in zip(map(_prediction_values, a), map(_prediction_values, b), strict=True)
        if values_a and len(values_a) == len(values_b)
    ]
    names_a, names_b = (
        dict.fromkeys(name for sample in answered for values in sample[side] for name in values) for side in (0, 1)
    )
    return [_measure_output(name, answered) for name in names_a if name in names_b]


OutputValues = list[Mapping[str, float]]


def _prediction_values(outputs: Sequence[Output]) -> OutputValues:
    return [output.values for output in outputs if isinstance(output, Prediction)]


def _measure_output(name: str, answered: Sequence[tuple[OutputValues, OutputValues]]) -> ModelAgreement:
    ratings, choices = [], []
    for values_a, values_b in answered:
        both = [
            (left[name], right[name])
            for left, right in zip(values_a, values_b, strict=True)
            if name in left and name in right
        ]
        ratings += both
        if len(both) == 2:
            (first_a, first_b), (second_a, second_b) = both
            choices.append((_sign(second_a - first_a), _sign(second_b - first_b)))
    agreement, kappa = _agreement_and_kappa(choices)
    return ModelAgreement(name, srcc(ratings), len(ratings), agreement, kappa, len(choices))


def _sign(difference: float) -> int:
    return (difference > 0) - (difference < 0)


def _agreement_and_kappa(choices: Sequence[tuple[Any, Any]]) -> tuple[float, float]:
    """Return the share of equal choices, and Cohen's kappa."""
    count = len(choices)
    agreement = divide(sum(a == b for a, b in choices), count)
    counts_a, counts_b = (Counter(pair[side] for pair in choices) for side in (0, 1))
    expected = divide(sum(counts_a[value] * counts_b[value] for value in counts_a), count * count)
    return agreement, divide(agreement - expected, 1 - expected)
