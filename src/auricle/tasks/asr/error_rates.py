"""Error rates and text matches; reference and answer are normalised with the same profile."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from auricle.core.types import Generation, Json, Sample
from auricle.metrics.base import (
    Array,
    Details,
    Metric,
    RatioAggregator,
    Stats,
    constant_bounds,
    divide,
    mean,
    metric,
    stats_to_matrix,
)
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


def error_rate_metric(name: str, tokenize: Tokenizer, profile_name: str, version: int = 1) -> Metric:
    """Make a metric of edit errors per reference token, pooled over the corpus."""
    profile = get_profile(profile_name)
    if tokenize is split_all_characters and profile.forms_digits:
        # `seven` is one character as a digit, so that a single wrong word would cost several hundred per cent.
        profile = get_profile(f"{profile_name}{OPTION_MARK}{SPELLED}")
    normalise = profile.apply
    count_edits = count_errors_with_joins if profile.joins_compounds else count_errors

    def count(target: Json, text: str) -> tuple[float, ...]:
        expected, actual = normalise(reference_text(target)), normalise(text)
        reference = tokenize(expected)
        edits = (0, 0, 0) if expected == actual else count_edits(reference, tokenize(actual))
        length = len(reference)
        rate = sum(edits) / length if length else 0.0
        return (*edits, length, rate, float(length > 0))

    def score(sample: Sample, output: Generation) -> tuple[float, ...]:
        return count(sample.target, output.text)

    def bounds(sample: Sample) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return count(sample.target, ""), count(sample.target, reference_text(sample.target))

    return Metric(
        name,
        score,
        pooled_error_rate,
        higher_is_better=False,
        version=version,
        title=name.upper(),
        variant=f"pooled.{profile.signature}",
        profile=profile.name,
        bounds=bounds,
        unit="share",
        plot="errors",
        with_profile=partial(error_rate_metric, name, tokenize, version=version),
        tokenize=lambda text: list(tokenize(normalise(text))),
        badness=lambda stat: sum(stat[:LENGTH]) / max(1.0, stat[LENGTH]),
        read_answer=lambda _, output: normalise(output.text),
    )


def match_metric(name: str, title: str, matches: Callable[[str, str], bool], profile_name: str) -> Metric:
    """Make a metric of whether the normalised answer matches any of the references."""
    normalise = get_profile(profile_name)

    def score(sample: Sample, output: Generation) -> float:
        answer = normalise(output.text)
        return float(any(matches(normalise(reference), answer) for reference in reference_texts(sample.target)))

    return Metric(
        name,
        score,
        mean,
        title=title,
        variant=normalise.signature,
        profile=normalise.name,
        bounds=constant_bounds((0.0, 1.0)),
        unit="share",
        credit=float,
        with_profile=partial(match_metric, name, title, matches),
        read_answer=lambda _, output: normalise(output.text),
    )


def contains_words(reference: str, answer: str) -> bool:
    """Match whole words if the script has words: `notice` does not contain `no`."""
    reference, answer = (" ".join(split_mixed(text)) for text in (reference, answer))
    return bool(reference) and f" {reference} " in f" {answer} "


wer = error_rate_metric("wer", split_words, "basic")
cer = error_rate_metric("cer", split_all_characters, "basic", version=2)
mer = error_rate_metric("mer", split_mixed, "mixed")
exact_match = match_metric("exact_match", "Exact match", str.__eq__, "basic")
contains = match_metric("contains", "Contains", contains_words, "basic")


@metric(title="Empty", higher_is_better=False, limits=(0.0, 1.0))
def empty(sample: Sample, output: Generation) -> float:
    """Return 1 if the answer is empty or only whitespace."""
    return float(not output.text.strip())
