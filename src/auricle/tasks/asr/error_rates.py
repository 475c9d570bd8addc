"""Error rates and text matches; reference and answer are normalised with the same profile."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from auricle.core.types import Generation, Json, Sample
from auricle.metrics.base import (
    Array,
    Details,
    Metric,
    Plot,
    RatioAggregator,
    Stats,
    constant_bounds,
    divide,
    mean,
    metric,
    stats_to_matrix,
)
from auricle.metrics.capabilities import Bounded, Credited, Profiled, ReadsAnswer, Tokenized
from auricle.metrics.edit_counts import DELETIONS, EDIT_STATISTICS, INSERTIONS, LENGTH, RATE, RATE_COUNT, SUBSTITUTIONS
from auricle.metrics.targets import reference_text, reference_texts
from auricle.text import get_profile, split_mixed, split_words
from auricle.text.profile_options import OPTION_MARK, SPELLED

# `white paper` against `whitepaper` is normally two errors. With joins, as on the Open ASR Leaderboard, it is none:
# words of one side that together spell one word of the other match at no cost. The reference length does not change.
#
# One integer packs the total, the deletions and the insertions: a table row is then one array, and the minimum
# of the integers is the cheapest alignment.
_INSERTION = (1 << 42) + 1
_DELETION = (1 << 42) + (1 << 21)
_SUBSTITUTION = 1 << 42
_COUNT_MASK = _DELETION - _SUBSTITUTION - 1


class JoinedWords(NamedTuple):
    """Words from `start` to `end` that together spell one word of the other side."""

    start: int
    end: int
    text: str


def count_errors(reference: Sequence[str], hypothesis: Sequence[str]) -> tuple[int, int, int]:
    """Return the substitutions, deletions and insertions of a minimum-cost alignment."""
    if reference == hypothesis:
        return 0, 0, 0
    tags = [tag for tag, _, _ in Levenshtein.editops(reference, hypothesis).as_list()]
    return tags.count("replace"), tags.count("delete"), tags.count("insert")


def count_errors_with_joins(reference: Sequence[str], hypothesis: Sequence[str]) -> tuple[int, int, int]:
    """Return the same counts when neighbouring words may be joined on either side."""
    reference_joins = list(_find_joins(reference, set(hypothesis)))
    hypothesis_joins = list(_find_joins(hypothesis, set(reference)))
    if not reference_joins and not hypothesis_joins:
        return count_errors(reference, hypothesis)
    cheapest = _minimum_cost(reference, hypothesis, reference_joins, hypothesis_joins)
    deletions, insertions = cheapest >> 21 & _COUNT_MASK, cheapest & _COUNT_MASK
    return (cheapest >> 42) - deletions - insertions, deletions, insertions


def _find_joins(words: Sequence[str], vocabulary: set[str]) -> Iterator[JoinedWords]:
    longest = max(map(len, vocabulary), default=0)
    for end in range(2, len(words) + 1):
        joined = words[end - 1]
        for start in range(end - 2, -1, -1):
            joined = words[start] + joined
            if len(joined) > longest:
                break
            if joined in vocabulary:
                yield JoinedWords(start, end, joined)


def _minimum_cost(
    reference: Sequence[str],
    hypothesis: Sequence[str],
    reference_joins: list[JoinedWords],
    hypothesis_joins: list[JoinedWords],
) -> int:
    """Fill the alignment table row by row, keeping only the rows that the longest join refers to."""
    import numpy as np

    codes = {word: code for code, word in enumerate({*reference, *hypothesis})}
    hypothesis_codes = np.array([codes[word] for word in hypothesis], dtype=np.int64)
    inserted = np.arange(len(hypothesis) + 1, dtype=np.int64) * _INSERTION
    rows = deque([inserted], maxlen=max((join.end - join.start for join in reference_joins), default=1))
    for row, word in enumerate(reference, start=1):
        above = rows[-1]
        best = above + _DELETION
        substitution = np.where(hypothesis_codes == codes[word], 0, _SUBSTITUTION)
        best[1:] = np.minimum(best[1:], above[:-1] + substitution)
        for join in (join for join in reference_joins if join.end == row):
            positions = np.flatnonzero(hypothesis_codes == codes[join.text])
            best[positions + 1] = np.minimum(best[positions + 1], rows[join.start - row][positions])
        for join in (join for join in hypothesis_joins if join.text == word):
            best[join.end] = min(best[join.end], above[join.start])
        rows.append(np.minimum.accumulate(best - inserted) + inserted)
    return int(rows[-1][-1])


# --- metrics ---------------------------------------------------------------------------------

Tokenizer = Callable[[str], Sequence[str]]


def split_all_characters(text: str) -> Sequence[str]:
    """Return a text as the sequence of its characters: with spaces between words, but none at its ends, as jiwer."""
    return text.strip()


def _error_details(totals: Array) -> Details:
    counts = {name: int(total) for name, total in zip(EDIT_STATISTICS, totals, strict=False)}
    return {**counts, "utterance_mean": divide(totals[RATE], totals[RATE_COUNT])}


class PooledErrorRate(RatioAggregator):
    """Errors per reference token over all samples; tokens inserted where the reference is empty count, too."""

    def __init__(self) -> None:
        super().__init__((SUBSTITUTIONS, DELETIONS, INSERTIONS), LENGTH, _error_details)

    def detail_columns(self, stats: Stats) -> Array:
        """Return which samples are silent, which of them have insertions, and how many."""
        import numpy as np

        table = stats_to_matrix(stats)
        is_silent = table[:, LENGTH] == 0
        inserted = table[:, INSERTIONS] * is_silent
        return np.column_stack([is_silent, inserted > 0, inserted]).astype(np.float64)

    def describe_totals(self, totals: Array, detail_totals: Array) -> Details:
        """Return the counts of errors, and those on silence if there are empty references."""
        samples, with_insertions, insertions = (int(total) for total in detail_totals)
        silence = {"samples": samples, "with_insertions": with_insertions, "insertions": insertions}
        return {**_error_details(totals), **({"silence": silence} if samples else {})}


pooled_error_rate = PooledErrorRate()


class EditErrors(Metric):
    """Edit errors per token of the reference, pooled over the corpus: (S + D + I) / N."""

    higher_is_better, unit = False, "share"
    plot: Plot = "errors"
    aggregate = pooled_error_rate

    def badness(self, stat: tuple[float, ...]) -> float:
        return sum(stat[:LENGTH]) / max(1.0, stat[LENGTH])


class ErrorRate(EditErrors, Profiled):
    """The error rate of normalised texts; a subclass says which texts are compared."""

    def __init__(self, name: str, split: Tokenizer, profile_name: str, *, version: int = 1, title: str = "") -> None:
        profile = get_profile(profile_name)
        if split is split_all_characters and profile.forms_digits:
            # `seven` is one character as a digit, so that a single wrong word would cost several hundred per cent.
            profile = get_profile(f"{profile_name}{OPTION_MARK}{SPELLED}")
        variant = f"pooled.{profile.signature}"
        super().__init__(name, version=version, title=title or name.upper(), variant=variant, profile=profile.name)
        self.split = split
        self.normalise = profile.apply
        self._count_edits = count_errors_with_joins if profile.joins_compounds else count_errors

    def count(self, target: Json, text: str) -> tuple[float, ...]:
        """Return the statistic of a text against a reference."""
        expected, actual = self.normalise(reference_text(target)), self.normalise(text)
        reference = self.split(expected)
        edits = (0, 0, 0) if expected == actual else self._count_edits(reference, self.split(actual))
        length = len(reference)
        rate = sum(edits) / length if length else 0.0
        return (*edits, length, rate, float(length > 0))

    def count_bounds(self, target: Json) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return the statistics of an empty and of a perfect text."""
        return self.count(target, ""), self.count(target, reference_text(target))

    def with_profile(self, profile: str) -> Metric:
        return type(self)(self.name, self.split, profile, version=self.version, title=self.title)


