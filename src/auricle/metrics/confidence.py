"""How confident a model was of its answer, from the probabilities it returned."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from auricle.core.types import Generation, Likelihood, Output, Prediction


def read_confidence(outputs: Sequence[Output]) -> float:
    """Return the probability that a model gave its answer; NaN if it returned none.

    It is the highest probability of a class, that of the most likely option, or the geometric mean over the tokens of
    a text. Logits and the likelihoods of options are turned into probabilities by a softmax.

    >>> read_confidence([Prediction(values={"happy": 0.9, "sad": 0.1}, scale="probability")])
    0.9
    >>> round(read_confidence([Likelihood(logprobs=(-1.0, -0.5)), Likelihood(logprobs=(-3.5,))]), 3)
    0.881
    """
    last = outputs[-1] if outputs else None
    if isinstance(last, Generation):
        return math.exp(math.fsum(last.logprobs) / len(last.logprobs)) if last.logprobs else math.nan
    if isinstance(last, Likelihood):
        options = [output.total for output in outputs if isinstance(output, Likelihood)]
        return _highest_softmax(options) if len(options) > 1 else math.nan
    if not isinstance(last, Prediction) or len(outputs) > 1 or last.scale == "continuous" or not last.values:
        return math.nan
    values = last.values.values()
    return max(values) if last.scale == "probability" else _highest_softmax(values)


def _highest_softmax(values: Iterable[float]) -> float:
    values = list(values)
    highest = max(values)
    return 1.0 / math.fsum(math.exp(value - highest) for value in values) if math.isfinite(highest) else math.nan
