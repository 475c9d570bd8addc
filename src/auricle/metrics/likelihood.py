"""Metrics over likelihoods: which option a model finds likeliest, and how likely it finds a text.

All rules are told from one pass. A stat of an accuracy is (right, ties, letters missing): of two
options alike the first is taken, and how often that decided stands in the details. A stat of
a perplexity is (minus the log-likelihood, tokens, words, bytes).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from auricle.core.errors import SampleError, Unreadable, Unsupported
from auricle.core.types import Generation, Likelihood, Output, Sample
from auricle.metrics.base import Details, FirstValueMean, Metric, SumAggregator, divide, mean
from auricle.metrics.labels import get_choices, resolve_option

if TYPE_CHECKING:
    from auricle.metrics.base import Array

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MAX_EXPONENT = 700.0  # e to more than this is no number

Options: TypeAlias = Sequence[Likelihood]
ChoiceStat: TypeAlias = tuple[float, float, float]


# --- which option ----------------------------------------------------------------


def get_option_likelihoods(outputs: Sequence[Output], condition: str) -> list[Likelihood]:
    """How likely each option is after the prompt, after nothing, or together with the prompt."""
    found = [each for each in outputs if isinstance(each, Likelihood)]
    if not found:
        raise Unsupported("needs how likely each option is; ask with Choose")
    if not all(each.logprobs for each in found):
        raise Unreadable("the model tells of no token of an option how likely it is")
    return [each for each in found if each.conditioned_on == condition]


def _conditional_likelihoods(outputs: Sequence[Output]) -> list[Likelihood]:
    """The options after their prompt; where there is no prompt, after nothing."""
    return get_option_likelihoods(outputs, "context") or get_option_likelihoods(outputs, "nothing")


def _correct_index(sample: Sample, texts: Sequence[str]) -> int:
    """Which option the target means."""
    given = get_choices(sample) if "choices" in sample.inputs else [text.strip() for text in texts]
    right = resolve_option(sample.target, given)
    if right is None:
        raise SampleError(f"the target {str(sample.target)[:80]!r} is none of the options")
    return right


def _score_choice(values: Sequence[float | None], correct_index: int) -> ChoiceStat:
    """Is the highest value the right one's? The first of several is taken; values may lack."""
    known = [value for value in values if value is not None]
    best = max(known)
    return (float(values.index(best) == correct_index), float(known.count(best) > 1), float(len(values) - len(known)))


def _choice_details(totals: Array) -> Details:
    missing = {"letters_missing": int(totals[2])} if totals[2] else {}
    return {"ties": int(totals[1]), **missing}


choice_accuracy = FirstValueMean(_choice_details)


def _accuracy_metric(name: str, score: Callable[..., ChoiceStat]) -> Metric:
    return Metric(
        name,
        score,
        choice_accuracy,
        unreadable="wrong",
        bounds=lambda _: ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
        unit="share",
        custom_badness=lambda stat: -float(stat[0]),
    )


def _highest_value_metric(name: str, value: Callable[[Likelihood], float]) -> Metric:
    """An accuracy of the option whose `value` is highest."""

    def score(sample: Sample, *outputs: Output) -> ChoiceStat:
        found = _conditional_likelihoods(outputs)
        right = _correct_index(sample, [each.text for each in found])
        return _score_choice([value(each) for each in found], right)

    return _accuracy_metric(name, score)


def _character_count(likelihood: Likelihood) -> int:
    """Without the blank before it, which is the prompt's business and not the option's."""
    return max(1, len(likelihood.text.lstrip()))


def _byte_count(likelihood: Likelihood) -> int:
    return max(1, len(likelihood.text.lstrip().encode()))


def _score_mutual_information(sample: Sample, *outputs: Output) -> ChoiceStat:
    asked, alone = (get_option_likelihoods(outputs, "context"), get_option_likelihoods(outputs, "nothing"))
    if not asked or len(alone) != len(asked):
        raise Unsupported("needs how likely each option is after nothing; set unconditional: true in Choose")
    values = [after.total - before.total for after, before in zip(asked, alone, strict=True)]
    return _score_choice(values, _correct_index(sample, [each.text for each in asked]))


