"""Metrics over likelihoods: accuracy of the likeliest option, and perplexity of a text.

The statistic of an accuracy is (right, tied, missing letters). On a tie the first option is chosen; the details count
the ties. The statistic of a perplexity is (negative log-likelihood, tokens, words, bytes).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from string import ascii_uppercase
from typing import Any, TypeAlias

from auricle.core.errors import SampleError, Unreadable, Unsuited, Unsupported
from auricle.core.types import Generation, Likelihood, Output, Sample
from auricle.metrics.base import Array, ConstantBounds, Details, MeanAggregator, Metric, SumAggregator, divide
from auricle.metrics.capabilities import Bounded, Credited
from auricle.metrics.scales import NONNEGATIVE, LogScale, RealScale
from auricle.metrics.targets import get_choices, resolve_option

MAX_EXPONENT = 700.0
"""Largest argument of `math.exp` that does not overflow."""

ChoiceStat: TypeAlias = tuple[float, float, float]


# --- accuracy of the likeliest option ---------------------------------------------


def get_option_likelihoods(outputs: Sequence[Output], condition: str) -> list[Likelihood]:
    """Return the likelihood of each option after the prompt, after nothing, or together with the prompt."""
    likelihoods = [output for output in outputs if isinstance(output, Likelihood)]
    if not likelihoods:
        raise Unsupported("needs the likelihood of each option; use the inferencer Choose")
    if not all(likelihood.logprobs for likelihood in likelihoods):
        raise Unreadable("the model returned no token log-probabilities for an option")
    return [likelihood for likelihood in likelihoods if likelihood.conditioned_on == condition]


def _conditional_likelihoods(outputs: Sequence[Output]) -> list[Likelihood]:
    """Return the likelihood of each option after the prompt, or after nothing if there is no prompt."""
    return get_option_likelihoods(outputs, "context") or get_option_likelihoods(outputs, "nothing")


def _correct_index(sample: Sample, texts: Sequence[str]) -> int:
    choices = get_choices(sample) if "choices" in sample.inputs else [text.strip() for text in texts]
    index = resolve_option(sample.target, choices)
    if index is None:
        raise SampleError(f"the target {str(sample.target)[:80]!r} is not one of the options")
    return index


def _score_choice(values: Sequence[float | None], correct_index: int) -> ChoiceStat:
    """Return (right, tied, missing): whether the first of the highest values is that of the correct option."""
    present = [value for value in values if value is not None]
    best = max(present)
    return float(values.index(best) == correct_index), float(present.count(best) > 1), float(len(values) - len(present))


def _choice_details(totals: Array) -> Details:
    missing = {"letters_missing": int(totals[2])} if totals[2] else {}
    return {"ties": int(totals[1]), **missing}


choice_accuracy = MeanAggregator(_choice_details)


class ChoiceAccuracy(Metric, Bounded, Credited):
    """The accuracy of the option that is the likeliest by some measure."""

    unit, unreadable = "share", "wrong"
    aggregate = choice_accuracy
    bounds = ConstantBounds((0.0, 0.0, 0.0), (1.0, 0.0, 0.0))

    def __init__(self, name: str, title: str, score: Callable[..., ChoiceStat]) -> None:
        super().__init__(name, score, title=f"Accuracy, {title}")

    def credit(self, stat: ChoiceStat) -> float:
        return float(stat[0])


def _by_value(value: Callable[[Likelihood], float]) -> Callable[..., ChoiceStat]:
    """Return the score function of the option with the highest `value`."""

    def score(sample: Sample, *outputs: Output) -> ChoiceStat:
        options = _conditional_likelihoods(outputs)
        correct_index = _correct_index(sample, [option.text for option in options])
        return _score_choice([value(option) for option in options], correct_index)

    return score


def _count_tokens(likelihood: Likelihood) -> int:
    if likelihood.token_count is None:
        raise Unsuited("the model returns one log-probability per text, and the number of its tokens is unknown")
    return likelihood.token_count


def _mean_per_token(likelihood: Likelihood) -> float:
    return likelihood.total / _count_tokens(likelihood)


def _own_text(likelihood: Likelihood) -> str:
    """Return the text without leading spaces, which belong to the prompt."""
    return likelihood.text.lstrip() or " "


def _score_mutual_information(sample: Sample, *outputs: Output) -> ChoiceStat:
    conditional = get_option_likelihoods(outputs, "context")
    unconditional = get_option_likelihoods(outputs, "nothing")
    if not conditional or len(unconditional) != len(conditional):
        raise Unsupported("needs the likelihood of each option without the prompt; set unconditional: true in Choose")
    values = [after.total - alone.total for after, alone in zip(conditional, unconditional, strict=True)]
    return _score_choice(values, _correct_index(sample, [option.text for option in conditional]))


def _score_whole(sample: Sample, *outputs: Output) -> ChoiceStat:
    options = get_option_likelihoods(outputs, "itself")
    if not options:
        raise Unsupported("needs the likelihood of prompt and option together; set whole: true in Choose")
    values = [_mean_per_token(option) for option in options]
    return _score_choice(values, _correct_index(sample, [option.text for option in options]))


acc = ChoiceAccuracy("acc", "likeliest", _by_value(lambda option: option.total))
acc_token = ChoiceAccuracy("acc_token", "per token", _by_value(_mean_per_token))
acc_char = ChoiceAccuracy("acc_char", "per character", _by_value(lambda option: option.total / len(_own_text(option))))
acc_byte = ChoiceAccuracy(
    "acc_byte", "per byte", _by_value(lambda option: option.total / len(_own_text(option).encode()))
)
acc_pmi = ChoiceAccuracy("acc_pmi", "PMI", _score_mutual_information)
acc_whole = ChoiceAccuracy("acc_whole", "whole text", _score_whole)


def letter_logprobs(sample: Sample, output: Output) -> list[float | None]:
    """Return the log-probability of each option's letter as the first token; None if the model returned none."""
    if not isinstance(output, Generation) or (output.first_token_logprobs is None and output.text):
        raise Unsupported("needs the log-probabilities of first tokens; use the inferencer FirstToken")
    logprob_by_letter: dict[str, float] = {}
    for token, logprob in (output.first_token_logprobs or {}).items():
        letter = token.strip()
        logprob_by_letter[letter] = max(logprob, logprob_by_letter.get(letter, -math.inf))
    return [logprob_by_letter.get(letter) for letter in ascii_uppercase[: len(get_choices(sample))]]


