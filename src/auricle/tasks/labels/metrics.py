"""Metrics over one label per sample, read from text or taken from the highest class score.

A model may have other labels than the task; they are matched by `label_alignment`, and labels without a match count
as wrong. An answer that names no label counts as wrong and predicts no class: it lowers recall, but not precision.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from string import ascii_uppercase
from typing import Any

from auricle.core.errors import SampleError, Truncated, Unreadable, Unsuited, Unsupported
from auricle.core.types import Generation, Output, Prediction, Sample
from auricle.metrics import confusion
from auricle.metrics.base import (
    Aggregator,
    Array,
    Details,
    Metric,
    Stats,
    WeightedAggregate,
    WeightedAggregator,
    constant_bounds,
    divide,
    mean,
    metric,
)
from auricle.metrics.capabilities import Bounded, Choosing, Credited, ReadsAnswer, ReadsReply, UsesSynonyms
from auricle.metrics.confusion import ClassAggregate, ConfusionAggregator, LabelStat, get_task_labels
from auricle.metrics.label_alignment import LabelAlignment, align_labels
from auricle.metrics.readings import CUT_OFF, as_text, read_label, read_option, require_value
from auricle.metrics.scales import SHARE
from auricle.metrics.targets import get_choices, get_question, resolve_option
from auricle.text import Reading

NEEDS_TEXT_OR_SCORES = (
    "needs class scores or text; this model's outputs are continuous dimensions: use eta2 or ccc_arousal"
)
BIN_COUNT = 15


def get_predicted_label(sample: Sample, output: Output) -> str:
    """Return the predicted label in the model's spelling; with equal scores, the first."""
    if isinstance(output, Prediction):
        values = require_class_scores(output).values
        return max(values, key=lambda name: values[name])
    if not isinstance(output, Generation):
        raise Unsuited(f"needs text or class scores, not {type(output).__name__}")
    return require_value(read_predicted_label(sample, output), output, "names no label")


def read_predicted_label(sample: Sample, output: Output) -> Reading[str]:
    """Read the predicted label from a reply; class scores have no reading."""
    if not isinstance(output, Generation):
        return Reading()
    return read_label(output.text, tuple(get_choices(sample)), get_question(sample), is_cut_off=output.is_cut_off)


def require_class_scores(output: Output, needed: str = "class scores") -> Prediction:
    """Return the output if it has class scores, else raise an error that explains why not."""
    if isinstance(output, Generation):
        raise Unsuited(f"needs {needed}; this model writes text")
    if not isinstance(output, Prediction):
        raise Unsuited(f"needs {needed}, not {type(output).__name__}")
    if output.scale == "continuous":
        raise Unsuited(NEEDS_TEXT_OR_SCORES)
    if not output.values:
        raise Unreadable("the model returned no scores")
    return output


def read_label_or_none(sample: Sample, output: Output) -> str | None:
    """Return the predicted label, or None if the answer is unreadable."""
    try:
        return get_predicted_label(sample, output)
    except Unreadable:
        return None


def list_labels(sample: Sample) -> dict[str, str]:
    """Return the labels that a reply may give."""
    return {label: label for label in get_choices(sample)}


def match_labels(sample: Sample, output: Output, synonyms: bool) -> tuple[str, LabelAlignment]:
    """Return the true label, and the labels of the task aligned with those of the model."""
    true, task_labels = str(sample.target), get_task_labels(sample)
    if true not in task_labels:
        raise SampleError(f"the label {true!r} is not one of the task's labels: {', '.join(task_labels[:20])}")
    model_labels = tuple(output.values) if isinstance(output, Prediction) else task_labels
    return true, align_labels(task_labels, model_labels, synonyms)


# --- figures over classes ---------------------------------------------------------------


class LabelMetric(Metric, UsesSynonyms):
    """A metric over labels; synonyms of a label count as that label unless the variant says otherwise."""

    unit = "share"

    def __init__(self, name: str, title: str, aggregate: Aggregator, *, synonyms: bool = True) -> None:
        variant = ".".join(filter(None, (self.variant, "" if synonyms else "no-synonyms")))
        super().__init__(name, aggregate=aggregate, title=title, variant=variant)
        self.synonyms = synonyms


class PredictedLabelMetric(LabelMetric, Bounded, Credited, ReadsAnswer, ReadsReply, Choosing):
    """A metric of the labels that a model predicts."""

    version, unreadable = 5, "wrong"
    read_answer = staticmethod(read_label_or_none)
    reader = staticmethod(read_predicted_label)
    options = staticmethod(list_labels)


