"""Error rates and text matches; reference and answer are normalised with the same profile."""

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

# Columns of an error-rate statistic. The last two are for the mean over utterances; an utterance without
# reference words has no rate of its own and counts only in the pooled rate.
SUBSTITUTIONS, DELETIONS, INSERTIONS, LENGTH, RATE, RATE_COUNT = range(6)


def _pooled_rate(totals: Array) -> float:
    errors = totals[SUBSTITUTIONS] + totals[DELETIONS] + totals[INSERTIONS]
    return divide(errors, totals[LENGTH])


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
    """Make a metric of edit errors per reference token, pooled over the corpus."""
    profile = get_profile(profile_name)
    normalise = profile.apply
    count_edits = count_errors_with_joins if profile.joins_compounds else count_errors

    def count(target: Json, text: str) -> tuple[float, ...]:
        reference = tokenize(normalise(reference_text(target)))
        edits = count_edits(reference, tokenize(normalise(text)))
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
        title=name.upper(),
        variant=f"pooled.{profile.signature}",
        profile=profile.name,
        bounds=bounds,
        unit="share",
        plot="errors",
        with_profile=partial(error_rate_metric, name, tokenize),
        tokenize=lambda text: list(tokenize(normalise(text))),
        custom_badness=lambda stat: sum(stat[:LENGTH]) / max(1.0, stat[LENGTH]),
        read_answer=lambda _, output: normalise(output.text),
    )


def reference_text(target: Json) -> str:
    return target if isinstance(target, str) else str(target)


def reference_texts(target: Json) -> list[str]:
    """Return all acceptable answers; a target is one of them or a list."""
    references = target if isinstance(target, (list, tuple)) else [target]
    return [reference_text(reference) for reference in references]


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


def characters(text: str) -> str:
    """Return the text itself, which is a sequence of its characters including spaces."""
    return text


def _equal(reference: str, answer: str) -> bool:
    return reference == answer


def _contains_words(reference: str, answer: str) -> bool:
    """Match whole words if the script has words: `notice` does not contain `no`."""
    reference, answer = (" ".join(split_mixed(text)) for text in (reference, answer))
    return bool(reference) and f" {reference} " in f" {answer} "


wer = error_rate_metric("wer", split_words, "basic")
cer = error_rate_metric("cer", characters, "basic")
mer = error_rate_metric("mer", split_mixed, "mixed")
exact_match = match_metric("exact_match", "Exact match", _equal, "basic")
contains = match_metric("contains", "Contains", _contains_words, "basic")


@metric(title="Empty", higher_is_better=False, limits=(0.0, 1.0))
def empty(sample: Sample, output: Generation) -> float:
    """Return 1 if the answer is empty or only whitespace."""
    return float(not output.text.strip())
