"""Precision, recall and F1 of numbers by value, whether they are written in digits or in words.

Numbers are read from the texts before any normaliser. Both texts are aligned with a placeholder for every number, so
that wrong numbers are aligned, too. A number is right if it shares a reading with the one at its place. Neighbouring
numbers count as one (`auricle.text.spoken_numbers`); a word such as "one" alone counts only opposite another number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from auricle.core.types import Generation, Sample
from auricle.metrics.base import Array, Details, Metric, RatioAggregator
from auricle.metrics.capabilities import Bounded
from auricle.metrics.f_measure import PooledF1
from auricle.metrics.targets import reference_text
from auricle.tasks.asr.words.alignment import align
from auricle.text.spoken_numbers import Mention, Word, read_mentions

_PLACEHOLDER = "\0"


class NumberCounts(NamedTuple):
    """Numbers of both texts."""

    right: int
    spoken: int
    written: int
    wrong: int
    """Numbers with another value at the same place."""


def count_numbers(reference: str, hypothesis: str) -> NumberCounts:
    """Count the numbers of two texts.

    >>> count_numbers("on may 3rd at ten thirty", "on May third at 10:13")
    NumberCounts(right=1, spoken=2, written=2, wrong=1)
    """
    right = spoken = written = wrong = 0
    for expected, actual in _pair_numbers(read_mentions(reference), read_mentions(hypothesis)):
        is_right = bool(expected and actual and set(expected.readings) & set(actual.readings))
        right += is_right
        spoken += expected is not None
        written += actual is not None
        wrong += bool(expected and actual) and not is_right
    return NumberCounts(right, spoken, written, wrong)


def _pair_numbers(
    reference: list[Mention | Word], hypothesis: list[Mention | Word]
) -> Iterator[tuple[Mention | None, Mention | None]]:
    """Yield the numbers at each place; None for a side that has none."""
    for pair in align(*([_key(part) for part in side] for side in (reference, hypothesis))):
        expected = None if pair.reference is None else reference[pair.reference]
        actual = None if pair.hypothesis is None else hypothesis[pair.hypothesis]
        sides = [part if isinstance(part, Mention) else None for part in (expected, actual)]
        if any(side and side.is_certain for side in sides):
            yield sides[0], sides[1]


def _key(part: Mention | Word) -> str:
    return _PLACEHOLDER if isinstance(part, Mention) and part.is_certain else part.text


def _describe(totals: Array) -> Details:
    right, spoken, written, wrong = (int(total) for total in totals[:4])
    return {
        "right": right,
        "in_reference": spoken,
        "in_answer": written,
        "wrong_value": wrong,
        "missing": spoken - right - wrong,
        "added": written - right - wrong,
    }


class NumberMetric(Metric, Bounded):
    """A metric of numbers; all have the same statistic."""

    variant, unit = "aligned.values:1", "share"

    def score(self, sample: Sample, output: Generation) -> tuple[int, ...]:
        return tuple(count_numbers(reference_text(sample.target), output.text))

    def bounds(self, sample: Sample) -> tuple[tuple[int, ...], tuple[int, ...]]:
        text = reference_text(sample.target)
        best = tuple(count_numbers(text, text))
        spoken = best[1]
        return (0, spoken, spoken, spoken), best

    def badness(self, stat: Sequence[int]) -> float:
        return float(stat[1] + stat[2] - 2 * stat[0])


number_f1 = NumberMetric("number_f1", aggregate=PooledF1((0, 0), (1, 2), _describe), title="Number F1")
number_recall = NumberMetric("number_recall", aggregate=RatioAggregator((0,), 1, is_share=True), title="Number recall")
number_precision = NumberMetric(
    "number_precision", aggregate=RatioAggregator((0,), 2, is_share=True), title="Number precision"
)
number_value_errors = NumberMetric(
    "number_value_errors",
    aggregate=RatioAggregator((3,), 1, is_share=True),
    higher_is_better=False,
    title="Numbers with a wrong value",
)
numbers = (number_f1, number_recall, number_precision, number_value_errors)
