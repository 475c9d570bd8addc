"""F1 from counts of hits, false alarms and misses, of all classes together or of each."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable

from auricle.core.types import Output, Sample
from auricle.metrics.base import Array, Details, SumAggregator, divide
from auricle.metrics.confusion import Labels, get_task_labels, merge_labels
from auricle.metrics.f_measure import PooledF1
from auricle.metrics.scales import SHARE


def describe_counts(totals: Array) -> Details:
    """Return precision, recall and counts from sums of hits, false alarms and misses."""
    hits, false_alarms, misses = (int(total) for total in totals[:3])
    return {
        "hits": hits,
        "false_alarms": false_alarms,
        "misses": misses,
        "precision": divide(hits, hits + false_alarms),
        "recall": divide(hits, hits + misses),
    }


COUNTED_F1 = PooledF1((0, 0), (0, 0, 1, 2), describe_counts)
"""F1 of (hits, false alarms, misses), summed over all samples."""


def rate_counts(stat: tuple[float, ...]) -> float:
    """Rate a recording by its share of wrong decisions; -1, the best, if there is nothing to decide."""
    hits, false_alarms, misses = stat
    total = 2 * hits + false_alarms + misses
    return 1 - 2 * hits / total if total else -1.0


class MacroF1(SumAggregator):
    """The mean F1 over classes, from the hits of each class, then the false alarms, then the misses.

    A class that is neither true nor predicted anywhere has no F1 and is left out.

    Args:
        labels: Names of the classes, for details.
        with_positives_only: Whether classes that are true nowhere are left out, too.
    """

    def __init__(self, labels: Labels = (), *, with_positives_only: bool = False) -> None:
        super().__init__(self._average, self._describe_classes, SHARE)
        self._labels = labels
        self._with_positives_only = with_positives_only

    def extract_context(self, sample: Sample, *outputs: Output) -> Labels:
        return get_task_labels(sample)

    def with_contexts(self, contexts: Iterable[Hashable]) -> MacroF1:
        labels = merge_labels(contexts)  # type: ignore[arg-type]  # label sets of `extract_context`
        return MacroF1(labels, with_positives_only=self._with_positives_only)

    def _average(self, totals: Array) -> float:
        hits, false_alarms, misses = totals[:-1].reshape(3, -1)
        lengths = 2 * hits + false_alarms + misses
        counted = hits + misses > 0 if self._with_positives_only else lengths > 0
        scores = 2 * hits[counted] / lengths[counted]
        return float(scores.mean()) if len(scores) else math.nan

    def _describe_classes(self, totals: Array) -> Details:
        rows = totals[:-1].reshape(3, -1).T.astype(int).tolist()
        names = self._labels or tuple(str(number) for number in range(1, len(rows) + 1))
        return {"event_classes": {name: _describe_class(*counts) for name, counts in zip(names, rows, strict=True)}}


def _describe_class(hits: int, false_alarms: int, misses: int) -> dict[str, float | None]:
    return {
        "hits": hits,
        "false_alarms": false_alarms,
        "misses": misses,
        "precision": _divide_or_none(hits, hits + false_alarms),
        "recall": _divide_or_none(hits, hits + misses),
        "f1": _divide_or_none(2 * hits, 2 * hits + false_alarms + misses),
    }


def _divide_or_none(numerator: float, denominator: float) -> float | None:
    return numerator / denominator if denominator else None
