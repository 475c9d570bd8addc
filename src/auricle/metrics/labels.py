"""Metrics over one label a sample: read from text, or the highest of a model's class scores.

A stat is a (predicted, true) pair. An answer that names no label counts as wrong and
predicts nothing: it lowers recall, and adds no class of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from auricle.errors import Unreadable, Unsupported
from auricle.metrics.base import Details, Metric, Weighed, divide, mean, within
from auricle.text import label, option
from auricle.types import Generation, Json, Output, Prediction, Sample, Stat

if TYPE_CHECKING:
    from auricle.metrics.base import Array

Pair: TypeAlias = tuple[str | None, str]


def predicted(sample: Sample, output: Output) -> str:
    """The label an output stands for."""
    if isinstance(output, Prediction):
        if output.scale == "continuous":
            raise Unsupported("needs class scores; this model's outputs are continuous dimensions")
        return max(output.values, key=lambda name: output.values[name])
    if not isinstance(output, Generation):
        raise Unsupported(f"needs text or class scores, not {type(output).__name__}")
    found = label(output.text, choices(sample))
    if found is None:
        raise Unreadable(f"names no label: {output.text[:80]!r}")
    return found


def read_label(sample: Sample, output: Output) -> str | None:
    """The label an output stands for, if any."""
    try:
        return predicted(sample, output)
    except Unreadable:
        return None


def choices(sample: Sample) -> list[str]:
    given = sample.inputs.get("choices", ())
    return [str(each) for each in given] if isinstance(given, (list, tuple)) else [str(given)]


def _pair(sample: Sample, output: Output) -> Pair:
    return predicted(sample, output), str(sample.target)


def _pair_bounds(sample: Sample) -> tuple[Stat, Stat]:
    return (None, str(sample.target)), (str(sample.target), str(sample.target))


class Confusion:
    """A fold over the table of true (rows) against predicted (columns) labels."""

    def __init__(self, finish: Callable[[Array], float]) -> None:
        self._finish = finish

    def __call__(self, stats: Sequence[Pair]) -> float:
        import numpy as np

        return self.weigh(stats)(np.ones(len(stats)))

    def weigh(self, stats: Sequence[Pair]) -> Weighed:
        import numpy as np

        names = labels_of(stats)
        place = {name: at for at, name in enumerate(names)}
        width = len(names) + 1  # the last column holds answers that name no label
        cells = np.fromiter(
            (
                place[true] * width + (len(names) if said is None else place[said])
                for said, true in stats
            ),
            dtype=np.int64,
            count=len(stats),
        )
        size = len(names) * width

        def value(weights: Array) -> float:
            counts = np.bincount(cells, weights=weights, minlength=size).astype(np.float64)
            return float(self._finish(counts.reshape(len(names), width)))

        return value

    def details(self, stats: Sequence[Pair]) -> Details:
        """Per-class figures and the table itself."""
        names = labels_of(stats)
        counts: dict[tuple[str | None, str], int] = {}
        for said, true in stats:
            counts[said, true] = counts.get((said, true), 0) + 1
        columns = [*names, None]
        matrix = [[counts.get((said, true), 0) for said in columns] for true in names]
        return {
            "labels": names,
            "confusion": matrix,
            "classes": {name: _class(matrix, at) for at, name in enumerate(names)},
        }


def _class(matrix: list[list[int]], at: int) -> dict[str, Any]:
    hits, support = matrix[at][at], sum(matrix[at])
    called = sum(row[at] for row in matrix)
    return {
        "precision": divide(hits, called),
        "recall": divide(hits, support),
        "f1": divide(2 * hits, called + support),
        "support": support,
    }


def labels_of(stats: Sequence[Pair]) -> list[str]:
    """Every label that is true or predicted somewhere, in order."""
    return sorted({name for pair in stats for name in pair if name is not None})


def _recall(matrix: Array) -> float:
    """Mean recall over the classes that occur."""
    support = matrix.sum(axis=1)
    hits = matrix[:, :-1].diagonal()
    present = support > 0
    return float((hits[present] / support[present]).mean()) if present.any() else float("nan")


def _f1(matrix: Array) -> tuple[Array, Array]:
    """F1 and support of each class that is true or predicted somewhere."""
    support, called = matrix.sum(axis=1), matrix[:, :-1].sum(axis=0)
    present = support + called > 0
    hits = matrix[:, :-1].diagonal()[present]
    return 2 * hits / (support + called)[present], support[present]


def _macro_f1(matrix: Array) -> float:
    return float(_f1(matrix)[0].mean())


def _weighted_f1(matrix: Array) -> float:
    scores, support = _f1(matrix)
    return divide(float((scores * support).sum()), float(support.sum()))


def _on_pairs(name: str, finish: Callable[[Array], float]) -> Metric:
    return Metric(
        name,
        _pair,
        Confusion(finish),
        unreadable="wrong",
        bounds=_pair_bounds,
        unit="share",
        rank=lambda pair: float(pair[0] != pair[1]),
        reading=read_label,
    )


uar = _on_pairs("uar", _recall)
macro_f1 = _on_pairs("macro_f1", _macro_f1)
weighted_f1 = _on_pairs("weighted_f1", _weighted_f1)


def _hit(sample: Sample, output: Output) -> float:
    said, true = _pair(sample, output)
    return float(said == true)


accuracy = Metric(
    "accuracy",
    _hit,
    mean,
    unreadable="wrong",
    bounds=within((0.0, 1.0)),
    unit="share",
    reading=read_label,
)


def read_option(sample: Sample, output: Generation) -> str | None:
    """The place of the option an answer chooses, if any."""
    chosen = option(output.text, choices(sample))
    return None if chosen is None else str(chosen)


def _right_option(sample: Sample, output: Generation) -> float:
    chosen = option(output.text, choices(sample))
    if chosen is None:
        raise Unreadable(f"names no option: {output.text[:80]!r}")
    return float(chosen == option_index(sample.target, choices(sample)))


def option_index(target: Json, given: Sequence[str]) -> int | None:
    """Which option a target means: its text, its letter, or its place counted from 0."""
    text = str(target).strip()
    folded = [each.strip().casefold() for each in given]
    if text.casefold() in folded:
        return folded.index(text.casefold())
    mark = text.strip("().:： ").upper()
    if mark.isascii() and mark.isdigit():
        at = int(mark)
    elif len(mark) == 1 and "A" <= mark <= "Z":
        at = ord(mark) - ord("A")
    else:
        return option(text, given) if given else None
    return at if at < len(given) or not given else None


option_accuracy = Metric(
    "option_accuracy",
    _right_option,
    mean,
    unreadable="wrong",
    bounds=within((0.0, 1.0)),
    unit="share",
    reading=read_option,
)
