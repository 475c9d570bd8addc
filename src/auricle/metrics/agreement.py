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
class Agreement:
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


def agreement(a: Sequence[Sequence[Output]], b: Sequence[Sequence[Output]]) -> list[Agreement]:
    """Two models' outputs for the same samples, in the same order, by each name both tell."""
    answered = [
        (ours, theirs)
        for ours, theirs in zip(map(_told, a), map(_told, b), strict=True)
        if ours and len(ours) == len(theirs)
    ]
    names = [
        dict.fromkeys(name for sample in answered for told in sample[side] for name in told)
        for side in (0, 1)
    ]
    return [_on(name, answered) for name in names[0] if name in names[1]]


Told = list[Mapping[str, float]]


def _told(outputs: Sequence[Output]) -> Told:
    return [each.values for each in outputs if isinstance(each, Prediction)]


def _on(name: str, answered: Sequence[tuple[Told, Told]]) -> Agreement:
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
            chosen.append((_sign(b - a), _sign(other_b - other_a)))
    alike, kappa = _alike(chosen)
    return Agreement(name, srcc(rated), len(rated), alike, kappa, len(chosen))


def _sign(difference: float) -> int:
    return (difference > 0) - (difference < 0)


def _alike(chosen: Sequence[tuple[Any, Any]]) -> tuple[float, float]:
    """The share of equal choices, and Cohen's kappa."""
    count = len(chosen)
    alike = divide(sum(ours == theirs for ours, theirs in chosen), count)
    first, second = (Counter(each[side] for each in chosen) for side in (0, 1))
    expected = divide(sum(first[value] * second[value] for value in first), count * count)
    return alike, divide(alike - expected, 1 - expected)
