"""Completions and log-likelihoods over HTTP."""

import asyncio
from typing import Any

import pytest

pytest.importorskip("aiohttp")


from auricle import Audio
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import LogLikelihood, Turn
from auricle.models.completions import Completions
from auricle.models.openai import OpenAI
from auricle.models.vllm_chat import VLLMChat
from auricle.testing.fake_server.logprobs import GREEDY_THRESHOLD, compute_logprob
from tests.support.model_requests import generate


def at(kind: Any, server: Any, **options: Any) -> Any:
    return kind(**{"base_url": server.url, "model": "fake", **options})


def asked(model: Any, *requests: Any) -> Any:
    """Score all requests concurrently with one model."""

    async def ask() -> Any:
        try:
            calls = (
                model.loglikelihood(request) if isinstance(request, LogLikelihood) else model.generate(request)
                for request in requests
            )
            return await asyncio.gather(*calls)
        finally:
            await model.close()

    return asyncio.run(ask())


def likely(context: Any, continuation: Any, **more: Any) -> Any:
    turns = (Turn("user", (context,)),) if context else ()
    return LogLikelihood(turns=turns, continuation=continuation, **more)


def known(before: Any, *tokens: Any) -> Any:
    """Return the log-probabilities that the fake server assigns to these tokens after that text."""
    result = []
    for token in tokens:
        result.append(compute_logprob(token, before))
        before += token
    return pytest.approx(result)


@pytest.mark.parametrize("by", ["prompt_logprobs", "echo"])
def test_only_continuation_tokens_are_scored(serve: Any, by: str) -> None:
    model = at(Completions, serve(), logprobs_by=by)
    (result,) = asked(model, likely("What is it?", " a big cat"))
    assert result.logprobs == known("What is it?", " a", " big", " cat")
    assert result.greedy == all(item >= GREEDY_THRESHOLD for item in result.logprobs)


@pytest.mark.parametrize("by", ["prompt_logprobs", "echo"])
@pytest.mark.parametrize("space", [" ", "   ", "\n", "\n\n", " \n "])
def test_white_space_before_the_continuation_belongs_to_it(serve: Any, by: str, space: str) -> None:
    model = at(Completions, serve(), logprobs_by=by)
    (result,) = asked(model, likely(f"What is it?{space}", "cat"))
    assert result.logprobs == known("What is it?", f"{space}cat")


@pytest.mark.parametrize("by", ["prompt_logprobs", "echo"])
def test_tokens_across_the_boundary_count_as_the_server_reads_them(serve: Any, by: str) -> None:
    (result,) = asked(at(Completions, serve(), logprobs_by=by), likely("What is", "n't 猫"))
    assert result.logprobs == known("What", " isn't", " 猫")


@pytest.mark.parametrize("by", ["prompt_logprobs", "echo"])
def test_include_context_scores_every_token_but_the_first(serve: Any, by: str) -> None:
    (result,) = asked(at(Completions, serve(), logprobs_by=by), likely("is it", " cat", include_context=True))
    assert result.logprobs == known("is", " it", " cat")


def test_text_without_context_follows_the_given_start_token(serve: Any) -> None:
    (result,) = asked(at(Completions, serve(), start="<s> "), likely("", "a cat"))
    assert result.logprobs == known("<s>", " a", " cat")


def test_first_token_without_a_start_token_is_refused(serve: Any) -> None:
    with pytest.raises(SampleError, match=r"the first token of the prompt has no log-probability.*-M 'start="):
        asked(at(Completions, serve()), likely("", "a cat"))


def test_turns_are_joined_by_newlines_and_continued(serve: Any) -> None:
    server = serve()
    (answer,) = asked(at(Completions, server), generate("how are you", max_tokens=2))
    assert (answer.text, answer.finish, answer.tokens, answer.input_tokens) == ("how are", "length", 2, 3)


def test_audio_is_refused_by_a_text_model(serve: Any, tone: Any) -> None:
    request = LogLikelihood(turns=(Turn("user", (Audio(str(tone("a.wav"))),)),), continuation="x")
    with pytest.raises(SampleError, match="accepts only text"):
        asked(at(Completions, serve()), request)


def test_missing_model_name_is_refused(serve: Any) -> None:
    with pytest.raises(SpecError, match="-M model=NAME"):
        Completions(base_url=serve().url)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", [OpenAI, VLLMChat])
def test_first_tokens_are_returned_with_the_answer(serve: Any, kind: Any, stream: bool) -> None:
    model = at(kind, serve(reply="B"), stream=stream)
    (answer,) = asked(model, generate("A or B?", max_tokens=1, first_tokens=5))
    letters = sorted("ABCDEFGHIJKLMNOPQRSTUVWXYZ", key=compute_logprob, reverse=True)[:5]
    assert answer.first_token_logprobs == {letter: pytest.approx(compute_logprob(letter)) for letter in letters}


def test_first_tokens_are_not_returned_unless_requested(serve: Any) -> None:
    (answer,) = asked(at(OpenAI, serve(), logprobs=True), generate("A or B?"))
    assert answer.first_token_logprobs is None


def test_too_many_first_tokens_are_refused(serve: Any) -> None:
    server = serve()
    with pytest.raises(SpecError, match="at most 20 first tokens, but 21"):
        asked(at(OpenAI, server), generate("A or B?", first_tokens=21))
    assert not server.stats()["requests"]


@pytest.mark.parametrize("stream", [False, True])
def test_server_without_first_tokens_is_refused(serve: Any, stream: bool) -> None:
    with pytest.raises(SpecError, match=r"does not return first tokens"):
        asked(at(OpenAI, serve(no_logprobs=True), stream=stream), generate("A?", first_tokens=5))