class ClassMetric(PredictedLabelMetric):
    """A figure over the confusion matrix, by the function that computes it."""

    plot = "classes"

    def __init__(self, name: str, title: str, finish: ClassAggregate, *, synonyms: bool = True) -> None:
        super().__init__(name, title, ConfusionAggregator(finish, synonyms=synonyms), synonyms=synonyms)
        self._finish = finish

    def score(self, sample: Sample, output: Output) -> LabelStat:
        """Return the statistic described in `confusion`."""
        predicted = get_predicted_label(sample, output)
        true, alignment = match_labels(sample, output, self.synonyms)
        matched, is_known = alignment.truth_by_prediction.get(predicted), true in alignment.prediction_by_truth
        return (predicted, true) if matched == predicted and is_known else (predicted, true, matched, is_known)

    def bounds(self, sample: Sample) -> tuple[LabelStat, LabelStat]:
        true = str(sample.target)
        return (None, true), (true, true)

    def credit(self, stat: LabelStat) -> float:
        return float(confusion.predicted_label(stat) == stat[1])

    def without_synonyms(self) -> Metric:
        return ClassMetric(self.name, self.title, self._finish, synonyms=False)


uar = ClassMetric("uar", "UAR", confusion.mean_known_recall)
uar_all = ClassMetric("uar_all", "UAR, all labels", confusion.mean_recall)
accuracy_matched = ClassMetric("accuracy_matched", "Accuracy, matched", confusion.known_accuracy)
macro_f1 = ClassMetric("macro_f1", "Macro F1", confusion.macro_f1)
weighted_f1 = ClassMetric("weighted_f1", "Weighted F1", confusion.weighted_f1)
macro_precision = ClassMetric("macro_precision", "Macro precision", confusion.macro_precision)
weighted_precision = ClassMetric("weighted_precision", "Weighted precision", confusion.weighted_precision)
weighted_recall = ClassMetric("weighted_recall", "Weighted recall", confusion.weighted_recall)


# --- hits -------------------------------------------------------------------------------


def _score_hit(sample: Sample, output: Output, synonyms: bool) -> float:
    """Return 1 if the predicted label is the true one."""
    predicted = get_predicted_label(sample, output)
    true, alignment = match_labels(sample, output, synonyms)
    return float(alignment.prediction_by_truth.get(true) == predicted)


def _score_top_k(sample: Sample, output: Output, synonyms: bool, k: int) -> float:
    """Return 1 if the true label is one of the k highest."""
    values = require_class_scores(output).values
    if len(values) <= k:
        raise Unsuited(f"needs more than {k} labels; this model has {len(values)}")
    highest = sorted(values, key=lambda name: -values[name])[:k]
    true, alignment = match_labels(sample, output, synonyms)
    return float(alignment.prediction_by_truth.get(true) in highest)


def _score_hit_closed_set(sample: Sample, output: Output, synonyms: bool) -> float:
    """Return 1 if the true label is the highest of the labels that the model shares with the task."""
    values = require_class_scores(output).values
    true, alignment = match_labels(sample, output, synonyms)
    if not alignment.truth_by_prediction:
        raise Unsupported("the model shares no label with the task")
    predicted = max((name for name in values if name in alignment.truth_by_prediction), key=lambda name: values[name])
    return float(alignment.prediction_by_truth.get(true) == predicted)


class HitMetric(PredictedLabelMetric):
    """The share of hits, by a function of (sample, output, whether synonyms are the same label) that returns 1 or 0."""

    has_label_ceiling = True
    bounds = constant_bounds((0.0, 1.0))
    credit = staticmethod(float)

    def __init__(
        self, name: str, title: str, score_hit: Callable[[Sample, Output, bool], float], *, synonyms: bool = True
    ) -> None:
        super().__init__(name, title, mean, synonyms=synonyms)
        self._score_hit = score_hit

    def score(self, sample: Sample, output: Output) -> float:
        return self._score_hit(sample, output, self.synonyms)

    def without_synonyms(self) -> Metric:
        return HitMetric(self.name, self.title, self._score_hit, synonyms=False)


accuracy = HitMetric("accuracy", "Accuracy", _score_hit)
wa = HitMetric("wa", "WA", _score_hit)
accuracy_closed = HitMetric("accuracy_closed", "Accuracy, closed set", _score_hit_closed_set)
top2 = HitMetric("top2", "Top 2", partial(_score_top_k, k=2))
top3 = HitMetric("top3", "Top 3", partial(_score_top_k, k=3))


# --- calibration ------------------------------------------------------------------------


