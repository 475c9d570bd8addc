"""True labels against predicted ones: figures of the labels both sides share, and the matrix.

A stat is `(said, true)` where the model said one of the task's own labels. Where its labels are
others, it is `(said, true, means, known)`: the task's label that the said one means, if any, and
whether the model has a label for the true one at all. So a stat tells by itself whether it is a
hit; the whole label sets are only needed to draw axes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from auricle.core.types import Output, Prediction, Sample
from auricle.metrics.base import Details, WeightedAggregate, divide
from auricle.metrics.label_alignment import LabelAlignment, align_labels, alignment_warnings, display_labels

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from auricle.metrics.base import Array

LabelStat: TypeAlias = tuple[Any, ...]
Labels: TypeAlias = tuple[str, ...]
ClassAggregate: TypeAlias = "Callable[[ClassCounts], float]"


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Counts of each of the task's labels that occurs, and which of them the model knows."""

    hits: Array
    support: Array
    predicted: Array
    is_known: NDArray[np.bool_]


class ConfusionAggregator:
    """A fold over the table of true (rows) against predicted (columns) labels."""

    def __init__(
        self, finish: ClassAggregate, *, synonyms: bool = True, true_labels: Labels = (), predicted_labels: Labels = ()
    ) -> None:
        self._finish = finish
        self._synonyms = synonyms
        self._true_labels = true_labels
        self._predicted_labels = predicted_labels

    def extract_context(self, sample: Sample, *outputs: Output) -> tuple[Labels, Labels]:
        """The labels a sample may have, and those of its model; none of one that writes."""
        scored = [tuple(each.values) for each in outputs if isinstance(each, Prediction)]
        return get_task_labels(sample), scored[0] if len(scored) == 1 else merge_labels(scored)

    def with_contexts(self, contexts: Iterable[Hashable]) -> ConfusionAggregator:
        """The same fold, with axes for all these labels, whether they occur or not."""
        sides: list[Any] = list(contexts)
        truths, predictions = (merge_labels([each[at] for each in sides]) for at in (0, 1))
        return ConfusionAggregator(
            self._finish, synonyms=self._synonyms, true_labels=truths, predicted_labels=predictions or truths
        )

    def __call__(self, stats: Sequence[LabelStat]) -> float:
        import numpy as np

        return self.prepare_weighted(stats)(np.ones(len(stats)))

    def prepare_weighted(self, stats: Sequence[LabelStat]) -> WeightedAggregate:
        import numpy as np

        known, names = collect_labels(stats)
        place: dict[str | None, int] = {name: at for at, name in enumerate(names)}
        width = len(names) + 1  # the last column holds answers that mean no label of the task
        cells = np.fromiter(
            (place[stat[1]] * width + place.get(predicted_label(stat), width - 1) for stat in stats),
            dtype=np.int64,
            count=len(stats),
        )

        def value(weights: Array) -> float:
            counts = np.bincount(cells, weights=weights, minlength=len(names) * width)
            matrix = counts.astype(np.float64).reshape(len(names), width)
            hits = matrix[:, :-1].diagonal() * known
            called = matrix[:, :-1].sum(axis=0)
            return float(self._finish(ClassCounts(hits, matrix.sum(axis=1), called, known)))

        return value

    def details(self, stats: Sequence[LabelStat]) -> Details:
        """The matrix with both sides' labels, figures of each true label, and what to know."""
        axes, unlisted = self._align_axes(stats)
        columns = (*axes.columns, *unlisted)
        counts = Counter((stat[1], stat[0]) for stat in stats)
        told = [[counts[true, said] for said in columns] for true in axes.rows]
        silent = [counts[true, None] for true in axes.rows]
        matrix = _build_matrix(axes, columns, told, silent)
        return {
            "matrix": matrix,
            "classes": {label: _class_figures(matrix, at) for at, label in enumerate(axes.rows)},
            "notes": [*_ceiling_notes(matrix), *alignment_warnings(axes), *_unlisted_notes(unlisted)],
        }

    def _align_axes(self, stats: Sequence[LabelStat]) -> tuple[LabelAlignment, list[str]]:
        """Matched labels, and predictions the model does not list among its own."""
        said = {stat[0] for stat in stats if stat[0] is not None}
        own = {label for stat in stats if len(stat) == 2 for label in stat if label is not None}
        true = {stat[1] for stat in stats} | own
        truths = (*self._true_labels, *sorted(true - {*self._true_labels}))
        predictions = self._predicted_labels or tuple(sorted(said | own))
        return align_labels(truths, predictions, self._synonyms), sorted(said - {*predictions})


def get_task_labels(sample: Sample) -> Labels:
    """The labels a sample may have, as far as it tells."""
    given = sample.inputs.get("choices")
    if isinstance(given, (list, tuple)) and given:
        return tuple(map(str, given))
    target = sample.target
    return tuple(map(str, target)) if isinstance(target, (list, tuple)) else (str(target),)


