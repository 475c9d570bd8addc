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
from auricle.metrics.alignment import align
from auricle.metrics.base import Metric, mean, within
from auricle.metrics.calibration import Calibration
from auricle.metrics.confusion import Confusion, Finish, Said, labels_of
from auricle.text import label, option

NEEDS_TEXT_OR_SCORES = (
    "needs class scores or text; this model's outputs are continuous dimensions, which eta2 and "
    "ccc_arousal are for"
)


def predicted(sample: Sample, output: Output) -> str:
    """The label an output stands for, as the model writes it; the first of equally high ones."""
    if isinstance(output, Prediction):
        values = scores_of(output).values
        return max(values, key=lambda name: values[name])
    if not isinstance(output, Generation):
        raise Unsuited(f"needs text or class scores, not {type(output).__name__}")
    found = label(output.text, choices(sample))
    if found is None:
        raise Unreadable(f"names no label: {output.text[:80]!r}")
    return found


def scores_of(output: Output, need: str = "class scores") -> Prediction:
    """An output as scores of classes, or why it is none."""
    if isinstance(output, Generation):
        raise Unsuited(f"needs {need}; this model writes text")
    if not isinstance(output, Prediction):
        raise Unsuited(f"needs {need}, not {type(output).__name__}")
    if output.scale == "continuous":
        raise Unsuited(NEEDS_TEXT_OR_SCORES)
    if not output.values:
        raise Unreadable("the model gave no scores")
    return output


def read_label(sample: Sample, output: Output) -> str | None:
    """The label an output stands for, if any."""
    try:
        return predicted(sample, output)
    except Unreadable:
        return None


def choices(sample: Sample) -> list[str]:
    given = sample.inputs.get("choices", ())
    return [str(each) for each in given] if isinstance(given, (list, tuple)) else [str(given)]


@dataclass(frozen=True, slots=True)
class Meeting:
    """How the task's labels and a model's meet, looked up from either side."""

    partners: Mapping[str, str]
    """The model's label for each of the task's that has one,"""
    means: Mapping[str, str]
    """and back."""


@lru_cache(maxsize=1024)
def _meeting(truths: tuple[str, ...], predictions: tuple[str, ...], synonyms: bool) -> Meeting:
    partners = align(truths, predictions, synonyms).partners
    return Meeting(partners, {said: true for true, said in partners.items()})


def matched(sample: Sample, output: Output, synonyms: bool) -> tuple[str, Meeting]:
    """The right label, which is one of those the task lists, and how the two sides meet."""
    true, listed = str(sample.target), labels_of(sample)
    if true not in listed:
        raise SampleError(f"its label {true!r} is none of the task's: {', '.join(listed[:20])}")
    own = tuple(output.values) if isinstance(output, Prediction) else listed
    return true, _meeting(listed, own, synonyms)


# --- figures over classes ---------------------------------------------------------------


def _said(sample: Sample, output: Output, synonyms: bool = True) -> Said:
    """What was said and what is true, and how the two sides' labels meet where they differ."""
    said = predicted(sample, output)
    true, both = matched(sample, output, synonyms)
    means, known = both.means.get(said), true in both.partners
    return (said, true) if means == said and known else (said, true, means, known)


def _said_bounds(sample: Sample) -> tuple[Stat, Stat]:
    return (None, str(sample.target)), (str(sample.target), str(sample.target))


def _missed(stat: Said) -> float:
    return float(confusion.meant(stat) != stat[1])


def _over_classes(name: str, finish: Finish, synonyms: bool = True) -> Metric:
    return Metric(
        name,
        partial(_said, synonyms=synonyms),
        Confusion(finish, synonyms=synonyms),
        version=2,
        variant="" if synonyms else "no-synonyms",
        unreadable="wrong",
        bounds=_said_bounds,
        unit="share",
        rank=_missed,
        reading=read_label,
        strict=partial(_over_classes, name, finish, False) if synonyms else None,
    )


uar = _over_classes("uar", confusion.recall)
uar_all = _over_classes("uar_all", confusion.recall_of_all)
accuracy_matched = _over_classes("accuracy_matched", confusion.share_of_known)
macro_f1 = _over_classes("macro_f1", confusion.macro_f1)
weighted_f1 = _over_classes("weighted_f1", confusion.weighted_f1)


# --- hits -------------------------------------------------------------------------------


def _hit(sample: Sample, output: Output, synonyms: bool = True) -> float:
    """Is the one label with the highest score the right one?"""
    said = predicted(sample, output)
    true, both = matched(sample, output, synonyms)
    return float(both.partners.get(true) == said)


def _among(sample: Sample, output: Output, synonyms: bool = True, most: int = 2) -> float:
    """Is the right label among the highest?"""
    values = scores_of(output).values
    if len(values) <= most:
        raise Unsuited(f"every one of {len(values)} labels is among the {most} highest")
    highest = sorted(values, key=lambda name: -values[name])[:most]
    true, both = matched(sample, output, synonyms)
    return float(both.partners.get(true) in highest)


def _hit_closed(sample: Sample, output: Output, synonyms: bool = True) -> float:
    """Is the right label the highest of those that mean one of the task's?"""
    values = scores_of(output).values
    true, both = matched(sample, output, synonyms)
    if not both.means:
        raise Unsupported("none of the model's labels means one of the task's")
    said = max((name for name in values if name in both.means), key=lambda each: values[each])
    return float(both.partners.get(true) == said)


def _of_hits(name: str, score: Callable[..., float], synonyms: bool = True) -> Metric:
    return Metric(
        name,
        partial(score, synonyms=synonyms),
        mean,
        version=2,
        variant="" if synonyms else "no-synonyms",
        unreadable="wrong",
        bounds=within((0.0, 1.0)),
        unit="share",
        capped=True,
        reading=read_label,
        strict=partial(_of_hits, name, score, False) if synonyms else None,
    )


accuracy = _of_hits("accuracy", _hit)
wa = _of_hits("wa", _hit)
accuracy_closed = _of_hits("accuracy_closed", _hit_closed)
top2 = _of_hits("top2", partial(_among, most=2))
top3 = _of_hits("top3", partial(_among, most=3))


def _confidence(sample: Sample, output: Output, synonyms: bool = True) -> tuple[float, float]:
    """How sure the model was of what it said, and whether that was right."""
    values = scores_of(output, "probabilities")
    if values.scale != "probability":
        raise Unsuited(f"needs probabilities; this model's outputs are {values.scale}s")
    return max(values.values.values()), _hit(sample, output, synonyms)


def _calibration(synonyms: bool = True) -> Metric:
    return Metric(
        "ece",
        partial(_confidence, synonyms=synonyms),
        Calibration(),
        higher_is_better=False,
        variant="15-bins" if synonyms else "15-bins.no-synonyms",
        unit="share",
        strict=partial(_calibration, False) if synonyms else None,
    )


ece = _calibration()


# --- multiple choice --------------------------------------------------------------------


def read_option(sample: Sample, output: Generation) -> str | None:
    """The place of the option an answer chooses, if any."""
    chosen = option(output.text, choices(sample))
    return None if chosen is None else str(chosen)


def _right_option(sample: Sample, output: Generation) -> float:
    given = choices(sample)
    chosen, right = option(output.text, given), option_index(sample.target, given)
    if chosen is None:
        raise Unreadable(f"names no option: {output.text[:80]!r}")
    if right is None or not given:
        return float(chosen == right)
    return float(given[chosen] == given[right])  # some data list the right option twice


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
    version=2,
    unreadable="wrong",
    bounds=within((0.0, 1.0)),
    unit="share",
    reading=read_option,
)
