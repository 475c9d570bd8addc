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
from auricle.metrics.base import Details, Leading, Metric, Sums, divide, mean
from auricle.metrics.labels import choices, option_index

if TYPE_CHECKING:
    from auricle.metrics.base import Array

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LARGEST = 700.0  # e to more than this is no number

Options: TypeAlias = Sequence[Likelihood]
Chosen: TypeAlias = tuple[float, float, float]


# --- which option ----------------------------------------------------------------


def options(outputs: Sequence[Output], given: str) -> list[Likelihood]:
    """How likely each option is after the prompt, after nothing, or together with the prompt."""
    found = [each for each in outputs if isinstance(each, Likelihood)]
    if not found:
        raise Unsupported("needs how likely each option is; ask with Choose")
    if not all(each.logprobs for each in found):
        raise Unreadable("the model tells of no token of an option how likely it is")
    return [each for each in found if each.given == given]


def _asked(outputs: Sequence[Output]) -> list[Likelihood]:
    """The options after their prompt; where there is no prompt, after nothing."""
    return options(outputs, "context") or options(outputs, "nothing")


def _right(sample: Sample, texts: Sequence[str]) -> int:
    """Which option the target means."""
    given = choices(sample) if "choices" in sample.inputs else [text.strip() for text in texts]
    right = option_index(sample.target, given)
    if right is None:
        raise SampleError(f"the target {str(sample.target)[:80]!r} is none of the options")
    return right


def _chosen(values: Sequence[float | None], right: int) -> Chosen:
    """Is the highest value the right one's? The first of several is taken; values may lack."""
    known = [value for value in values if value is not None]
    best = max(known)
    return (
        float(values.index(best) == right),
        float(known.count(best) > 1),
        float(len(values) - len(known)),
    )


def _details(totals: Array) -> Details:
    missing = {"letters_missing": int(totals[2])} if totals[2] else {}
    return {"ties": int(totals[1]), **missing}


share_right = Leading(_details)


def _accuracy(name: str, score: Callable[..., Chosen]) -> Metric:
    return Metric(
        name,
        score,
        share_right,
        unreadable="wrong",
        bounds=lambda _: ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
        unit="share",
        rank=lambda stat: -float(stat[0]),
    )


def _by(name: str, value: Callable[[Likelihood], float]) -> Metric:
    """An accuracy of the option whose `value` is highest."""

    def score(sample: Sample, *outputs: Output) -> Chosen:
        found = _asked(outputs)
        right = _right(sample, [each.text for each in found])
        return _chosen([value(each) for each in found], right)

    return _accuracy(name, score)


def _characters(found: Likelihood) -> int:
    """Without the blank before it, which is the prompt's business and not the option's."""
    return max(1, len(found.text.lstrip()))


def _bytes(found: Likelihood) -> int:
    return max(1, len(found.text.lstrip().encode()))


def _mutual(sample: Sample, *outputs: Output) -> Chosen:
    asked, alone = options(outputs, "context"), options(outputs, "nothing")
    if not asked or len(alone) != len(asked):
        raise Unsupported(
            "needs how likely each option is after nothing; set unconditional: true in Choose"
        )
    values = [after.total - before.total for after, before in zip(asked, alone, strict=True)]
    return _chosen(values, _right(sample, [each.text for each in asked]))


def _together(sample: Sample, *outputs: Output) -> Chosen:
    found = options(outputs, "itself")
    if not found:
        raise Unsupported(
            "needs how likely prompt and option are together; set whole: true in Choose"
        )
    values = [each.total / len(each.logprobs) for each in found]
    return _chosen(values, _right(sample, [each.text for each in found]))


acc = _by("acc", lambda found: found.total)
acc_token = _by("acc_token", lambda found: found.total / len(found.logprobs))
acc_char = _by("acc_char", lambda found: found.total / _characters(found))
acc_byte = _by("acc_byte", lambda found: found.total / _bytes(found))
acc_pmi = _accuracy("acc_pmi", _mutual)
acc_whole = _accuracy("acc_whole", _together)


def letter_logprobs(sample: Sample, output: Output) -> list[float | None]:
    """How likely each option's letter is as the first token; None for one that was not told."""
    if not isinstance(output, Generation) or (output.first is None and output.text):
        raise Unsupported("needs the likeliest first tokens of an answer; ask with FirstToken")
    told: dict[str, float] = {}
    for token, logprob in (output.first or {}).items():
        letter = token.strip()
        told[letter] = max(logprob, told.get(letter, -math.inf))
    return [told.get(letter) for letter in LETTERS[: len(choices(sample))]]


def _first(sample: Sample, output: Output) -> Chosen:
    values = letter_logprobs(sample, output)
    if all(value is None for value in values):
        raise Unreadable("none of the likeliest first tokens is an option's letter")
    return _chosen(values, _right(sample, ()))


acc_first = _accuracy("acc_first", _first)


# --- how likely a text -----------------------------------------------------------


def _surprise(sample: Sample, *outputs: Output) -> tuple[float, float, float, float]:
    found = outputs[0] if len(outputs) == 1 else None
    if not isinstance(found, Likelihood):
        raise Unsupported("needs how likely one text is; ask with Continue")
    text = found.text
    return -found.total, len(found.logprobs), len(text.split()), len(text.encode())


def _exponential(value: float) -> float:
    return math.exp(value) if value < LARGEST else math.inf


def _perplexity(name: str, column: int) -> Metric:
    """Exponential of the surprise per token, word or byte, over all texts together."""

    def finish(totals: Array) -> float:
        return _exponential(divide(totals[0], totals[column]))

    return Metric(
        name,
        _surprise,
        Sums(finish, _lengths),
        higher_is_better=False,
        unit="points",
        rank=lambda stat: divide(stat[0], stat[column]),
    )


def _lengths(totals: Array) -> Details:
    return {"tokens": int(totals[1]), "words": int(totals[2]), "bytes": int(totals[3])}


token_perplexity = _perplexity("token_perplexity", 1)
word_perplexity = _perplexity("word_perplexity", 2)
byte_perplexity = _perplexity("byte_perplexity", 3)
bits_per_byte = Metric(
    "bits_per_byte",
    _surprise,
    Sums(lambda totals: divide(totals[0], totals[3]) / math.log(2), _lengths),
    higher_is_better=False,
    rank=lambda stat: divide(stat[0], stat[3]),
)


def _of_one(sample: Sample, *outputs: Output) -> float:
    surprise, tokens, *_ = _surprise(sample, *outputs)
    return _exponential(divide(surprise, tokens))


sequence_perplexity = Metric(
    "sequence_perplexity", _of_one, mean, higher_is_better=False, unit="points"
)
