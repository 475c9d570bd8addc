"""Metrics over generated text. Both sides go through the same normaliser profile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from auricle.core.types import Generation, Json, Sample
from auricle.metrics.base import Details, Metric, SumAggregator, constant_bounds, divide, mean, metric
from auricle.metrics.edit_distance import count_errors, count_errors_with_joins
from auricle.text import get_profile, split_mixed, split_words

if TYPE_CHECKING:
    from auricle.metrics.base import Array

Tokenizer = Callable[[str], Sequence[str]]

# Columns of an error-rate stat. The last two give the utterance mean beside the pooled rate:
# an utterance without reference words has no rate of its own and only counts when pooled.
SUBSTITUTIONS, DELETIONS, INSERTIONS, LENGTH, RATE, RATE_COUNT = range(6)


def _pooled_rate(totals: Array) -> float:
    wrong = totals[SUBSTITUTIONS] + totals[DELETIONS] + totals[INSERTIONS]
    return divide(wrong, totals[LENGTH])


def _error_details(totals: Array) -> Details:
    return {
        "substitutions": int(totals[SUBSTITUTIONS]),
        "deletions": int(totals[DELETIONS]),
        "insertions": int(totals[INSERTIONS]),
        "reference_length": int(totals[LENGTH]),
        "utterance_mean": divide(totals[RATE], totals[RATE_COUNT]),
    }


pooled_error_rate = SumAggregator(_pooled_rate, _error_details)


def error_rate_metric(name: str, tokenize: Tokenizer, profile_name: str) -> Metric:
    """Edit errors over reference tokens, pooled over the corpus."""
    chosen = get_profile(profile_name)
    normalise = chosen.apply
    compared = count_errors_with_joins if chosen.joins_compounds else count_errors

    def count(target: Json, text: str) -> tuple[float, ...]:
        reference = tokenize(normalise(reference_text(target)))
        wrong = compared(reference, tokenize(normalise(text)))
        length = len(reference)
        rate = sum(wrong) / length if length else 0.0
        return (*wrong, length, rate, float(length > 0))

    def score(sample: Sample, output: Generation) -> tuple[float, ...]:
        return count(sample.target, output.text)

    def bounds(sample: Sample) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return count(sample.target, ""), count(sample.target, reference_text(sample.target))

    return Metric(
        name,
        score,
        pooled_error_rate,
        higher_is_better=False,
        variant=f"pooled.{chosen.signature}",
        bounds=bounds,
        unit="share",
        with_profile=partial(error_rate_metric, name, tokenize),
        tokenize=lambda text: list(tokenize(normalise(text))),
        custom_badness=lambda stat: sum(stat[:LENGTH]) / max(1.0, stat[LENGTH]),
        read_answer=lambda _, output: normalise(output.text),
    )


def reference_text(target: Json) -> str:
    return target if isinstance(target, str) else str(target)


def reference_texts(target: Json) -> list[str]:
    """A target is one acceptable answer or a list of them."""
    many = target if isinstance(target, (list, tuple)) else [target]
    return [reference_text(each) for each in many]


def match_metric(name: str, matches: Callable[[str, str], bool], profile_name: str) -> Metric:
    """Does the answer match any of the references, once both are normalised?"""
    normalise = get_profile(profile_name)

    def score(sample: Sample, output: Generation) -> float:
        answer = normalise(output.text)
        return float(any(matches(normalise(each), answer) for each in reference_texts(sample.target)))

    return Metric(
        name,
        score,
        mean,
        variant=normalise.signature,
        bounds=constant_bounds((0.0, 1.0)),
        unit="share",
        with_profile=partial(match_metric, name, matches),
        read_answer=lambda _, output: normalise(output.text),
    )


def characters(text: str) -> str:
    """Every character, spaces too: a text is the sequence of its characters already."""
    return text


def _equal(reference: str, answer: str) -> bool:
    return reference == answer


def _contains_words(reference: str, answer: str) -> bool:
    """Whole words only where a script has words: `no` does not stand in `notice`."""
    wanted, given = (" ".join(split_mixed(text)) for text in (reference, answer))
    return bool(wanted) and f" {wanted} " in f" {given} "


wer = error_rate_metric("wer", split_words, "basic")
cer = error_rate_metric("cer", characters, "basic")
mer = error_rate_metric("mer", split_mixed, "mixed")
exact_match = match_metric("exact_match", _equal, "basic")
contains = match_metric("contains", _contains_words, "basic")


@metric(higher_is_better=False, limits=(0.0, 1.0))
def empty(sample: Sample, output: Generation) -> float:
    """Is the answer empty, or only white space?"""
    return float(not output.text.strip())
