"""Metrics over one label a sample: read from text, or the highest of a model's class scores.

A model may have other labels than the task: they are matched as `alignment` says, and what has no
match is wrong, never renamed. An answer that names no label counts as wrong and predicts nothing:
it lowers recall, and adds no class of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from auricle.core.errors import SampleError, Unreadable, Unsuited, Unsupported
from auricle.core.types import Generation, Json, Output, Prediction, Sample, Stat
from auricle.metrics import confusion
from auricle.metrics.base import Metric, constant_bounds, mean
from auricle.metrics.calibration import ExpectedCalibrationError
from auricle.metrics.confusion import ClassAggregate, ConfusionAggregator, LabelStat, get_task_labels
from auricle.metrics.label_alignment import align_labels
from auricle.text import extract_label, extract_option

NEEDS_TEXT_OR_SCORES = (
    "needs class scores or text; this model's outputs are continuous dimensions, which eta2 and ccc_arousal are for"
)


def get_predicted_label(sample: Sample, output: Output) -> str:
    """The label an output stands for, as the model writes it; the first of equally high ones."""
    if isinstance(output, Prediction):
        values = require_class_scores(output).values
        return max(values, key=lambda name: values[name])
    if not isinstance(output, Generation):
        raise Unsuited(f"needs text or class scores, not {type(output).__name__}")
    found = extract_label(output.text, get_choices(sample))
    if found is None:
        raise Unreadable(f"names no label: {output.text[:80]!r}")
    return found


def require_class_scores(output: Output, needed: str = "class scores") -> Prediction:
    """An output as scores of classes, or why it is none."""
    if isinstance(output, Generation):
        raise Unsuited(f"needs {needed}; this model writes text")
    if not isinstance(output, Prediction):
        raise Unsuited(f"needs {needed}, not {type(output).__name__}")
    if output.scale == "continuous":
        raise Unsuited(NEEDS_TEXT_OR_SCORES)
    if not output.values:
        raise Unreadable("the model gave no scores")
    return output


def extract_label_or_none(sample: Sample, output: Output) -> str | None:
    """The label an output stands for, if any."""
    try:
        return get_predicted_label(sample, output)
    except Unreadable:
        return None


def get_choices(sample: Sample) -> list[str]:
    given = sample.inputs.get("choices", ())
    return [str(each) for each in given] if isinstance(given, (list, tuple)) else [str(given)]


@dataclass(frozen=True, slots=True)
class LabelMapping:
    """How the task's labels and a model's meet, looked up from either side."""

    prediction_by_truth: Mapping[str, str]
    """The model's label for each of the task's that has one,"""
    truth_by_prediction: Mapping[str, str]
    """and back."""


@lru_cache(maxsize=1024)
def _map_labels(truths: tuple[str, ...], predictions: tuple[str, ...], synonyms: bool) -> LabelMapping:
    partners = align_labels(truths, predictions, synonyms).prediction_by_truth
    return LabelMapping(partners, {said: true for true, said in partners.items()})


def match_labels(sample: Sample, output: Output, synonyms: bool) -> tuple[str, LabelMapping]:
    """The right label, which is one of those the task lists, and how the two sides meet."""
    true, listed = str(sample.target), get_task_labels(sample)
    if true not in listed:
        raise SampleError(f"its label {true!r} is none of the task's: {', '.join(listed[:20])}")
    own = tuple(output.values) if isinstance(output, Prediction) else listed
    return true, _map_labels(listed, own, synonyms)


# --- figures over classes ---------------------------------------------------------------


def _score_label(sample: Sample, output: Output, synonyms: bool = True) -> LabelStat:
    """What was said and what is true, and how the two sides' labels meet where they differ."""
    said = get_predicted_label(sample, output)
    true, both = match_labels(sample, output, synonyms)
    means, known = both.truth_by_prediction.get(said), true in both.prediction_by_truth
    return (said, true) if means == said and known else (said, true, means, known)


def _label_bounds(sample: Sample) -> tuple[Stat, Stat]:
    return (None, str(sample.target)), (str(sample.target), str(sample.target))


def _miss_badness(stat: LabelStat) -> float:
    return float(confusion.predicted_label(stat) != stat[1])


def _class_metric(name: str, finish: ClassAggregate, synonyms: bool = True) -> Metric:
    return Metric(
        name,
        partial(_score_label, synonyms=synonyms),
        ConfusionAggregator(finish, synonyms=synonyms),
        version=2,
        variant="" if synonyms else "no-synonyms",
        unreadable="wrong",
        bounds=_label_bounds,
        unit="share",
        custom_badness=_miss_badness,
        read_answer=extract_label_or_none,
        without_synonyms=partial(_class_metric, name, finish, False) if synonyms else None,
    )


