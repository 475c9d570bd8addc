"""Tests of the inferencers that ask for likelihoods."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from auricle import Audio, Generation, Sample
from auricle.core.errors import SampleError
from auricle.core.types import Likelihood
from auricle.tasks.inferencers import Choose, Continue, FirstToken

SAMPLE = Sample(id="1", inputs={"question": "Which?", "choices": ["cat", "dog"], "text": "a b"})


def run_inferencer(inferencer: Any, sample: Sample = SAMPLE) -> tuple[list[Any], Any]:
    requests = []

    async def ask(request: Any) -> Any:
        requests.append(request)
        return Generation(text="A") if hasattr(request, "max_tokens") else Likelihood(logprobs=(-1.0,))

    return requests, asyncio.run(inferencer(sample, ask))


def test_choose_asks_about_each_option_after_the_prompt() -> None:
    requests, outputs = run_inferencer(Choose("{question}", option=" {letter}. {choice}"))
    assert [request.continuation for request in requests] == [" A. cat", " B. dog"]
    assert [(output.text, output.conditioned_on) for output in outputs] == [
        (" A. cat", "context"),
        (" B. dog", "context"),
    ]


def test_choose_can_also_ask_without_and_including_the_prompt() -> None:
    requests, outputs = run_inferencer(Choose("{question}", unconditional=True, whole=True))
    assert [output.conditioned_on for output in outputs] == ["context"] * 2 + ["nothing"] * 2 + ["itself"] * 2
    assert [len(request.turns) for request in requests] == [1, 1, 0, 0, 1, 1]


def test_first_token_asks_for_one_token() -> None:
    ((request,), _) = run_inferencer(FirstToken("{question}", tokens=5))
    assert (request.max_tokens, request.first_tokens) == (1, 5)


def test_continue_asks_about_the_text_alone_or_after_a_prompt() -> None:
    ((request,), (output,)) = run_inferencer(Continue())
    assert (request.turns, request.continuation, output.conditioned_on) == ((), "a b", "nothing")
    ((request,), (output,)) = run_inferencer(Continue("{question}"))
    assert (len(request.turns), output.conditioned_on) == (1, "context")


def test_the_likelihood_of_audio_cannot_be_asked_for() -> None:
    with pytest.raises(SampleError, match="only the likelihood of text"):
        run_inferencer(Continue(), Sample(id="1", inputs={"text": Audio("a.wav")}))