class ExpectedCalibrationError(WeightedAggregator):
    """Expected calibration error over (confidence, hit) pairs: 15 bins of equal width, weighted by size."""

    scale = SHARE

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        import numpy as np

        bins, confidence, hits = _assign_bins(stats)
        gaps = confidence - hits

        def value(weights: Array) -> float:
            gap_sums = np.bincount(bins, weights=weights * gaps, minlength=BIN_COUNT)
            return divide(float(np.abs(gap_sums).sum()), float(weights.sum()))

        return value

    def details(self, stats: Stats) -> Details:
        """Return size, mean confidence and accuracy of each bin that is not empty."""
        import numpy as np

        bins, confidence, hits = _assign_bins(stats)
        sizes = np.bincount(bins, minlength=BIN_COUNT)
        confidence_sums = np.bincount(bins, weights=confidence, minlength=BIN_COUNT)
        hit_sums = np.bincount(bins, weights=hits, minlength=BIN_COUNT)
        return {
            "bins": [
                {
                    "to": (index + 1) / BIN_COUNT,
                    "n": int(sizes[index]),
                    "confidence": float(confidence_sums[index] / sizes[index]),
                    "accuracy": float(hit_sums[index] / sizes[index]),
                }
                for index in np.flatnonzero(sizes).tolist()
            ]
        }


def _assign_bins(stats: Stats) -> tuple[Any, Array, Array]:
    """Return the bin index, the confidence and the hit of each statistic; a bin includes its upper end."""
    import numpy as np

    table = np.asarray(stats, dtype=np.float64).reshape(-1, 2)
    confidence, hits = table[:, 0], table[:, 1]
    bins = np.clip(np.ceil(confidence * BIN_COUNT).astype(np.int64) - 1, 0, BIN_COUNT - 1)
    return bins, confidence, hits


class CalibrationMetric(LabelMetric):
    """How far the highest probability is from the share of hits."""

    higher_is_better = False
    variant = f"{BIN_COUNT}-bins"

    def score(self, sample: Sample, output: Output) -> tuple[float, float]:
        """Return the highest probability and whether its label is the true one."""
        prediction = require_class_scores(output, "probabilities")
        if prediction.scale != "probability":
            raise Unsuited(f"needs probabilities; this model's outputs are {prediction.scale}s")
        return max(prediction.values.values()), _score_hit(sample, output, self.synonyms)

    def without_synonyms(self) -> Metric:
        return CalibrationMetric(self.name, self.title, self.aggregate, synonyms=False)


ece = CalibrationMetric("ece", "ECE", ExpectedCalibrationError())


# --- multiple choice --------------------------------------------------------------------


def _read_choice(sample: Sample, output: Generation, choices: Sequence[str]) -> Reading[int]:
    return read_option(output.text, tuple(choices), get_question(sample), is_cut_off=output.is_cut_off)


def read_option_text(sample: Sample, output: Output) -> Reading[str]:
    """Read the chosen option as its letter and text; log-probabilities have no reading."""
    if not isinstance(output, Generation):
        return Reading()
    choices = get_choices(sample)
    return as_text(_read_choice(sample, output, choices), partial(format_option, options=choices))


def list_lettered_options(sample: Sample) -> dict[str, str]:
    """Return the options that a reply may choose, by letter; those without a letter are left out."""
    return dict(zip(ascii_uppercase, get_choices(sample), strict=False))


def format_option(index: int, options: Sequence[str]) -> str:
    """Return an option with its letter, such as `B. piano`; without options, the letter alone."""
    letter = ascii_uppercase[index] if index < len(ascii_uppercase) else ""
    text = options[index] if index < len(options) else ""
    return ". ".join(filter(None, (letter, text)))


class OptionAccuracy(Metric, Bounded, Credited, ReadsAnswer, ReadsReply, Choosing):
    """The share of right options."""

    name, title, unit = "option_accuracy", "Option accuracy", "share"
    version, unreadable = 5, "wrong"
    aggregate = mean
    bounds = constant_bounds((0.0, 1.0))
    credit = staticmethod(float)
    reader = staticmethod(read_option_text)
    options = staticmethod(list_lettered_options)

    def score(self, sample: Sample, output: Generation) -> float:
        choices = get_choices(sample)
        right = resolve_option(sample.target, choices)
        chosen = require_value(_read_choice(sample, output, choices), output, "names no option")
        if right is None or not choices:
            return float(chosen == right)
        return float(choices[chosen] == choices[right])  # some datasets list the right option twice

    def read_answer(self, sample: Sample, output: Generation) -> str | None:
        chosen = _read_choice(sample, output, get_choices(sample)).value
        return None if chosen is None else str(chosen)


option_accuracy = OptionAccuracy()


@metric(title="Word match", limits=(0.0, 1.0))
def word_match(sample: Sample, output: Generation) -> float:
    """Return 1 if the answer has all words of the right option and none that only other options have, as MMAU does."""
    if output.is_cut_off:
        raise Truncated(CUT_OFF)
    options = [_word_set(choice) for choice in get_choices(sample)]
    index = resolve_option(sample.target, get_choices(sample))
    if index is None:
        raise SampleError(f"the target {sample.target!r} is not one of the options")
    right, answer = options[index], _word_set(output.text)
    others = {word for words in options if words != right for word in words} - right
    return float(bool(answer) and right <= answer and not answer & others)


def _word_set(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))