uar = _class_metric("uar", confusion.mean_known_recall)
uar_all = _class_metric("uar_all", confusion.mean_recall)
accuracy_matched = _class_metric("accuracy_matched", confusion.known_accuracy)
macro_f1 = _class_metric("macro_f1", confusion.macro_f1)
weighted_f1 = _class_metric("weighted_f1", confusion.weighted_f1)


# --- hits -------------------------------------------------------------------------------


def _score_hit(sample: Sample, output: Output, synonyms: bool = True) -> float:
    """Is the one label with the highest score the right one?"""
    said = get_predicted_label(sample, output)
    true, both = match_labels(sample, output, synonyms)
    return float(both.prediction_by_truth.get(true) == said)


def _score_top_k(sample: Sample, output: Output, synonyms: bool = True, k: int = 2) -> float:
    """Is the right label among the highest?"""
    values = require_class_scores(output).values
    if len(values) <= k:
        raise Unsuited(f"every one of {len(values)} labels is among the {k} highest")
    highest = sorted(values, key=lambda name: -values[name])[:k]
    true, both = match_labels(sample, output, synonyms)
    return float(both.prediction_by_truth.get(true) in highest)


def _score_hit_closed_set(sample: Sample, output: Output, synonyms: bool = True) -> float:
    """Is the right label the highest of those that mean one of the task's?"""
    values = require_class_scores(output).values
    true, both = match_labels(sample, output, synonyms)
    if not both.truth_by_prediction:
        raise Unsupported("none of the model's labels means one of the task's")
    said = max((name for name in values if name in both.truth_by_prediction), key=lambda each: values[each])
    return float(both.prediction_by_truth.get(true) == said)


def _hit_metric(name: str, score: Callable[..., float], synonyms: bool = True) -> Metric:
    return Metric(
        name,
        partial(score, synonyms=synonyms),
        mean,
        version=2,
        variant="" if synonyms else "no-synonyms",
        unreadable="wrong",
        bounds=constant_bounds((0.0, 1.0)),
        unit="share",
        has_label_ceiling=True,
        read_answer=extract_label_or_none,
        without_synonyms=partial(_hit_metric, name, score, False) if synonyms else None,
    )


accuracy = _hit_metric("accuracy", _score_hit)
wa = _hit_metric("wa", _score_hit)
accuracy_closed = _hit_metric("accuracy_closed", _score_hit_closed_set)
top2 = _hit_metric("top2", partial(_score_top_k, k=2))
top3 = _hit_metric("top3", partial(_score_top_k, k=3))


def _score_confidence(sample: Sample, output: Output, synonyms: bool = True) -> tuple[float, float]:
    """How sure the model was of what it said, and whether that was right."""
    values = require_class_scores(output, "probabilities")
    if values.scale != "probability":
        raise Unsuited(f"needs probabilities; this model's outputs are {values.scale}s")
    return max(values.values.values()), _score_hit(sample, output, synonyms)


def _calibration_metric(synonyms: bool = True) -> Metric:
    return Metric(
        "ece",
        partial(_score_confidence, synonyms=synonyms),
        ExpectedCalibrationError(),
        higher_is_better=False,
        variant="15-bins" if synonyms else "15-bins.no-synonyms",
        unit="share",
        without_synonyms=partial(_calibration_metric, False) if synonyms else None,
    )


ece = _calibration_metric()


# --- multiple choice --------------------------------------------------------------------


def extract_option_or_none(sample: Sample, output: Generation) -> str | None:
    """The place of the option an answer chooses, if any."""
    chosen = extract_option(output.text, get_choices(sample))
    return None if chosen is None else str(chosen)


def _score_option(sample: Sample, output: Generation) -> float:
    given = get_choices(sample)
    chosen, right = extract_option(output.text, given), resolve_option(sample.target, given)
    if chosen is None:
        raise Unreadable(f"names no option: {output.text[:80]!r}")
    if right is None or not given:
        return float(chosen == right)
    return float(given[chosen] == given[right])  # some data list the right option twice


def resolve_option(target: Json, options: Sequence[str]) -> int | None:
    """Which option a target means: its text, its letter, or its place counted from 0."""
    text = str(target).strip()
    folded = [each.strip().casefold() for each in options]
    if text.casefold() in folded:
        return folded.index(text.casefold())
    mark = text.strip("().:： ").upper()
    if mark.isascii() and mark.isdigit():
        at = int(mark)
    elif len(mark) == 1 and "A" <= mark <= "Z":
        at = ord(mark) - ord("A")
    else:
        return extract_option(text, options) if options else None
    return at if at < len(options) or not options else None


option_accuracy = Metric(
    "option_accuracy",
    _score_option,
    mean,
    version=2,
    unreadable="wrong",
    bounds=constant_bounds((0.0, 1.0)),
    unit="share",
    read_answer=extract_option_or_none,
)