def _score_first_token(sample: Sample, output: Output) -> ChoiceStat:
    values = letter_logprobs(sample, output)
    if all(value is None for value in values):
        raise Unreadable("none of the likeliest first tokens is the letter of an option")
    return _score_choice(values, _correct_index(sample, ()))


acc_first = ChoiceAccuracy("acc_first", "first token", _score_first_token)


# --- perplexity of a text ---------------------------------------------------------


def _surprisal_stat(sample: Sample, *outputs: Output) -> tuple[float, float, float, float]:
    likelihood = outputs[0] if len(outputs) == 1 else None
    if not isinstance(likelihood, Likelihood):
        raise Unsupported("needs the likelihood of one text; use the inferencer Continue")
    text = likelihood.text
    return -likelihood.total, likelihood.token_count or 0, len(text.split()), len(text.encode())


def _bounded_exp(value: float) -> float:
    return math.exp(value) if value < MAX_EXPONENT else math.inf


def _token_surprisal_stat(sample: Sample, *outputs: Output) -> tuple[float, float, float, float]:
    for output in outputs:
        if isinstance(output, Likelihood):
            _count_tokens(output)
    return _surprisal_stat(sample, *outputs)


def _length_details(totals: Array) -> Details:
    tokens = {"tokens": int(totals[1])} if totals[1] else {}  # unknown, from models that return sums
    return {**tokens, "words": int(totals[2]), "bytes": int(totals[3])}


class Perplexity(Metric):
    """A perplexity per token, word or byte, pooled over all texts."""

    higher_is_better, unit = False, "points"

    def __init__(self, name: str, column: int, score: Callable[..., Any] = _surprisal_stat) -> None:
        def finish(totals: Array) -> float:
            return _bounded_exp(divide(totals[0], totals[column]))

        aggregate = SumAggregator(finish, _length_details, LogScale(lowest=1.0))
        super().__init__(name, score, aggregate, title=f"{name.partition('_')[0].capitalize()} perplexity")
        self._column = column

    def badness(self, stat: tuple[float, ...]) -> float:
        return divide(stat[0], stat[self._column])


token_perplexity = Perplexity("token_perplexity", 1, _token_surprisal_stat)
word_perplexity = Perplexity("word_perplexity", 2)
byte_perplexity = Perplexity("byte_perplexity", 3)
bits_per_byte = Metric(
    "bits_per_byte",
    _surprisal_stat,
    SumAggregator(lambda totals: divide(totals[0], totals[3]) / math.log(2), _length_details, NONNEGATIVE),
    higher_is_better=False,
    title="Bits per byte",
    badness=lambda stat: divide(stat[0], stat[3]),
)


def _sequence_perplexity(sample: Sample, *outputs: Output) -> float:
    surprisal, tokens, *_ = _token_surprisal_stat(sample, *outputs)
    return _bounded_exp(divide(surprisal, tokens))


sequence_perplexity = Metric(
    "sequence_perplexity",
    _sequence_perplexity,
    SumAggregator(lambda totals: divide(totals[0], totals[-1]), scale=RealScale(lowest=1.0)),
    False,
    title="Sequence perplexity",
    unit="points",
)
