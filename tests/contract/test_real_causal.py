"""A language model with real weights."""

from typing import Any

import pytest

from tests.support.extras import require_extra

require_extra("serve-test")

from auricle.core.types import Generate, LogLikelihood, Turn
from auricle.models.transformers.causal import Causal
from tests.support.real_server import model_folder

QUESTIONS = {
    "What is the capital of France?": "Paris",
    "What is the capital of Japan? Answer in one word.": "Tokyo",
    "Which colour has a clear sky by day? Answer in one word.": "Blue",
}


@pytest.fixture(scope="module")
def model() -> Any:
    import torch

    torch.set_num_threads(1)  # on a busy machine threads wait for each other
    return Causal(model=str(model_folder()))


def asked(question: Any) -> Any:
    return (Turn("user", (question,)),)


def test_batched_answers_equal_single_answers(model: Any) -> None:
    batch = [
        Generate(turns=asked(question), max_tokens=limit) for question, limit in zip(QUESTIONS, (12, 5, 8), strict=True)
    ]
    together = model.generate(batch)
    assert together == [model.generate([request])[0] for request in batch]
    assert "Paris" in together[0].text


def test_batched_likelihoods_equal_single_likelihoods(model: Any) -> None:
    batch = [
        LogLikelihood(turns=asked(question), continuation=answer)
        for question in QUESTIONS
        for answer in ("Paris", "Tokyo", "I do not know.")
    ]
    for request, together in zip(batch, model.loglikelihood(batch), strict=True):
        (alone,) = model.loglikelihood([request])
        assert together.logprobs == pytest.approx(alone.logprobs, abs=1e-4)


def test_correct_capital_is_more_likely(model: Any) -> None:
    for question, right in list(QUESTIONS.items())[:2]:
        result = "The capital of France is " if right == "Paris" else "The capital of Japan is "
        chances = {
            city: model.loglikelihood([LogLikelihood(turns=asked(question), continuation=result + city)])[0].total
            for city in ("Paris", "Tokyo")
        }
        assert max(chances, key=lambda answer: chances[answer]) == right
