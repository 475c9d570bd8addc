"""Confusion matrices and the class-based metrics computed from them.

A statistic is `(predicted, true)` if the model uses the task's own labels. Otherwise it is
`(predicted, true, matched, known)`: the task's label that matches the predicted one, if any, and whether the model has
a label for the true one. A statistic is thus enough to decide whether the prediction is right; the full label sets are
only needed for the axes of the matrix.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from auricle.core.types import Output, Prediction, Sample
from auricle.metrics.base import (
    Array,
    Codes,
    Details,
    Mask,
    Stats,
    WeightedAggregate,
    WeightedAggregator,
    divide,
    has_one_sample_per_unit,
)
from auricle.metrics.label_alignment import LabelAlignment, align_labels, alignment_warnings, display_labels
from auricle.metrics.scales import BoundedScale, Scale

LabelStat: TypeAlias = tuple[Any, ...]
Labels: TypeAlias = tuple[str, ...]
ClassAggregate: TypeAlias = "Callable[[ClassCounts], float]"


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Counts for each label of the task that occurs, and whether the model has a label for it."""

    hits: Array
    support: Array
    predicted: Array
    is_known: Mask


class ConfusionAggregator(WeightedAggregator):
    """An aggregator over the table of true (rows) and predicted (columns) labels."""

    def __init__(
        self, finish: ClassAggregate, *, synonyms: bool = True, true_labels: Labels = (), predicted_labels: Labels = ()
    ) -> None:
        self._finish = finish
        self._synonyms = synonyms
        self._true_labels = true_labels
        self._predicted_labels = predicted_labels

    def extract_context(self, sample: Sample, *outputs: Output) -> tuple[Labels, Labels]:
        """Return the labels of the task and those of the model, which are empty for a text model."""
        label_sets = [tuple(output.values) for output in outputs if isinstance(output, Prediction)]
        return get_task_labels(sample), label_sets[0] if len(label_sets) == 1 else merge_labels(label_sets)

    def with_contexts(self, contexts: Iterable[Hashable]) -> ConfusionAggregator:
        """Return the same aggregator with axes for all these labels, whether they occur or not."""
        label_pairs: list[Any] = list(contexts)
        truths, predictions = (merge_labels([pair[side] for pair in label_pairs]) for side in (0, 1))
        return ConfusionAggregator(
            self._finish, synonyms=self._synonyms, true_labels=truths, predicted_labels=predictions or truths
        )

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        import numpy as np

        is_known, names = collect_labels(stats)
        index_by_name: dict[str | None, int] = {name: index for index, name in enumerate(names)}
        width = len(names) + 1  # the last column is for predictions that match no label of the task
        cells = np.fromiter(
            (index_by_name[stat[1]] * width + index_by_name.get(predicted_label(stat), width - 1) for stat in stats),
            dtype=np.int64,
            count=len(stats),
        )

        def value(weights: Array) -> float:
            counts = np.bincount(cells, weights=weights, minlength=len(names) * width)
            matrix = counts.astype(np.float64).reshape(len(names), width)
            hits = matrix[:, :-1].diagonal() * is_known
            predicted = matrix[:, :-1].sum(axis=0)
            return float(self._finish(ClassCounts(hits, matrix.sum(axis=1), predicted, is_known)))

        return value

    def choose_scale(self, stats: Stats, units: Codes) -> Scale:
        """Return the scale of shares; the number of independent samples is known no better than that of a share."""
        return (
            BoundedScale(most_trials=len(stats)) if has_one_sample_per_unit(units) else BoundedScale(samples=len(stats))
        )

    def details(self, stats: Stats) -> Details:
        """Return the matrix with the labels of both sides, figures for each true label, and notes."""
        return self._describe(stats, Counter((stat[1], stat[0]) for stat in stats))

    def details_weighted(self, stats: Stats, weights: Array) -> Details:
        """Return the details of statistics of which each occurs a number of times."""
        counts: Counter[tuple[Any, Any]] = Counter()
        for stat, weight in zip(stats, weights.tolist(), strict=True):
            counts[stat[1], stat[0]] += int(weight)
        return self._describe(stats, counts)

    def _describe(self, stats: Stats, counts: Counter[tuple[Any, Any]]) -> Details:
        axes, unlisted = self._align_axes(stats)
        columns = (*axes.columns, *unlisted)
        cells = [[counts[true, predicted] for predicted in columns] for true in axes.rows]
        unreadable = [counts[true, None] for true in axes.rows]
        matrix = _build_matrix(axes, columns, cells, unreadable)
        return {
            "matrix": matrix,
            "classes": {label: _class_figures(matrix, index) for index, label in enumerate(axes.rows)},
            "notes": [*_ceiling_notes(matrix), *alignment_warnings(axes), *_unlisted_notes(unlisted)],
            **self._describe_average(stats, axes),
        }

    def _describe_average(self, stats: Stats, axes: LabelAlignment) -> Details:
        """Return over which labels an average is, unless they are all those of the data and of the model."""
        is_macro = self._finish in (macro_f1, macro_precision)
        if not is_macro and self._finish not in (weighted_f1, weighted_precision, weighted_recall):
            return {}
        averaged = [name for is_known, name in zip(*collect_labels(stats), strict=True) if is_known]
        if {*averaged} == {*axes.rows} and len(axes.columns) == axes.shared_count:
            return {}
        name = "averaged" if is_macro else "averaged_by_size"
        counts = {name: len(averaged), "data_labels": len(axes.rows), "model_labels": len(axes.columns)}
        return {"averaged_labels": averaged, **counts}

    def _align_axes(self, stats: Stats) -> tuple[LabelAlignment, list[str]]:
        """Return the aligned labels, and predicted labels that are not in the model's label set."""
        predicted = {stat[0] for stat in stats if stat[0] is not None}
        shared = {label for stat in stats if len(stat) == 2 for label in stat if label is not None}
        true = {stat[1] for stat in stats} | shared
        truths = (*self._true_labels, *sorted(true - {*self._true_labels}))
        predictions = self._predicted_labels or tuple(sorted(predicted | shared))
        return align_labels(truths, predictions, self._synonyms), sorted(predicted - {*predictions})


