"""Numbers as plain text."""

import pytest

from auricle.core.signature import Signature
from auricle.core.types import Likelihood
from auricle.metrics.catalogue import metric_title
from auricle.report.text_format import format_counts, format_coverage, format_likelihood, format_number, format_silence
from auricle.runs.metrics import Number
from auricle.scoring.refusals import group_by_reason


@pytest.mark.parametrize(("value", "unit", "expected"), [(0.1234, "share", "12.34 %"), (3.0, "points", "3")])
def test_a_number_is_formatted_in_its_unit(value: float, unit: str, expected: str) -> None:
    assert format_number(value, unit) == expected


def make_number(scored: int, total: int) -> Number:
    return Number(metric="wer", details={}, value=0.1, scored=scored, total=total, signature=Signature.parse("wer:1"))


def test_only_complete_coverage_is_one_hundred_percent() -> None:
    assert format_coverage(make_number(9_999, 10_000)) == "99.9 %"
    assert format_coverage(make_number(10, 10)) == "100 %"
    assert format_coverage(make_number(0, 0)) == "–"


def test_metrics_of_several_dimensions_are_named_once_per_reason() -> None:
    refused = {"ccc_arousal": "no ratings", "wer": "no text", "ccc_valence": "no ratings"}
    assert group_by_reason(refused) == [(["ccc"], "no ratings"), (["wer"], "no text")]
    assert group_by_reason(refused, metric_title) == [(["CCC"], "no ratings"), (["WER"], "no text")]


def test_insertions_on_silence_are_counted_with_their_samples() -> None:
    silence = {"samples": 5, "with_insertions": 3, "insertions": 1200}
    assert format_silence({"silence": silence}) == "1,200 inserted on silence (3 of 5 samples)"
    assert format_silence({"insertions": 4}) == ""


def test_counts_of_some_metrics_are_formatted() -> None:
    assert format_counts({"words": 1200, "minutes": 8.504}) == "1,200 words in 8.5 minutes"
    assert format_counts({"official": 1, "corrected": 2, "neither": 3, "clips": 4}) == (
        "1 official, 2 corrected, 3 neither"
    )
    pairs = {"same_speaker": 0.85, "different_speaker": 0.41234}
    assert format_counts(pairs) == "people: same speaker 0.8500, different speakers 0.4123"
    assert format_counts({"different_speaker": 0.5}) == "people: different speakers 0.5000"
    assert format_counts({"words": 4}) == ""


def test_a_likelihood_names_its_text_and_tokens() -> None:
    likelihood = Likelihood(logprobs=(-3.0, -0.1), text="a cat")
    assert format_likelihood(likelihood, "a cat").startswith("a cat: log-likelihood -3.100 over 2 tokens")


def test_a_likelihood_without_a_number_of_tokens_has_none_in_its_text() -> None:
    likelihood = Likelihood(logprobs=(-3.1,), text="a cat", conditioned_on="nothing", is_sum=True)
    assert format_likelihood(likelihood) == "a cat: log-likelihood -3.100, without a prompt"
