"""Decisions by likelihood and perplexities, on logprobs that are known."""

import math
from typing import Any

import pytest

from auricle.core.errors import SampleError, Unreadable, Unsupported
from auricle.core.types import Generation, Likelihood, Sample
from auricle.metrics import likelihood as rules
from auricle.metrics.catalogue import METRICS

CHOICES = ["ox", "hippopotamus", "猫猫猫"]
# Each rule prefers another option, so that none can stand in for another.
LOGPROBS = {"ox": (-4.0,), "hippopotamus": (-3.0, -1.5, -1.5), "猫猫猫": (-1.8,) * 3}
ALONE = {"ox": (-9.0,), "hippopotamus": (-6.0, -0.3, -0.3), "猫猫猫": (-2.0,) * 3}
WHOLE = {"ox": (-1.0, -4.0), "hippopotamus": (-1.0, -3.0, -1.5, -1.5), "猫猫猫": (-1.0, -9.0)}


def sample(target: Any, **more: Any) -> Any:
    return Sample(id="1", inputs={"choices": CHOICES, **more}, target=target)


def likelihoods(logprobs: Any, given: str = "context") -> Any:
    return [Likelihood(logprobs=each, text=f" {text}", conditioned_on=given) for text, each in logprobs.items()]


OUTPUTS = [*likelihoods(LOGPROBS), *likelihoods(ALONE, "nothing"), *likelihoods(WHOLE, "itself")]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("acc", [-4.0, -6.0, -5.4]),
        ("acc_token", [-4.0, -2.0, -1.8]),
        ("acc_char", [-4 / 2, -6 / 12, -5.4 / 3]),
        ("acc_byte", [-4 / 2, -6 / 12, -5.4 / 9]),
        ("acc_pmi", [5.0, 0.6, 0.6]),
        ("acc_whole", [-2.5, -7 / 4, -5.0]),
    ],
)
def test_a_rule_decides_by_its_own_value(name: str, values: Any) -> None:
    best = values.index(max(values))
    for target, choice in enumerate(CHOICES):
        for said in (target, "ABC"[target], choice):
            right, ties, missing = METRICS.get(name).score(sample(said), *OUTPUTS)
            assert (right, ties, missing) == (float(target == best), 0.0, 0.0)


def test_bytes_and_characters_differ_where_letters_are_long() -> None:
    outputs = [Likelihood(logprobs=(-4.0,), text=" abcd"), Likelihood(logprobs=(-3.6,), text=" 猫猫猫")]
    asked = Sample(id="1", inputs={"choices": ["abcd", "猫猫猫"]}, target=1)
    assert rules.acc_char.score(asked, *outputs)[0] == 0.0
    assert rules.acc_byte.score(asked, *outputs)[0] == 1.0


def test_of_two_options_alike_the_first_is_taken_and_counted() -> None:
    outputs = likelihoods({"ox": (-2.0,), "hippopotamus": (-2.0,), "猫猫猫": (-3.0,)})
    stats = [rules.acc.score(sample(target), *outputs) for target in "AB"]
    assert [stat[:2] for stat in stats] == [(1.0, 1.0), (0.0, 1.0)]
    assert rules.acc.aggregate(stats) == 0.5
    assert rules.acc.details(stats) == {"ties": 2}


def test_mutual_information_needs_the_options_alone() -> None:
    with pytest.raises(Unsupported, match="unconditional: true"):
        rules.acc_pmi.score(sample("A"), *likelihoods(LOGPROBS))


def test_the_whole_rule_needs_the_whole() -> None:
    with pytest.raises(Unsupported, match="whole: true"):
        rules.acc_whole.score(sample("A"), *likelihoods(LOGPROBS))


def test_an_answer_in_words_is_not_taken_for_likelihoods() -> None:
    with pytest.raises(Unsupported, match="ask with Choose"):
        rules.acc.score(sample("A"), Generation(text="A"))


