"""Do two reward models say the same? How alike they rank sounds, how often they choose alike."""

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
    """How two models agree on one output; NaN where there is nothing to tell it by."""

    output: str
    srcc: float
    """Spearman's correlation of their numbers, sound by sound."""
    sounds: int
    alike: float
    """The share of pairs of which they prefer the same side, or neither."""
    kappa: float
    """Cohen's: the same, less what chance alone would give."""
    pairs: int


def measure_agreement(a: Sequence[Sequence[Output]], b: Sequence[Sequence[Output]]) -> list[ModelAgreement]:
    """Two models' outputs for the same samples, in the same order, by each name both tell."""
    answered = [
        (ours, theirs)
        for ours, theirs in zip(map(_prediction_values, a), map(_prediction_values, b), strict=True)
        if ours and len(ours) == len(theirs)
    ]
    names = [dict.fromkeys(name for sample in answered for told in sample[side] for name in told) for side in (0, 1)]
    return [_measure_output(name, answered) for name in names[0] if name in names[1]]


OutputValues = list[Mapping[str, float]]


def _prediction_values(outputs: Sequence[Output]) -> OutputValues:
    return [each.values for each in outputs if isinstance(each, Prediction)]


def _measure_output(name: str, answered: Sequence[tuple[OutputValues, OutputValues]]) -> ModelAgreement:
    rated, chosen = [], []
    for ours, theirs in answered:
        both = [
            (here[name], there[name])
            for here, there in zip(ours, theirs, strict=True)
            if name in here and name in there
        ]
        rated += both
        if len(both) == 2:
            (a, other_a), (b, other_b) = both
            chosen.append((_sign_of_difference(b - a), _sign_of_difference(other_b - other_a)))
    alike, kappa = _agreement_and_kappa(chosen)
    return ModelAgreement(name, srcc(rated), len(rated), alike, kappa, len(chosen))


def _sign_of_difference(difference: float) -> int:
    return (difference > 0) - (difference < 0)


def _agreement_and_kappa(choices: Sequence[tuple[Any, Any]]) -> tuple[float, float]:
    """The share of equal choices, and Cohen's kappa."""
    count = len(choices)
    alike = divide(sum(ours == theirs for ours, theirs in choices), count)
    first, second = (Counter(each[side] for each in choices) for side in (0, 1))
    expected = divide(sum(first[value] * second[value] for value in first), count * count)
    return alike, divide(alike - expected, 1 - expected)
