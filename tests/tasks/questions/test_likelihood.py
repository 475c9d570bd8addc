"""Accuracies by likelihood and perplexities, with known log-probabilities."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import pytest

from auricle import Metric
from auricle.core.errors import SampleError, Unreadable, Unsuited, Unsupported
from auricle.core.types import Generation, Json, Likelihood, Sample
from auricle.metrics.capabilities import Bounded
from auricle.metrics.catalogue import METRICS
from auricle.metrics.intervals import compute_interval
from auricle.tasks.questions import likelihood

CHOICES = ["ox", "hippopotamus", "猫猫猫"]
# The rules prefer different options, so that no rule can pass for another.
CONDITIONAL = {"ox": (-4.0,), "hippopotamus": (-3.0, -1.5, -1.5), "猫猫猫": (-1.8,) * 3}
UNCONDITIONAL = {"ox": (-9.0,), "hippopotamus": (-6.0, -0.3, -0.3), "猫猫猫": (-2.0,) * 3}
TOGETHER = {"ox": (-1.0, -4.0), "hippopotamus": (-1.0, -3.0, -1.5, -1.5), "猫猫猫": (-1.0, -9.0)}
TEXTS = [("the cat", (-1.0, -2.0, -0.5)), ("猫 sat\n on it ", (-3.0, -0.25))]
SURPRISAL, TOKENS, WORDS, BYTES = 6.75, 5, 2 + 4, 7 + 3 + 5 + 7


def sample(target: Json) -> Sample:
    return Sample(id="1", inputs={"choices": CHOICES}, target=target)


def likelihoods(
    logprobs: Mapping[str, Sequence[float]], condition: Literal["context", "nothing", "itself"] = "context"
) -> list[Likelihood]:
    return [
        Likelihood(logprobs=tuple(values), text=f" {text}", conditioned_on=condition)
        for text, values in logprobs.items()
    ]


OUTPUTS = [*likelihoods(CONDITIONAL), *likelihoods(UNCONDITIONAL, "nothing"), *likelihoods(TOGETHER, "itself")]


def first_token(**logprobs: float) -> Generation:
    return Generation(text="B", first_token_logprobs=logprobs)


def text_stats(metric: Metric) -> list[Any]:
    return [
        metric.score(Sample(id="1", inputs={}), Likelihood(logprobs=logprobs, text=text, conditioned_on="nothing"))
        for text, logprobs in TEXTS
    ]


# --- accuracy -------------------------------------------------------------------


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
def test_each_rule_chooses_its_highest_value(name: str, values: list[float]) -> None:
    best = values.index(max(values))
    for target, choice in enumerate(CHOICES):
        for spelling in (target, "ABC"[target], choice):
            right, ties, missing = METRICS.get(name).score(sample(spelling), *OUTPUTS)
            assert (right, ties, missing) == (float(target == best), 0.0, 0.0)


def test_bytes_and_characters_give_different_choices() -> None:
    outputs = [Likelihood(logprobs=(-4.0,), text=" abcd"), Likelihood(logprobs=(-3.6,), text=" 猫猫猫")]
    question = Sample(id="1", inputs={"choices": ["abcd", "猫猫猫"]}, target=1)
    assert likelihood.acc_char.score(question, *outputs) == (0.0, 0.0, 0.0)
    assert likelihood.acc_byte.score(question, *outputs) == (1.0, 0.0, 0.0)


def test_the_first_of_tied_options_is_chosen_and_ties_are_counted() -> None:
    outputs = likelihoods({"ox": (-2.0,), "hippopotamus": (-2.0,), "猫猫猫": (-3.0,)})
    stats = [likelihood.acc.score(sample(target), *outputs) for target in "AB"]
    assert stats == [(1.0, 1.0, 0.0), (0.0, 1.0, 0.0)]
    assert likelihood.acc.aggregate(stats) == 0.5
    assert likelihood.acc.details(stats) == {"ties": 2}


def test_mutual_information_needs_unconditional_likelihoods() -> None:
    with pytest.raises(Unsupported, match="unconditional: true"):
        likelihood.acc_pmi.score(sample("A"), *likelihoods(CONDITIONAL))


def test_acc_whole_needs_prompt_and_option_together() -> None:
    with pytest.raises(Unsupported, match="whole: true"):
        likelihood.acc_whole.score(sample("A"), *likelihoods(CONDITIONAL))


def test_values_per_token_are_left_out_if_the_number_of_tokens_is_unknown() -> None:
    sums = [replace(option, logprobs=(option.total,), is_sum=True) for option in OUTPUTS]
    assert likelihood.acc.score(sample("ox"), *sums) == (1.0, 0.0, 0.0)
    for metric in (likelihood.acc_token, likelihood.acc_whole):
        with pytest.raises(Unsuited, match="the number of its tokens is unknown"):
            metric.score(sample("ox"), *sums)


def test_text_answers_are_rejected() -> None:
    with pytest.raises(Unsupported, match="use the inferencer Choose"):
        likelihood.acc.score(sample("A"), Generation(text="A"))


def test_an_option_without_tokens_is_unreadable() -> None:
    outputs = likelihoods({**CONDITIONAL, "ox": ()})
    with pytest.raises(Unreadable, match="no token log-probabilities for an option"):
        likelihood.acc.score(sample("A"), *outputs)


def test_a_target_that_is_not_an_option_fails_the_sample() -> None:
    with pytest.raises(SampleError, match="'dog' is not one of the options"):
        likelihood.acc.score(sample("dog"), *likelihoods(CONDITIONAL))


def test_options_without_a_prompt_are_compared_after_nothing() -> None:
    assert likelihood.acc.score(sample("猫猫猫"), *likelihoods(UNCONDITIONAL, "nothing")) == (1.0, 0.0, 0.0)


def test_a_target_is_one_of_the_choices_or_without_them_of_the_texts() -> None:
    outputs = [Likelihood(logprobs=(-4.0,), text=" first"), Likelihood(logprobs=(-1.0,), text=" second")]
    with_choices = Sample(id="1", inputs={"choices": ["ox", "cat"]}, target="cat")
    assert likelihood.acc.score(with_choices, *outputs) == (1.0, 0.0, 0.0)
    without_choices = Sample(id="1", inputs={}, target="second")
    assert likelihood.acc.score(without_choices, *outputs) == (1.0, 0.0, 0.0)


def test_an_accuracy_of_few_samples_is_not_certain() -> None:
    interval = compute_interval([(1.0, 0.0, 0.0)] * 3, likelihood.choice_accuracy)
    assert interval.method == "mid-p"
    assert interval.low < 0.5 < interval.high == 1.0


# --- first tokens ----------------------------------------------------------------


def test_the_likelier_spelling_of_a_letter_counts() -> None:
    output = Generation(text="B", first_token_logprobs={"A": -1.0, " B": -0.9, "B": -3.0, "The": -0.1})
    assert likelihood.acc_first.score(sample("B"), output) == (1.0, 0.0, 1.0)


def test_a_letter_without_log_probability_is_none() -> None:
    assert likelihood.letter_logprobs(sample("B"), first_token(B=-0.9)) == [None, -0.9, None]
    stats = [likelihood.acc_first.score(sample("B"), first_token(B=-0.9))]
    assert likelihood.acc_first.details(stats) == {"ties": 0, "letters_missing": 2}


def test_without_any_letter_the_answer_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="none of the likeliest first tokens"):
        likelihood.acc_first.score(sample("B"), first_token(The=-0.1))


def test_an_answer_without_first_tokens_is_rejected() -> None:
    with pytest.raises(Unsupported, match="use the inferencer FirstToken"):
        likelihood.acc_first.score(sample("B"), Generation(text="B"))


# --- perplexity ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("token_perplexity", math.exp(SURPRISAL / TOKENS)),
        ("word_perplexity", math.exp(SURPRISAL / WORDS)),
        ("byte_perplexity", math.exp(SURPRISAL / BYTES)),
        ("bits_per_byte", SURPRISAL / BYTES / math.log(2)),
        ("sequence_perplexity", (math.exp(3.5 / 3) + math.exp(3.25 / 2)) / 2),
    ],
)
def test_perplexities_are_pooled(name: str, value: float) -> None:
    metric = METRICS.get(name)
    assert metric.aggregate(text_stats(metric)) == pytest.approx(value)
    assert not metric.higher_is_better


def test_details_of_a_perplexity_are_the_lengths() -> None:
    metric = likelihood.word_perplexity
    assert metric.details(text_stats(metric)) == {"tokens": TOKENS, "words": WORDS, "bytes": BYTES}


def test_a_text_with_an_unknown_number_of_tokens_has_perplexities_per_word_and_byte_only() -> None:
    text = Likelihood(logprobs=(-3.0,), text="the cat", conditioned_on="nothing", is_sum=True)
    stat = likelihood.word_perplexity.score(sample(None), text)
    assert likelihood.word_perplexity.aggregate([stat]) == pytest.approx(math.exp(1.5))
    assert likelihood.word_perplexity.details([stat]) == {"words": 2, "bytes": 7}
    for metric in (likelihood.token_perplexity, likelihood.sequence_perplexity):
        with pytest.raises(Unsuited):
            metric.score(sample(None), text)


def test_an_extremely_unlikely_text_has_infinite_perplexity() -> None:
    outputs = Likelihood(logprobs=(-1e4,), text="x")
    stat = likelihood.token_perplexity.score(Sample(id="1", inputs={}), outputs)
    assert likelihood.token_perplexity.aggregate([stat]) == math.inf


def test_several_options_have_no_perplexity() -> None:
    with pytest.raises(Unsupported, match="use the inferencer Continue"):
        likelihood.token_perplexity.score(sample("A"), *likelihoods(CONDITIONAL))


def test_an_accuracy_by_likelihood_has_bounds_and_credit() -> None:
    assert isinstance(likelihood.acc, Bounded)
    assert likelihood.acc.bounds(sample("A")) == ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    assert [likelihood.acc.badness((credit, 1.0, 2.0)) for credit in (0.0, 1.0)] == [1.0, 0.0]


def test_the_badness_of_a_text_is_its_surprisal_per_unit() -> None:
    stat = (6.0, 2.0, 3.0, 4.0)
    metrics = (likelihood.token_perplexity, likelihood.word_perplexity, likelihood.byte_perplexity)
    assert [metric.badness(stat) for metric in (*metrics, likelihood.bits_per_byte)] == [3.0, 2.0, 1.5, 1.5]


def test_an_enormous_perplexity_is_infinite() -> None:
    assert likelihood.word_perplexity.aggregate([(699.0, 1.0, 1.0, 1.0)]) == pytest.approx(math.exp(699.0))
    assert likelihood.word_perplexity.aggregate([(700.0, 1.0, 1.0, 1.0)]) == math.inf


def test_an_empty_answer_has_no_letters() -> None:
    assert likelihood.letter_logprobs(sample("B"), Generation(text="")) == [None, None, None]


def test_the_number_of_tokens_may_be_unknown() -> None:
    total = Likelihood(logprobs=(-3.0,), text="the cat", conditioned_on="nothing", is_sum=True)
    stat = likelihood.word_perplexity.score(Sample(id="1", inputs={}), total)
    assert stat == (3.0, 0, 2, 7)
    assert likelihood.word_perplexity.details([stat]) == {"words": 2, "bytes": 7}
    with pytest.raises(Unsuited, match="the number of its tokens is unknown"):
        likelihood.token_perplexity.score(Sample(id="1", inputs={}), total)
    with pytest.raises(Unsupported, match="use the inferencer Continue"):
        likelihood.word_perplexity.score(Sample(id="1", inputs={}), total, total)


def test_an_option_of_spaces_has_the_length_of_one() -> None:
    outputs = [Likelihood(logprobs=(-4.0,), text="  "), Likelihood(logprobs=(-6.0,), text=" ab")]
    question = Sample(id="1", inputs={"choices": ["  ", "ab"]}, target=1)
    for metric in (likelihood.acc_char, likelihood.acc_byte):
        assert metric.score(question, *outputs) == (1.0, 0.0, 0.0)
