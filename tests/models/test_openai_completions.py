"""Completions and log-likelihoods over HTTP."""

from typing import Any

import pytest

from auricle import Audio
from auricle.core.errors import Rejected, SampleError, SpecError
from auricle.core.types import LogLikelihood, Turn
from auricle.models.openai import Completions, OpenAI, VLLMChat
from auricle.testing.fake_server.response_rendering import GREEDY_THRESHOLD, compute_logprob
from tests.support.model_requests import generate
from tests.support.scoring_servers import ask_all, connect, fake_logprobs, score


@pytest.mark.parametrize("by", ["prompt_logprobs", "echo"])
def test_only_continuation_tokens_are_scored(serve: Any, by: str) -> None:
    model = connect(Completions, serve(), logprobs_by=by)
    (result,) = ask_all(model, score("What is it?", " a big cat"))
    assert result.logprobs == fake_logprobs("What is it?", " a", " big", " cat")
    assert result.greedy == all(item >= GREEDY_THRESHOLD for item in result.logprobs)


@pytest.mark.parametrize("by", ["prompt_logprobs", "echo"])
@pytest.mark.parametrize("space", [" ", "   ", "\n", "\n\n", " \n "])
def test_white_space_before_the_continuation_belongs_to_it(serve: Any, by: str, space: str) -> None:
    model = connect(Completions, serve(), logprobs_by=by)
    (result,) = ask_all(model, score(f"What is it?{space}", "cat"))
    assert result.logprobs == fake_logprobs("What is it?", f"{space}cat")


@pytest.mark.parametrize("by", ["prompt_logprobs", "echo"])
def test_tokens_across_the_boundary_count_as_the_server_reads_them(serve: Any, by: str) -> None:
    (result,) = ask_all(connect(Completions, serve(), logprobs_by=by), score("What is", "n't 猫"))
    assert result.logprobs == fake_logprobs("What", " isn't", " 猫")


@pytest.mark.parametrize("by", ["prompt_logprobs", "echo"])
def test_include_context_scores_every_token_but_the_first(serve: Any, by: str) -> None:
    (result,) = ask_all(connect(Completions, serve(), logprobs_by=by), score("is it", " cat", include_context=True))
    assert result.logprobs == fake_logprobs("is", " it", " cat")


def test_text_without_context_follows_the_given_start_token(serve: Any) -> None:
    (result,) = ask_all(connect(Completions, serve(), start="<s> "), score("", "a cat"))
    assert result.logprobs == fake_logprobs("<s>", " a", " cat")


def test_first_token_without_a_start_token_is_refused(serve: Any) -> None:
    with pytest.raises(SampleError, match=r"the first token of the prompt has no log-probability.*-M 'start="):
        ask_all(connect(Completions, serve()), score("", "a cat"))


def test_turns_are_joined_by_newlines_and_continued(serve: Any) -> None:
    server = serve()
    (answer,) = ask_all(connect(Completions, server), generate("how are you", max_tokens=2))
    assert (answer.text, answer.finish, answer.tokens, answer.input_tokens) == ("how are", "length", 2, 3)


def test_audio_is_refused_by_a_text_model(serve: Any, tone: Any) -> None:
    request = LogLikelihood(turns=(Turn("user", (Audio(str(tone("a.wav"))),)),), continuation="x")
    with pytest.raises(SampleError, match="accepts only text"):
        ask_all(connect(Completions, serve()), request)


def test_missing_model_name_is_refused(serve: Any) -> None:
    with pytest.raises(SpecError, match="-M model=NAME"):
        Completions(base_url=serve().url)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", [OpenAI, VLLMChat])
def test_first_tokens_are_returned_with_the_answer(serve: Any, kind: Any, stream: bool) -> None:
    model = connect(kind, serve(reply="B"), stream=stream)
    (answer,) = ask_all(model, generate("A or B?", max_tokens=1, first_tokens=5))
    letters = sorted("ABCDEFGHIJKLMNOPQRSTUVWXYZ", key=compute_logprob, reverse=True)[:5]
    assert answer.first_token_logprobs == {letter: pytest.approx(compute_logprob(letter)) for letter in letters}


def test_first_tokens_are_not_returned_unless_requested(serve: Any) -> None:
    (answer,) = ask_all(connect(OpenAI, serve(), logprobs=True), generate("A or B?"))
    assert answer.first_token_logprobs is None


def test_too_many_first_tokens_are_refused(serve: Any) -> None:
    server = serve()
    with pytest.raises(SpecError, match="at most 20 first tokens, but 21"):
        ask_all(connect(OpenAI, server), generate("A or B?", first_tokens=21))
    assert not server.stats()["requests"]


@pytest.mark.parametrize("stream", [False, True])
def test_server_without_first_tokens_is_refused(serve: Any, stream: bool) -> None:
    with pytest.raises(Rejected, match=r"does not return first tokens"):
        ask_all(connect(OpenAI, serve(no_logprobs=True), stream=stream), generate("A?", first_tokens=5))


def test_a_sampled_request_has_its_seed(canned: Any) -> None:
    server = canned({"choices": [{"text": "ok", "finish_reason": "stop"}]})
    requests = [generate("x", seed=3), generate("x", seed=3, temperature=0.7)]
    ask_all(connect(Completions, server), *requests)
    sent = [item.json() for item in server.requests]
    assert {item["temperature"]: item.get("seed") for item in sent} == {0.0: None, 0.7: 3}