def get_task_labels(sample: Sample) -> Labels:
    """Return the labels that a sample lists as choices, or only its target."""
    choices = sample.inputs.get("choices")
    if isinstance(choices, (list, tuple)) and choices:
        return tuple(map(str, choices))
    target = sample.target
    return tuple(map(str, target)) if isinstance(target, (list, tuple)) else (str(target),)


def merge_labels(label_sets: Iterable[Labels]) -> Labels:
    """Merge label sets into one, in the order of the longest, independent of the order of the sets."""
    ordered = sorted(set(label_sets), key=lambda labels: (-len(labels), labels))
    return tuple(dict.fromkeys(label for labels in ordered for label in labels))


def predicted_label(stat: LabelStat) -> str | None:
    """Return the task's label that matches the prediction, or None."""
    label: str | None = stat[0] if len(stat) == 2 else stat[2]
    return label


def collect_labels(stats: Stats) -> tuple[Mask, list[str]]:
    """Return which labels the model has, and all labels that are true or predicted somewhere, sorted."""
    import numpy as np

    names, unknown = set(), set()
    for stat in set(stats):
        names.add(stat[1])
        if (label := predicted_label(stat)) is not None:
            names.add(label)
        if len(stat) == 4 and not stat[3]:
            unknown.add(stat[1])
    ordered = sorted(names)
    return np.array([name not in unknown for name in ordered], dtype=bool), ordered


def _build_matrix(
    axes: LabelAlignment, columns: Sequence[str], counts: Sequence[Sequence[int]], unreadable: Sequence[int]
) -> dict[str, Any]:
    sizes = [sum(row) + missing for row, missing in zip(counts, unreadable, strict=True)]
    return {
        "rows": list(axes.rows),
        "columns": list(columns),
        "rows_shown": display_labels(axes.rows),
        "columns_shown": display_labels(columns),
        "shared": axes.shared_count,
        "tiers": [match.tier for match in axes.matches],
        "unlisted": len(columns) - len(axes.columns),
        "counts": counts,
        "unreadable": unreadable,
        "shares": [[count / size for count in row] if size else None for row, size in zip(counts, sizes, strict=True)],
        "ceiling": divide(sum(sizes[: axes.shared_count]), sum(sizes)),
    }