def _score_whole(sample: Sample, *outputs: Output) -> ChoiceStat:
    found = get_option_likelihoods(outputs, "itself")
    if not found:
        raise Unsupported("needs how likely prompt and option are together; set whole: true in Choose")
    values = [each.total / len(each.logprobs) for each in found]
    return _score_choice(values, _correct_index(sample, [each.text for each in found]))


acc = _highest_value_metric("acc", lambda found: found.total)
acc_token = _highest_value_metric("acc_token", lambda found: found.total / len(found.logprobs))
acc_char = _highest_value_metric("acc_char", lambda found: found.total / _character_count(found))
acc_byte = _highest_value_metric("acc_byte", lambda found: found.total / _byte_count(found))
acc_pmi = _accuracy_metric("acc_pmi", _score_mutual_information)
acc_whole = _accuracy_metric("acc_whole", _score_whole)


def letter_logprobs(sample: Sample, output: Output) -> list[float | None]:
    """How likely each option's letter is as the first token; None for one that was not told."""
    if not isinstance(output, Generation) or (output.first_token_logprobs is None and output.text):
        raise Unsupported("needs the likeliest first tokens of an answer; ask with FirstToken")
    told: dict[str, float] = {}
    for token, logprob in (output.first_token_logprobs or {}).items():
        letter = token.strip()
        told[letter] = max(logprob, told.get(letter, -math.inf))
    return [told.get(letter) for letter in LETTERS[: len(get_choices(sample))]]


def _score_first_token(sample: Sample, output: Output) -> ChoiceStat:
    values = letter_logprobs(sample, output)
    if all(value is None for value in values):
        raise Unreadable("none of the likeliest first tokens is an option's letter")
    return _score_choice(values, _correct_index(sample, ()))


acc_first = _accuracy_metric("acc_first", _score_first_token)


# --- how likely a text -----------------------------------------------------------


def _surprisal_stat(sample: Sample, *outputs: Output) -> tuple[float, float, float, float]:
    found = outputs[0] if len(outputs) == 1 else None
    if not isinstance(found, Likelihood):
        raise Unsupported("needs how likely one text is; ask with Continue")
    text = found.text
    return -found.total, len(found.logprobs), len(text.split()), len(text.encode())


def _bounded_exp(value: float) -> float:
    return math.exp(value) if value < MAX_EXPONENT else math.inf


def _perplexity_metric(name: str, column: int) -> Metric:
    """Exponential of the surprise per token, word or byte, over all texts together."""

    def finish(totals: Array) -> float:
        return _bounded_exp(divide(totals[0], totals[column]))

    return Metric(
        name,
        _surprisal_stat,
        SumAggregator(finish, _length_details),
        higher_is_better=False,
        unit="points",
        custom_badness=lambda stat: divide(stat[0], stat[column]),
    )


def _length_details(totals: Array) -> Details:
    return {"tokens": int(totals[1]), "words": int(totals[2]), "bytes": int(totals[3])}


token_perplexity = _perplexity_metric("token_perplexity", 1)
word_perplexity = _perplexity_metric("word_perplexity", 2)
byte_perplexity = _perplexity_metric("byte_perplexity", 3)
bits_per_byte = Metric(
    "bits_per_byte",
    _surprisal_stat,
    SumAggregator(lambda totals: divide(totals[0], totals[3]) / math.log(2), _length_details),
    higher_is_better=False,
    custom_badness=lambda stat: divide(stat[0], stat[3]),
)


def _sequence_perplexity(sample: Sample, *outputs: Output) -> float:
    surprise, tokens, *_ = _surprisal_stat(sample, *outputs)
    return _bounded_exp(divide(surprise, tokens))


sequence_perplexity = Metric("sequence_perplexity", _sequence_perplexity, mean, higher_is_better=False, unit="points")