def merge_labels(label_sets: Iterable[Labels]) -> Labels:
    """One list of all labels: the longest list's order first, whatever came first."""
    ordered = sorted(set(label_sets), key=lambda labels: (-len(labels), labels))
    return tuple(dict.fromkeys(label for labels in ordered for label in labels))


def predicted_label(stat: LabelStat) -> str | None:
    """The task's label that was said, if one was."""
    found: str | None = stat[0] if len(stat) == 2 else stat[2]
    return found


def collect_labels(stats: Sequence[LabelStat]) -> tuple[NDArray[np.bool_], list[str]]:
    """The labels that are true or meant somewhere, in order, and which the model can say."""
    import numpy as np

    names, unknown = set(), set()
    for stat in set(stats):
        names.add(stat[1])
        if (label := predicted_label(stat)) is not None:
            names.add(label)
        if len(stat) > 2 and not stat[3]:
            unknown.add(stat[1])
    ordered = sorted(names)
    return np.array([name not in unknown for name in ordered], dtype=bool), ordered


def _build_matrix(
    axes: LabelAlignment, columns: Sequence[str], counts: Sequence[Sequence[int]], unreadable: Sequence[int]
) -> dict[str, Any]:
    sizes = [sum(row) + silent for row, silent in zip(counts, unreadable, strict=True)]
    return {
        "rows": list(axes.rows),
        "columns": list(columns),
        "rows_shown": display_labels(axes.rows),
        "columns_shown": display_labels(columns),
        "shared": axes.shared_count,
        "tiers": [pair.tier for pair in axes.matches],
        "unlisted": len(columns) - len(axes.columns),
        "counts": counts,
        "unreadable": unreadable,
        "shares": [[count / size for count in row] if size else None for row, size in zip(counts, sizes, strict=True)],
        "ceiling": divide(sum(sizes[: axes.shared_count]), sum(sizes)),
    }


def _class_figures(matrix: dict[str, Any], index: int) -> dict[str, Any]:
    """Figures of a true label; precision only where the model has a label for it."""
    counts, shared = matrix["counts"], index < matrix["shared"]
    support = sum(counts[index]) + matrix["unreadable"][index]
    hits = counts[index][index] if shared else 0
    called = sum(row[index] for row in counts) if shared else 0
    return {
        "precision": divide(hits, called),
        "recall": divide(hits, support),
        "f1": divide(2 * hits, called + support),
        "support": support,
    }


def _ceiling_notes(matrix: dict[str, Any]) -> list[str]:
    """What labels without a column cost, if any sample has one."""
    alone = [
        label
        for at, label in enumerate(matrix["rows_shown"])
        if at >= matrix["shared"] and (sum(matrix["counts"][at]) or matrix["unreadable"][at])
    ]
    if not alone:
        return []
    many = "has" if len(alone) == 1 else "have"
    return [
        f"Accuracy can be at most {100 * matrix['ceiling']:.1f} %: {', '.join(alone)} {many} no "
        "counterpart among the model's labels."
    ]


def _unlisted_notes(labels: Sequence[str]) -> list[str]:
    told = f"Predicted, and not among the labels the model lists: {', '.join(labels)}."
    return [told] if labels else []


# --- figures over classes ----------------------------------------------------------------


def mean_known_recall(classes: ClassCounts) -> float:
    """Mean recall over the classes that occur and that the model knows."""
    return _mean_recall_over(classes, classes.is_known & (classes.support > 0))


def mean_recall(classes: ClassCounts) -> float:
    """Mean recall over all classes that occur; nothing of an unknown one is recalled."""
    return _mean_recall_over(classes, classes.support > 0)


def _mean_recall_over(classes: ClassCounts, class_mask: NDArray[np.bool_]) -> float:
    if not class_mask.any():
        return float("nan")
    return float((classes.hits[class_mask] / classes.support[class_mask]).mean())


def known_accuracy(classes: ClassCounts) -> float:
    """Accuracy over the samples whose label the model knows."""
    known = classes.is_known
    return divide(float(classes.hits[known].sum()), float(classes.support[known].sum()))


def _class_f1(classes: ClassCounts) -> tuple[Array, Array]:
    """F1 and support of each known class that is true or predicted somewhere."""
    both = classes.support + classes.predicted
    which = classes.is_known & (both > 0)
    return 2 * classes.hits[which] / both[which], classes.support[which]


def macro_f1(classes: ClassCounts) -> float:
    scores, _ = _class_f1(classes)
    return float(scores.mean()) if len(scores) else float("nan")


def weighted_f1(classes: ClassCounts) -> float:
    scores, support = _class_f1(classes)
    return divide(float((scores * support).sum()), float(support.sum()))