def _class_figures(matrix: dict[str, Any], index: int) -> dict[str, Any]:
    """Compute the figures of a true label; precision is NaN if the model has no such label."""
    counts, is_shared = matrix["counts"], index < matrix["shared"]
    support = sum(counts[index]) + matrix["unreadable"][index]
    hits = counts[index][index] if is_shared else 0
    predicted = sum(row[index] for row in counts) if is_shared else 0
    return {
        "precision": divide(hits, predicted),
        "recall": divide(hits, support),
        "f1": divide(2 * hits, predicted + support),
        "support": support,
    }


def _ceiling_notes(matrix: dict[str, Any]) -> list[str]:
    """Return a note on the highest possible accuracy if the model lacks labels that occur."""
    unmatched = [
        label
        for index, label in enumerate(matrix["rows_shown"])
        if index >= matrix["shared"] and (sum(matrix["counts"][index]) or matrix["unreadable"][index])
    ]
    if not unmatched:
        return []
    verb = "has" if len(unmatched) == 1 else "have"
    return [
        f"Accuracy can be at most {100 * matrix['ceiling']:.1f} %: {', '.join(unmatched)} {verb} no "
        "counterpart among the model's labels."
    ]


def _unlisted_notes(labels: Sequence[str]) -> list[str]:
    return [f"Predicted labels that are not in the model's label set: {', '.join(labels)}."] if labels else []


# --- figures over classes ----------------------------------------------------------------


def mean_known_recall(classes: ClassCounts) -> float:
    """Compute the mean recall over the classes that occur and that the model has."""
    return _mean_recall_over(classes, classes.is_known & (classes.support > 0))


def mean_recall(classes: ClassCounts) -> float:
    """Compute the mean recall over all classes that occur; it is 0 for classes that the model lacks."""
    return _mean_recall_over(classes, classes.support > 0)


def _mean_recall_over(classes: ClassCounts, class_mask: Mask) -> float:
    if not class_mask.any():
        return float("nan")
    return float((classes.hits[class_mask] / classes.support[class_mask]).mean())


def known_accuracy(classes: ClassCounts) -> float:
    """Compute the accuracy over the samples whose label the model has."""
    mask = classes.is_known
    return divide(float(classes.hits[mask].sum()), float(classes.support[mask].sum()))


def _class_rates(numerator: Array, denominator: Array, classes: ClassCounts) -> tuple[Array, Array]:
    """Return a rate and the support of each known class that is true or predicted somewhere; undefined rates are 0."""
    mask = classes.is_known & (classes.support + classes.predicted > 0)
    return numerator[mask] / denominator[mask].clip(min=1e-300), classes.support[mask]


def _unweighted_mean(rates: Array, _support: Array) -> float:
    return float(rates.mean()) if len(rates) else float("nan")


def _weighted_mean(rates: Array, support: Array) -> float:
    return divide(float((rates * support).sum()), float(support.sum()))


def macro_f1(classes: ClassCounts) -> float:
    return _unweighted_mean(*_class_rates(2 * classes.hits, classes.support + classes.predicted, classes))


def weighted_f1(classes: ClassCounts) -> float:
    return _weighted_mean(*_class_rates(2 * classes.hits, classes.support + classes.predicted, classes))


def macro_precision(classes: ClassCounts) -> float:
    return _unweighted_mean(*_class_rates(classes.hits, classes.predicted, classes))


def weighted_precision(classes: ClassCounts) -> float:
    return _weighted_mean(*_class_rates(classes.hits, classes.predicted, classes))


def weighted_recall(classes: ClassCounts) -> float:
    return _weighted_mean(*_class_rates(classes.hits, classes.support, classes))
