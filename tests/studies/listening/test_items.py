"""Answers by their content, from texts, likelihoods and predictions."""

from typing import Any

import pytest

from auricle.core.types import Generation, Likelihood, Prediction, Sample
from auricle.studies.listening.items import Answer, read_answer
from auricle.tasks.asr.error_rates import wer
from auricle.tasks.labels.metrics import accuracy, option_accuracy
from auricle.tasks.rewards.ratings import Dimension, rating_metrics

SAMPLE = Sample(id="1", inputs={"choices": ["dog", "cat", "cow"]}, target="B")


def likelihoods(*totals: float) -> list[Any]:
    return [Likelihood(logprobs=(total,), text=f"option {index}") for index, total in enumerate(totals)]


@pytest.mark.parametrize(
    ("outputs", "metric", "answer"),
    [
        ([Generation(text="The answer is B.")], option_accuracy, Answer("cat", 1)),
        ([Generation(text="I do not know")], option_accuracy, Answer()),
        ([Generation(text="cow")], accuracy, Answer("cow", 2)),
        ([Generation(text="some words")], wer, Answer()),
        (likelihoods(-3.0, -2.0, -1.0), option_accuracy, Answer("cow", 2)),
        ([Generation(text="", first_token_logprobs={"A": -1.0, " C": -0.5})], option_accuracy, Answer("cow", 2)),
        ([Generation(text="", first_token_logprobs={"x": -1.0})], option_accuracy, Answer()),
        ([Prediction(values={"cat": 0.9, "dog": 0.1}, scale="probability")], accuracy, Answer("cat", 1)),
        ([Prediction(values={"bird": 0.9}, scale="logit")], accuracy, Answer("bird")),
        ([Prediction(values={"quality": 3.5}, scale="continuous")], accuracy, Answer(values={"quality": 3.5})),
        ([Prediction(values={"q": n}, scale="continuous") for n in (1.0, 2.0)], wer, Answer(values={"q": 1, "q_2": 2})),
        ([Generation(text="4")], rating_metrics(Dimension())[0], Answer("4", values={"rating": 4.0})),
        ([], wer, Answer()),
    ],
)
def test_answer_is_read_by_its_content(outputs: list[Any], metric: Any, answer: Answer) -> None:
    assert read_answer(SAMPLE, outputs, [metric]) == answer
