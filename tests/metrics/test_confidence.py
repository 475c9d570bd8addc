"""Tests of how confident a model was."""

import math

import pytest

from auricle.core.types import Generation, Likelihood, Output, Prediction
from auricle.metrics.confidence import read_confidence


@pytest.mark.parametrize(
    ("outputs", "confidence"),
    [
        ([Prediction(values={"a": 0.7, "b": 0.3}, scale="probability")], 0.7),
        ([Prediction(values={"a": 0.0, "b": math.log(3)}, scale="logit")], 0.75),
        ([Likelihood(logprobs=(math.log(0.2),)), Likelihood(logprobs=(math.log(0.6),))], 0.75),
        ([Generation(text="two words", logprobs=(math.log(0.5), math.log(0.125)))], 0.25),
    ],
)
def test_confidence_is_the_probability_of_the_answer(outputs: list[Output], confidence: float) -> None:
    assert read_confidence(outputs) == pytest.approx(confidence)


@pytest.mark.parametrize(
    "outputs",
    [
        [],
        [Generation(text="words")],
        [Likelihood(logprobs=(-1.0,))],
        [Prediction(values={"arousal": 0.4}, scale="continuous")],
        [Prediction(values={"a": 0.7}, scale="probability")] * 2,
        [Prediction(values={"a": -math.inf}, scale="logit")],
    ],
)
def test_outputs_without_probabilities_have_no_confidence(outputs: list[Output]) -> None:
    assert math.isnan(read_confidence(outputs))
