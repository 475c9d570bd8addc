"""What differs between the predictions of two models: dimensions, confusions, and numbers for the same recordings."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from auricle.core.types import Output, Prediction
from auricle.metrics import matrix_difference
from auricle.metrics.base import Mask, divide, mean
from auricle.metrics.correlation import srcc
from auricle.metrics.intervals import Difference, adjust_holm, compare_paired
from auricle.metrics.matrix_difference import MatrixDifference, match_by_meaning, subtract_matrices
from auricle.runs.metrics import Metrics, Number
from auricle.scoring.compare.loading import ComparedRun
from auricle.scoring.compare.metric_rows import PairClusters
from auricle.scoring.compare.pairing import Pairs
from auricle.scoring.confusion_matrix import ConfusionMatrix

MatrixPair = tuple[ConfusionMatrix, ConfusionMatrix]
MAX_LABELS = 50
PLAIN_NAMES = ("score", "value")
"""Names of outputs that tell no more than that they are scores."""


# --- shifts of the mean of each dimension -----------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift(Difference):
    """The shift of the mean of a dimension, over all pairs or those with one true label."""

    dimension: str
    label: str
    """Empty for all pairs."""
    adjusted: float
    """The p-value adjusted by Holm's method over all shifts."""
    cluster: str = ""
    """Metadata field whose values are the independent units; empty if pairs or samples are."""
    cohens_d: float
    """The shift in standard deviations, pooled over both runs."""
    samples: tuple[int, int] | None = None
    """Number of samples of A and of B if they are not paired."""


def compute_shifts(a: ComparedRun, b: ComparedRun, pairs: Pairs, cluster: str) -> list[Shift]:
    """Compute the shift of every dimension that both runs predict, over all pairs and by true label."""
    if not a.dimensions or not b.dimensions:
        return []
    clusters = PairClusters.encode(a, pairs, cluster)
    labels = np.array([a.labels[here] for here in pairs.a], dtype=object)
    shifts = []
    for name in shared_dimensions(a, b):
        before, after = (
            np.array([side.dimensions.get(place, {}).get(name, math.nan) for place in places])
            for side, places in ((a, pairs.a.tolist()), (b, pairs.b.tolist()))
        )
        known = ~(np.isnan(before) | np.isnan(after))
        for label, members in _members_by_label(labels):
            which = np.flatnonzero(known & members)
            if len(which):
                shifts.append(_compute_shift(name, label, before[which], after[which], clusters.restrict(which)))
    ps = adjust_holm([shift.p for shift in shifts])
    return [replace(shift, adjusted=p) for shift, p in zip(shifts, ps, strict=True)]


def shared_dimensions(a: ComparedRun, b: ComparedRun) -> list[str]:
    """Return the dimensions that both runs predict, in the order of A."""
    first, second = (next(iter(side.dimensions.values()), {}) for side in (a, b))
    return [name for name in first if name in second]


def _members_by_label(labels: Any) -> Sequence[tuple[str, Mask]]:
    by_label = [(name, labels == name) for name in list_labels(labels)]
    return [("", np.ones(len(labels), dtype=bool)), *by_label]


def list_labels(labels: Iterable[str | None]) -> list[str]:
    """Return the distinct labels in order, or none if there are too many to be classes."""
    names = sorted({label for label in labels if label is not None})
    return names if len(names) <= MAX_LABELS else []


def _compute_shift(dimension: str, label: str, before: Any, after: Any, clusters: PairClusters) -> Shift:
    test = compare_paired(before, after, mean, clusters.codes)
    d = pooled_effect_size(before, after)
    return Shift(*astuple(test), dimension=dimension, label=label, adjusted=test.p, cluster=clusters.field, cohens_d=d)


def pooled_effect_size(before: Any, after: Any) -> float:
    """Compute Cohen's d: the difference of two means in standard deviations pooled over both sides."""
    if min(len(before), len(after)) < 2:
        return math.nan
    spread = math.sqrt((before.var(ddof=1) + after.var(ddof=1)) / 2)
    return float(after.mean() - before.mean()) / spread if spread else math.nan


# --- confusion matrices -----------------------------------------------------------------------


def compare_matrices(
    a: Metrics, b: Metrics, groups: tuple[str, str, str] = ("", "all", "all")
) -> tuple[MatrixPair, MatrixDifference] | tuple[None, None]:
    """Return the first matrices of two runs or groups and their difference, or None if either has none.

    Args:
        a: Metrics of the baseline.
        b: Metrics of the candidate.
        groups: A metadata field, with its value in the baseline and in the candidate. Default: all samples.
    """
    field, *values = groups
    first, second = (find_matrix(side, field, value) for side, value in zip((a, b), values, strict=True))
    if first is None or second is None:
        return None, None
    use_synonyms = first.signature.metric.uses_synonyms and second.signature.metric.uses_synonyms
    baseline, candidate = (
        matrix_difference.ConfusionMatrix.from_details(number.details["matrix"]) for number in (first, second)
    )
    difference = subtract_matrices(baseline, candidate, partial(match_by_meaning, synonyms=use_synonyms))
    return (ConfusionMatrix.from_details(first.details), ConfusionMatrix.from_details(second.details)), difference


def find_matrix(results: Metrics, field: str = "", group: str = "all") -> Number | None:
    """Return the first number over all samples, or those of a group, that has a confusion matrix."""
    numbers = (number for number in results.numbers if (number.field, number.group) == (field, group))
    return next((number for number in numbers if "matrix" in number.details), None)


def get_known_labels(results: Metrics) -> set[str] | None:
    """Return the true labels that the model can predict, or None without a matrix."""
    number = find_matrix(results)
    if number is None:
        return None
    matrix = number.details["matrix"]
    return set(matrix["rows"][: matrix["shared"]])


# --- agreement, regardless of the references --------------------------------------------------

OutputValues = list[Mapping[str, float]]


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


def measure_agreements(a: ComparedRun, b: ComparedRun, pairs: Pairs) -> list[ModelAgreement]:
    """Compute how well two runs agree on each output that both predict."""
    if not a.outputs or not b.outputs:
        return []
    return measure_agreement(
        [a.outputs.get(place, ()) for place in pairs.a.tolist()],
        [b.outputs.get(place, ()) for place in pairs.b.tolist()],
    )


def describe_agreements(agreements: Sequence[ModelAgreement]) -> Iterator[str]:
    for each in agreements:
        if math.isnan(each.srcc):
            continue
        alike = ""
        if each.pairs:
            alike = (
                f", and they choose the same of two in {100 * each.alike:.1f} % of {each.pairs:,} pairs "
                f"(Cohen's kappa {each.kappa:.2f})"
            )
        scores = "scores" if each.output in PLAIN_NAMES else f"{each.output} scores"
        yield f"The {scores} of the two models have an SRCC of {each.srcc:.3f} (n = {each.sounds:,}){alike}."


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
    count = len(choices)
    agreement = divide(sum(a == b for a, b in choices), count)
    counts_a, counts_b = (Counter(pair[side] for pair in choices) for side in (0, 1))
    expected = divide(sum(counts_a[value] * counts_b[value] for value in counts_a), count * count)
    return agreement, divide(agreement - expected, 1 - expected)
