"""Metrics over several labels per recording (tags), from class scores or from labels that a reply lists.

A model may have other labels than the task; they are matched by `label_alignment`. Labels of the model that the task
lacks are ignored. A label without a score ranks last, together with all others that have none.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from auricle.core.errors import AnswerRefused, SampleError, Truncated, Unreadable, Unsuited
from auricle.core.types import Generation, Output, Prediction, Sample
from auricle.metrics.base import Array, Details, Metric, RatioAggregator, ScoreFunction, SumAggregator
from auricle.metrics.confusion import Labels, get_task_labels
from auricle.metrics.label_alignment import align_labels
from auricle.metrics.readings import CUT_OFF, QUOTED_LENGTH, read_label
from auricle.tasks.sound_events.class_ranking import (
    DPrime,
    MeanAreaUnderCurve,
    MeanAveragePrecision,
    MicroAveragePrecision,
    base_rates,
)
from auricle.tasks.sound_events.metrics.counts import COUNTED_F1, MacroF1
from auricle.text.reading.label_lists import read_label_list

NO_SCORE = -sys.float_info.max
"""Stands for the score of a label that the model did not score."""
DEFAULT_THRESHOLD = 0.5


def get_true_labels(sample: Sample) -> frozenset[str]:
    """Return the true labels of a recording."""
    target = sample.target
    if not isinstance(target, (list, tuple)):
        raise SampleError(f"expected a list of labels, got {target!r}")
    return frozenset(map(str, target))


def get_label_scores(sample: Sample, output: Output) -> tuple[Labels, list[float | None]]:
    """Return the labels of the task and the score of each; None for labels without a score."""
    if isinstance(output, Generation):
        raise Unsuited("needs a score for each label; this model writes text")
    if not isinstance(output, Prediction):
        raise Unsuited(f"needs a score for each label, not {type(output).__name__}")
    if not output.values:
        raise Unreadable("the model returned no scores")
    labels = get_task_labels(sample)
    names = align_labels(labels, tuple(output.values), False).prediction_by_truth
    if not names:
        shown = ", ".join(list(output.values)[:5])
        raise SampleError(
            f"none of the model's labels ({shown}, …) is a label of the task ({', '.join(labels[:5])}, …)"
        )
    return labels, [output.values[names[label]] if label in names else None for label in labels]


# --- rankings -----------------------------------------------------------------------------


def _score_ranking(sample: Sample, output: Output) -> tuple[float, ...]:
    """Return the score of every label, then whether each is true."""
    labels, scores = get_label_scores(sample, output)
    true = get_true_labels(sample)
    return (
        *(NO_SCORE if score is None else float(score) for score in scores),
        *(int(label in true) for label in labels),
    )


def _rate_ranking(stat: tuple[float, ...]) -> float:
    """Rate a recording by the label-ranking precision of its own labels; -1, best, if it has none."""
    total, count = _rank_labels(*_split_stat(stat))
    return 1 - total / count if count else -1.0


def _split_stat(stat: tuple[float, ...]) -> tuple[Array, Array]:
    values = np.asarray(stat, dtype=np.float64)
    return values[: len(values) // 2], values[len(values) // 2 :]


def _ranking_metric(name: str, title: str, aggregator: Any, **fields: Any) -> Metric:
    return Metric(
        name, _score_ranking, aggregator, title=title, unit=fields.pop("unit", "share"),
        badness=_rate_ranking, **fields,
    )  # fmt: skip


mean_ap = _ranking_metric("mean_ap", "mAP", MeanAveragePrecision(), variant="macro.positives-only")
micro_ap = _ranking_metric("micro_ap", "Micro AP", MicroAveragePrecision())
mean_auc = _ranking_metric("mean_auc", "Mean AUC", MeanAreaUnderCurve(), variant="macro.positives-only")
d_prime = _ranking_metric("d_prime", "d′", DPrime(), variant="of-mean-auc.half-pair", unit="points")


def _score_base_rate(sample: Sample, *outputs: Output) -> tuple[float, ...] | None:
    true = get_true_labels(sample)
    return (*(float(label in true) for label in get_task_labels(sample)),)


base_rate = Metric(
    "base_rate",
    _score_base_rate,
    base_rates,
    title="Base rate",
    variant="macro.positives-only",
    unit="share",
    is_model_independent=True,
)
"""The mAP of scores that are all equal."""


def _rank_labels(scores: Array, is_true: Array) -> tuple[float, int]:
    """Return the sum of the precisions at the rank of each true label, and how many there are.

    Labels with equal scores all count as ranked before the end of their tie.
    """
    own = scores[is_true > 0]
    if not len(own):
        return 0.0, 0
    ranks = (scores[None, :] >= own[:, None]).sum(axis=1)
    hits = (own[None, :] >= own[:, None]).sum(axis=1)
    return float((hits / ranks).sum()), len(own)


def _score_label_ranking(sample: Sample, output: Output) -> tuple[float, float]:
    return _rank_labels(*_split_stat(_score_ranking(sample, output)))


def _lwlrap_details(totals: Array) -> Details:
    return {"true_labels": int(totals[1])}


lwlrap = Metric(
    "lwlrap",
    _score_label_ranking,
    RatioAggregator(details=_lwlrap_details, is_share=True),
    title="lwlrap",
    variant="ties-last",
    unit="share",
    badness=lambda stat: 1 - stat[0] / stat[1] if stat[1] else -1.0,
)


# --- label sets ---------------------------------------------------------------------------


def get_predicted_labels(sample: Sample, output: Output, threshold: float) -> frozenset[str]:
    """Return the labels whose score reaches the threshold, or that a reply lists.

    A threshold is a probability: scores that are logits are compared with its log-odds.
    """
    if isinstance(output, Generation):
        return _read_labels(sample, output)
    labels, scores = get_label_scores(sample, output)
    limit = threshold
    if cast(Prediction, output).scale == "logit":
        limit = math.log(threshold / (1 - threshold))
    return frozenset(label for label, score in zip(labels, scores, strict=True) if score is not None and score >= limit)


def _read_labels(sample: Sample, output: Generation) -> frozenset[str]:
    if output.is_cut_off:  # further labels may follow
        raise Truncated(CUT_OFF)
    labels = get_task_labels(sample)
    listed = read_label_list(output.text, labels)
    if listed is not None:
        return frozenset(listed)
    if read_label(output.text, labels).refused:
        raise AnswerRefused(f"refuses to answer: {output.text[:QUOTED_LENGTH]!r}")
    raise Unreadable(f"names no label: {output.text[:QUOTED_LENGTH]!r}")


def _count(sample: Sample, output: Output, threshold: float) -> tuple[int, int, int]:
    """Return hits, false alarms and misses among the labels of a recording."""
    true, predicted = get_true_labels(sample), get_predicted_labels(sample, output, threshold)
    return len(true & predicted), len(predicted - true), len(true - predicted)


def _score_precision(sample: Sample, output: Output, threshold: float) -> tuple[int, int]:
    hits, false_alarms, _ = _count(sample, output, threshold)
    return hits, hits + false_alarms


def _score_recall(sample: Sample, output: Output, threshold: float) -> tuple[int, int]:
    hits, _, misses = _count(sample, output, threshold)
    return hits, hits + misses


def _score_classes(sample: Sample, output: Output, threshold: float) -> tuple[float, ...]:
    """Return hits, false alarms and misses of every class."""
    true, predicted, labels = (
        get_true_labels(sample),
        get_predicted_labels(sample, output, threshold),
        get_task_labels(sample),
    )
    return (
        *(float(label in true and label in predicted) for label in labels),
        *(float(label in predicted and label not in true) for label in labels),
        *(float(label in true and label not in predicted) for label in labels),
    )


@dataclass(frozen=True, slots=True)
class _LabelSetMetric:
    """How a metric over label sets is made for a threshold."""

    title: str
    score: Callable[..., Any]
    aggregator: SumAggregator
    variant: str = "micro"

    def make(self, name: str, threshold: float) -> Metric:
        return Metric(
            name,
            cast(ScoreFunction, partial(self.score, threshold=threshold)),
            self.aggregator,
            title=self.title,
            variant=f"{self.variant}.threshold-{threshold:g}",
            unit="share",
        )


_LABEL_SET_METRICS = {
    "tag_f1": _LabelSetMetric("Tag F1", _count, COUNTED_F1),
    "tag_precision": _LabelSetMetric("Tag precision", _score_precision, RatioAggregator(is_share=True)),
    "tag_recall": _LabelSetMetric("Tag recall", _score_recall, RatioAggregator(is_share=True)),
    "tag_f1_macro": _LabelSetMetric(
        "Tag F1, macro", _score_classes, MacroF1(with_positives_only=True), "macro.positives-only"
    ),
}


def with_threshold(metric: Metric, threshold: float) -> Metric:
    """Return a metric over label sets with another threshold; any other metric unchanged."""
    maker = _LABEL_SET_METRICS.get(metric.name)
    return maker.make(metric.name, threshold) if maker else metric


tag_f1, tag_precision, tag_recall, tag_f1_macro = (
    maker.make(name, DEFAULT_THRESHOLD) for name, maker in _LABEL_SET_METRICS.items()
)

tagging = (mean_ap, base_rate, micro_ap, lwlrap, mean_auc, d_prime, tag_f1, tag_f1_macro, tag_precision, tag_recall)
"""All of these metrics, for `--as tag`."""
