"""Error rates of listed words and of all others: B-WER and U-WER, as the public scorer of biasing lists has them.

The listed words of a sample are the entries of its list that its reference has. An error in a listed word of the
reference counts for B-WER, and so does an inserted word that is a listed word of the sample; all else counts for U-WER.
A word of the list that is not spoken and yet written is an error of U-WER, and is counted by `over_biasing`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from auricle.core.types import Sample
from auricle.metrics.base import Array, Details, Metric, RatioAggregator, Unit, divide
from auricle.metrics.capabilities import Restricted, Tokenized
from auricle.metrics.targets import reference_text
from auricle.metrics.texts import CountedText
from auricle.tasks.asr.words.alignment import Pair, align_weighted
from auricle.tasks.asr.words.word_lists import PhraseFinder, WordList, build_finder, read_row_entries

COLUMNS = ("biasing_words", "words")
"""Columns with the list of a row, in order of preference."""
PER_WORDS = 1000
"""Words of the reference that over-biasing is counted per."""


class BiasedCounts(NamedTuple):
    """Errors of the listed words and of the others, with the lengths of the reference."""

    b_substitutions: int
    b_deletions: int
    b_insertions: int
    b_length: int
    u_substitutions: int
    u_deletions: int
    u_insertions: int
    u_length: int
    over_biased: int
    """Wrong words of the answer that are on the list, but not in the reference."""
    thousands: float
    """Words of the reference, in thousands."""


def count_biased_errors(reference: Sequence[str], hypothesis: Sequence[str], finder: PhraseFinder) -> BiasedCounts:
    """Count the errors of listed words and of all others.

    >>> finder = PhraseFinder({("turin",): "", ("milan",): ""})
    >>> counts = count_biased_errors("to turin now".split(), "to milan now".split(), finder)
    >>> counts.b_substitutions, counts.b_length, counts.u_deletions, counts.u_length, counts.over_biased
    (1, 1, 0, 2, 1)
    """
    spoken = finder.find(reference)
    phrases = {tuple(reference[place.start : place.end]) for place in spoken}
    written = finder.find(hypothesis)
    listed = {position for place in spoken for position in range(place.start, place.end)}
    expected = {
        position
        for place in written
        if tuple(hypothesis[place.start : place.end]) in phrases
        for position in range(place.start, place.end)
    }
    unexpected = {position for place in written for position in range(place.start, place.end)} - expected
    counts = dict.fromkeys(BiasedCounts._fields, 0)
    for pair in align_weighted(reference, hypothesis):
        is_listed = pair.hypothesis in expected if pair.reference is None else pair.reference in listed
        side = "b" if is_listed else "u"
        counts[f"{side}_length"] += pair.reference is not None
        if error := _find_error(reference, hypothesis, pair):
            counts[f"{side}_{error}"] += 1
            counts["over_biased"] += pair.hypothesis in unexpected
    return BiasedCounts(**counts)._replace(thousands=len(reference) / PER_WORDS)


def _find_error(reference: Sequence[str], hypothesis: Sequence[str], pair: Pair) -> str:
    """Return the kind of error of a pair; an empty text if its words are equal."""
    if pair.hypothesis is None:
        return "deletions"
    if pair.reference is None:
        return "insertions"
    return "" if reference[pair.reference] == hypothesis[pair.hypothesis] else "substitutions"


def _describe(totals: Array) -> Details:
    names = ("substitutions", "deletions", "insertions", "reference_length")
    listed, others = (
        {name: int(totals[start + place]) for place, name in enumerate(names)} for start in (0, len(names))
    )
    errors = totals[:3].sum() + totals[4:7].sum()
    length = totals[3] + totals[7]
    return {"listed": listed, "others": others, "wer_weighted": divide(errors, length), "over_biased": int(totals[8])}


_AGGREGATES: Mapping[str, tuple[str, RatioAggregator]] = {
    "b_wer": ("B-WER", RatioAggregator((0, 1, 2), 3, _describe)),
    "u_wer": ("U-WER", RatioAggregator((4, 5, 6), 7)),
    "over_biasing": ("Over-biasing per 1,000 words", RatioAggregator((8,), 9)),
}


class BiasingMetric(CountedText, Tokenized):
    """A metric of listed words; all have the same statistic.

    Args:
        name: `b_wer`, `u_wer` or `over_biasing`.
        word_list: The list of all samples. By default, every row has its own.
        profile_name: Text normaliser.
    """

    higher_is_better = False

    def __init__(self, name: str, word_list: WordList | None = None, profile_name: str = "basic") -> None:
        self.convention = f"pooled.3-3-4.{f'list-{word_list.digest}' if word_list else 'rows'}"
        self._word_list = word_list
        title, aggregate = _AGGREGATES[name]
        unit: Unit = "points" if name == "over_biasing" else "share"
        super().__init__(name, profile_name, aggregate=aggregate, title=title, unit=unit)

    def _set_profile(self, name: str) -> None:
        super()._set_profile(name)
        vars(self).pop("_common_finder", None)  # that of the profile before

    @cached_property
    def _common_finder(self) -> PhraseFinder:
        return build_finder(self._word_list.entries if self._word_list else (), self.split)

    def _find_list(self, sample: Sample) -> PhraseFinder:
        if self._word_list:
            return self._common_finder
        return build_finder(read_row_entries(sample.meta, COLUMNS) or (), self.split)

    def tokenize(self, text: str) -> list[str]:
        return self.split(text)

    def count(self, sample: Sample, text: str) -> tuple[float, ...]:
        reference = self.split(reference_text(sample.target))
        return tuple(count_biased_errors(reference, self.split(text), self._find_list(sample)))


class RowBiasingMetric(BiasingMetric, Restricted):
    """A metric of words that each row lists itself."""

    def applies(self, sample: Sample) -> bool:
        return has_row_list(sample)


def has_row_list(sample: Sample) -> bool:
    """Return whether a row has a list of its own; words with times are the transcript, not such a list."""
    values = next((value for name in COLUMNS if (value := sample.meta.get(name)) is not None), None)
    has_times = isinstance(values, (list, tuple)) and any(
        isinstance(value, Mapping) and "start" in value for value in values
    )
    return values is not None and not has_times


def biasing_metrics(word_list: WordList | None = None, profile_name: str = "basic") -> tuple[Metric, ...]:
    """Make all metrics of listed words."""
    make = BiasingMetric if word_list else RowBiasingMetric
    return tuple(make(name, word_list, profile_name) for name in _AGGREGATES)


b_wer, u_wer, over_biasing = biased_words = biasing_metrics()
