"""Metrics over generated text. Both sides go through the same normaliser profile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from auricle.core.types import Generation, Json, Sample
from auricle.metrics.base import Details, Metric, Sums, divide, mean, metric, within
from auricle.metrics.edits import errors, joined_errors
from auricle.text import mixed_tokens, profile, words

if TYPE_CHECKING:
    from auricle.metrics.base import Array

Tokens = Callable[[str], Sequence[str]]

# Columns of an error-rate stat. The last two give the utterance mean beside the pooled rate:
# an utterance without reference words has no rate of its own and only counts when pooled.
SUBSTITUTIONS, DELETIONS, INSERTIONS, LENGTH, RATE, RATED = range(6)


def _pooled(totals: Array) -> float:
    wrong = totals[SUBSTITUTIONS] + totals[DELETIONS] + totals[INSERTIONS]
    return divide(wrong, totals[LENGTH])


def _error_details(totals: Array) -> Details:
    return {
        "substitutions": int(totals[SUBSTITUTIONS]),
        "deletions": int(totals[DELETIONS]),
        "insertions": int(totals[INSERTIONS]),
        "reference_length": int(totals[LENGTH]),
        "utterance_mean": divide(totals[RATE], totals[RATED]),
    }


pooled_errors = Sums(_pooled, _error_details)


def error_rate(name: str, tokens: Tokens, profile_name: str) -> Metric:
    """Edit errors over reference tokens, pooled over the corpus."""
    chosen = profile(profile_name)
    normalise = chosen.apply
    compared = joined_errors if chosen.joins else errors

    def count(target: Json, text: str) -> tuple[float, ...]:
        reference = tokens(normalise(reference_text(target)))
        wrong = compared(reference, tokens(normalise(text)))
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
        pooled_errors,
        higher_is_better=False,
        variant=f"pooled.{chosen.signature}",
        bounds=bounds,
        unit="share",
        under=partial(error_rate, name, tokens),
        view=lambda text: list(tokens(normalise(text))),
        rank=lambda stat: sum(stat[:LENGTH]) / max(1.0, stat[LENGTH]),
        reading=lambda _, output: normalise(output.text),
    )


def reference_text(target: Json) -> str:
    return target if isinstance(target, str) else str(target)


def references(target: Json) -> list[str]:
    """A target is one acceptable answer or a list of them."""
    many = target if isinstance(target, (list, tuple)) else [target]
    return [reference_text(each) for each in many]


def matching(name: str, matches: Callable[[str, str], bool], profile_name: str) -> Metric:
    """Does the answer match any of the references, once both are normalised?"""
    normalise = profile(profile_name)

    def score(sample: Sample, output: Generation) -> float:
        answer = normalise(output.text)
        return float(any(matches(normalise(each), answer) for each in references(sample.target)))

    return Metric(
        name,
        score,
        mean,
        variant=normalise.signature,
        bounds=within((0.0, 1.0)),
        unit="share",
        under=partial(matching, name, matches),
        reading=lambda _, output: normalise(output.text),
    )


def letters(text: str) -> str:
    """Every character, spaces too: a text is the sequence of its characters already."""
    return text


def _equal(reference: str, answer: str) -> bool:
    return reference == answer


def _inside(reference: str, answer: str) -> bool:
    """Whole words only where a script has words: `no` does not stand in `notice`."""
    wanted, given = (" ".join(mixed_tokens(text)) for text in (reference, answer))
    return bool(wanted) and f" {wanted} " in f" {given} "


wer = error_rate("wer", words, "basic")
cer = error_rate("cer", letters, "basic")
mer = error_rate("mer", mixed_tokens, "mixed")
exact_match = matching("exact_match", _equal, "basic")
contains = matching("contains", _inside, "basic")


@metric(higher_is_better=False, limits=(0.0, 1.0))
def empty(sample: Sample, output: Generation) -> float:
    """Is the answer empty, or only white space?"""
    return float(not output.text.strip())