class TranscriptErrorRate(ErrorRate, Bounded, Tokenized, ReadsAnswer):
    """The error rate of what a model wrote."""

    def score(self, sample: Sample, output: Generation) -> tuple[float, ...]:
        return self.count(sample.target, output.text)

    def bounds(self, sample: Sample) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return self.count_bounds(sample.target)

    def tokenize(self, text: str) -> list[str]:
        return list(self.split(self.normalise(text)))

    def read_answer(self, _: Sample, output: Generation) -> str:
        return self.normalise(output.text)


class MatchMetric(Metric, Profiled, Bounded, Credited, ReadsAnswer):
    """Whether the normalised answer matches any of the references."""

    unit, aggregate = "share", mean
    bounds = constant_bounds((0.0, 1.0))
    credit = staticmethod(float)

    def __init__(self, name: str, title: str, matches: Callable[[str, str], bool], profile_name: str) -> None:
        self.normalise = get_profile(profile_name)
        super().__init__(name, title=title, variant=self.normalise.signature, profile=self.normalise.name)
        self.matches = matches

    def score(self, sample: Sample, output: Generation) -> float:
        answer = self.normalise(output.text)
        references = map(self.normalise, reference_texts(sample.target))
        return float(any(self.matches(reference, answer) for reference in references))

    def with_profile(self, profile: str) -> Metric:
        return MatchMetric(self.name, self.title, self.matches, profile)

    def read_answer(self, _: Sample, output: Generation) -> str:
        return self.normalise(output.text)


def contains_words(reference: str, answer: str) -> bool:
    """Match whole words if the script has words: `notice` does not contain `no`."""
    reference, answer = (" ".join(split_mixed(text)) for text in (reference, answer))
    return bool(reference) and f" {reference} " in f" {answer} "


wer = TranscriptErrorRate("wer", split_words, "basic")
cer = TranscriptErrorRate("cer", split_all_characters, "basic", version=2)
mer = TranscriptErrorRate("mer", split_mixed, "mixed")
exact_match = MatchMetric("exact_match", "Exact match", str.__eq__, "basic")
contains = MatchMetric("contains", "Contains", contains_words, "basic")


@metric(title="Empty", higher_is_better=False, limits=(0.0, 1.0))
def empty(sample: Sample, output: Generation) -> float:
    """Return 1 if the answer is empty or only whitespace."""
    return float(not output.text.strip())