def test_an_option_without_tokens_does_not_win() -> None:
    outputs = likelihoods({**LOGPROBS, "ox": ()})
    with pytest.raises(Unreadable, match="no token of an option"):
        rules.acc.score(sample("A"), *outputs)


def test_a_target_that_is_no_option_is_told() -> None:
    with pytest.raises(SampleError, match="'dog' is none of the options"):
        rules.acc.score(sample("dog"), *likelihoods(LOGPROBS))


# --- first tokens ----------------------------------------------------------------


def first(**told: Any) -> Any:
    return Generation(text="B", first_token_logprobs=told)


def test_the_likelier_of_a_letter_s_spellings_counts() -> None:
    said = Generation(text="B", first_token_logprobs={"A": -1.0, " B": -0.9, "B": -3.0, "The": -0.1})
    assert rules.acc_first.score(sample("B"), said) == (1.0, 0.0, 1.0)


def test_a_letter_that_was_not_told_is_null() -> None:
    assert rules.letter_logprobs(sample("B"), first(B=-0.9)) == [None, -0.9, None]
    stats = [rules.acc_first.score(sample("B"), first(B=-0.9))]
    assert rules.acc_first.details(stats) == {"ties": 0, "letters_missing": 2}


def test_without_any_letter_the_answer_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="none of the likeliest first tokens"):
        rules.acc_first.score(sample("B"), first(The=-0.1))


def test_an_answer_without_first_tokens_is_refused() -> None:
    with pytest.raises(Unsupported, match="ask with FirstToken"):
        rules.acc_first.score(sample("B"), Generation(text="B"))


# --- perplexity ------------------------------------------------------------------

TEXTS = [("the cat", (-1.0, -2.0, -0.5)), ("猫 sat\n on it ", (-3.0, -0.25))]
SURPRISE, TOKENS, WORDS, BYTES = 6.75, 5, 2 + 4, 7 + 3 + 5 + 7


def stats_of(measure: Any) -> Any:
    return [
        measure.score(Sample(id="1", inputs={}), Likelihood(logprobs=logprobs, text=text, conditioned_on="nothing"))
        for text, logprobs in TEXTS
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("token_perplexity", math.exp(SURPRISE / TOKENS)),
        ("word_perplexity", math.exp(SURPRISE / WORDS)),
        ("byte_perplexity", math.exp(SURPRISE / BYTES)),
        ("bits_per_byte", SURPRISE / BYTES / math.log(2)),
        ("sequence_perplexity", (math.exp(3.5 / 3) + math.exp(3.25 / 2)) / 2),
    ],
)
def test_a_perplexity_is_that_of_all_texts_together(name: str, value: Any) -> None:
    measure = METRICS.get(name)
    assert measure.fold(stats_of(measure)) == pytest.approx(value)
    assert not measure.higher_is_better


def test_lengths_stand_beside_a_perplexity() -> None:
    measure = rules.word_perplexity
    assert measure.details(stats_of(measure)) == {"tokens": TOKENS, "words": WORDS, "bytes": BYTES}


def test_a_text_no_model_would_write_is_infinitely_perplexing() -> None:
    outputs = Likelihood(logprobs=(-1e4,), text="x")
    stat = rules.token_perplexity.score(Sample(id="1", inputs={}), outputs)
    assert rules.token_perplexity.aggregate([stat]) == math.inf


def test_options_have_no_perplexity() -> None:
    with pytest.raises(Unsupported, match="ask with Continue"):
        rules.token_perplexity.score(sample("A"), *likelihoods(LOGPROBS))


def test_a_share_of_few_has_wilson_s_interval_and_not_none_at_all() -> None:
    from auricle.metrics.likelihood import choice_accuracy
    from auricle.metrics.statistics import compute_interval

    found = compute_interval([(1.0, 0.0, 0.0)] * 3, choice_accuracy)
    assert found.method == "wilson"
    assert found.low < 0.5 < found.high == 1.0
