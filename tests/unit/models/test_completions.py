"""Likelihoods over HTTP: what is sent, what is counted, and who is refused before any sample."""

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("aiohttp")

from auricle import Audio
from auricle.core.errors import Refused, SampleError, SpecError
from auricle.core.types import LogLikelihood, Turn
from auricle.models.completions import Completions
from auricle.models.openai import OpenAI
from auricle.models.vllm_chat import VLLMChat
from auricle.testing.fake_server.logprobs import GREEDY_THRESHOLD, compute_logprob
from tests.support.http_servers import whole
from tests.support.model_requests import generate

PATHS = {Completions: "/v1/completions", VLLMChat: "/v1/chat/completions"}


def at(kind: Any, server: Any, **options: Any) -> Any:
    return kind(**{"base_url": server.url, "model": "fake", **options})


def asked(model: Any, *requests: Any) -> Any:
    """All of them at once, by one model."""

    async def ask() -> Any:
        try:
            calls = (
                model.loglikelihood(each) if isinstance(each, LogLikelihood) else model.generate(each)
                for each in requests
            )
            return await asyncio.gather(*calls)
        finally:
            await model.close()

    return asyncio.run(ask())


def likely(context: Any, continuation: Any, **more: Any) -> Any:
    turns = (Turn("user", (context,)),) if context else ()
    return LogLikelihood(turns=turns, continuation=continuation, **more)


def known(before: Any, *tokens: Any) -> Any:
    """What the server makes up for these tokens after that text."""
    found = []
    for token in tokens:
        found.append(compute_logprob(token, before))
        before += token
    return pytest.approx(found)


# --- a bare text -----------------------------------------------------------------


@pytest.mark.parametrize("by", ["prompt_logprobs", "echo"])
def test_only_continuation_tokens_are_scored(serve: Any, by: str) -> None:
    model = at(Completions, serve(), logprobs_by=by)
    (found,) = asked(model, likely("What is it?", " a big cat"))
    assert found.logprobs == known("What is it?", " a", " big", " cat")
    assert found.greedy == all(each >= GREEDY_THRESHOLD for each in found.logprobs)


@pytest.mark.parametrize("by", ["prompt_logprobs", "echo"])
@pytest.mark.parametrize("space", [" ", "   ", "\n", "\n\n", " \n "])
def test_white_space_before_the_continuation_belongs_to_it(serve: Any, by: str, space: str) -> None:
    model = at(Completions, serve(), logprobs_by=by)
    (found,) = asked(model, likely(f"What is it?{space}", "cat"))
    assert found.logprobs == known("What is it?", f"{space}cat")


@pytest.mark.parametrize("by", ["prompt_logprobs", "echo"])
def test_tokens_across_the_boundary_count_as_the_server_reads_them(serve: Any, by: str) -> None:
    (found,) = asked(at(Completions, serve(), logprobs_by=by), likely("What is", "n't 猫"))
    assert found.logprobs == known("What", " isn't", " 猫")


@pytest.mark.parametrize("by", ["prompt_logprobs", "echo"])
def test_include_context_scores_every_token_but_the_first(serve: Any, by: str) -> None:
    (found,) = asked(at(Completions, serve(), logprobs_by=by), likely("is it", " cat", include_context=True))
    assert found.logprobs == known("is", " it", " cat")


def test_text_without_context_follows_the_given_start_token(serve: Any) -> None:
    (found,) = asked(at(Completions, serve(), start="<s> "), likely("", "a cat"))
    assert found.logprobs == known("<s>", " a", " cat")


def test_first_token_without_a_start_token_is_refused(serve: Any) -> None:
    with pytest.raises(SampleError, match=r"the first token of the prompt has no log-probability.*-M 'start="):
        asked(at(Completions, serve()), likely("", "a cat"))


def test_turns_are_joined_by_newlines_and_continued(serve: Any) -> None:
    server = serve()
    (said,) = asked(at(Completions, server), generate("how are you", max_tokens=2))
    assert (said.text, said.finish, said.tokens, said.input_tokens) == ("how are", "length", 2, 3)


def test_audio_is_refused_by_a_text_model(serve: Any, tone: Any) -> None:
    request = LogLikelihood(turns=(Turn("user", (Audio(str(tone("a.wav"))),)),), continuation="x")
    with pytest.raises(SampleError, match="accepts only text"):
        asked(at(Completions, serve()), request)


def test_scoring_generates_as_few_tokens_as_possible(canned: Any) -> None:
    place = {"1": {"logprob": -1.0, "rank": 1, "decoded_token": " cat"}}
    server = canned({"choices": [{"text": "", "prompt_logprobs": [None, place]}]})
    asked(at(Completions, server), likely("a", " cat"))
    sent = server.last.json()
    assert (sent["max_tokens"], sent["prompt_logprobs"], sent["prompt"]) == (1, 0, "a cat")


def test_server_that_requires_one_token_gets_one(canned: Any) -> None:
    held = {
        "tokens": ["a", " cat", " sat"],
        "token_logprobs": [None, -1.0, -2.0],
        "top_logprobs": [None, {" cat": -1.0}, None],
        "text_offset": [0, 1, 5],
    }
    no = whole(400, json.dumps({"error": {"message": "max_tokens must be at least 1"}}))
    server = canned(no, {"choices": [{"text": "", "logprobs": held}]})
    (found,) = asked(at(Completions, server, logprobs_by="echo"), likely("a", " cat"))
    assert (found.logprobs, found.greedy) == ((-1.0,), True)
    assert server.last.json()["max_tokens"] == 1


# --- chat ------------------------------------------------------------------------


def test_answer_is_scored_within_the_chat(serve: Any) -> None:
    (found,) = asked(at(VLLMChat, serve()), likely("is it", "a cat"))
    assert found.logprobs == known("user: is it\nassistant:", " a", " cat")


def test_prefilled_answer_is_continued(serve: Any) -> None:
    turns = (Turn("user", ("is it",)), Turn("assistant", ("I say ",)))
    (found,) = asked(at(VLLMChat, serve()), LogLikelihood(turns=turns, continuation="a cat"))
    assert found.logprobs == known("user: is it\nassistant: I say", " a", " cat")


def test_audio_precedes_the_answer(serve: Any, tone: Any) -> None:
    requests = [
        LogLikelihood(turns=(Turn("user", (Audio(str(path)), "what?")),), continuation="a cat")
        for path in (tone("a.wav", 0.1), tone("b.wav", 0.2))
    ]
    first, second = asked(at(VLLMChat, serve()), *requests)
    assert len(first.logprobs) == len(second.logprobs) == 2
    assert first != second


def test_include_context_with_audio_is_refused(serve: Any, tone: Any) -> None:
    turns = (Turn("user", (Audio(str(tone("a.wav"))),)),)
    with pytest.raises(SampleError, match="audio has no token log-probabilities"):
        asked(at(VLLMChat, serve()), LogLikelihood(turns=turns, continuation="x", include_context=True))


def test_text_without_context_is_scored_without_a_chat(serve: Any) -> None:
    server = serve()
    (found,) = asked(at(VLLMChat, server, start="<s> "), likely("", "a cat"))
    assert found.logprobs == known("<s>", " a", " cat")
    assert set(server.stats()["requests"]) == {"/v1/completions"}


# --- who cannot --------------------------------------------------------------------


@pytest.mark.parametrize("kind", PATHS)
def test_server_without_prompt_logprobs_is_probed_once(serve: Any, kind: Any) -> None:
    server = serve(no_logprobs=True)
    model = at(kind, server)
    with pytest.raises(SpecError, match=r"127\.0\.0\.1:\d+ does not return prompt logprobs.*Models that"):
        asked(model, likely("is it", " a cat"))
    assert server.stats()["requests"] == {PATHS[kind]: 1}


def test_concurrent_samples_share_one_probe(serve: Any) -> None:
    server = serve()
    asked(at(Completions, server), *(likely("is it", f" cat {n}") for n in range(5)))
    assert server.stats()["requests"] == {"/v1/completions": 6}


def test_wrong_key_is_not_reported_as_missing_logprobs(serve: Any) -> None:
    with pytest.raises(Refused, match="401"):
        asked(at(Completions, serve(key="right"), api_key="wrong"), likely("is it", " cat"))


def test_wrong_model_name_is_not_reported_as_missing_logprobs(serve: Any) -> None:
    with pytest.raises(Refused, match="no model 'fake'"):
        asked(at(Completions, serve(models=("other",))), likely("is it", " cat"))


def test_missing_path_is_reported_as_missing_logprobs(canned: Any) -> None:
    server = canned(whole(404, json.dumps({"detail": "Not Found"})))
    with pytest.raises(SpecError, match=r"does not return prompt logprobs \(HTTP 404"):
        asked(at(Completions, server), likely("is it", " cat"))


def test_unknown_logprobs_source_is_refused(serve: Any) -> None:
    with pytest.raises(SpecError, match="logprobs_by must be prompt_logprobs or echo"):
        at(Completions, serve(), logprobs_by="luck")


def test_missing_model_name_is_refused(serve: Any) -> None:
    with pytest.raises(SpecError, match="-M model=NAME"):
        Completions(base_url=serve().url)


# --- first tokens ------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", [OpenAI, VLLMChat])
def test_first_tokens_are_returned_with_the_answer(serve: Any, kind: Any, stream: bool) -> None:
    model = at(kind, serve(reply="B"), stream=stream)
    (said,) = asked(model, generate("A or B?", max_tokens=1, first_tokens=5))
    letters = sorted("ABCDEFGHIJKLMNOPQRSTUVWXYZ", key=compute_logprob, reverse=True)[:5]
    assert said.first_token_logprobs == {letter: pytest.approx(compute_logprob(letter)) for letter in letters}


def test_first_tokens_are_not_returned_unless_requested(serve: Any) -> None:
    (said,) = asked(at(OpenAI, serve(), logprobs=True), generate("A or B?"))
    assert said.first_token_logprobs is None


def test_too_many_first_tokens_are_refused(serve: Any) -> None:
    server = serve()
    with pytest.raises(SpecError, match="at most 20 first tokens, but 21"):
        asked(at(OpenAI, server), generate("A or B?", first_tokens=21))
    assert not server.stats()["requests"]


@pytest.mark.parametrize("stream", [False, True])
def test_server_without_first_tokens_is_refused(serve: Any, stream: bool) -> None:
    with pytest.raises(SpecError, match=r"does not return first tokens"):
        asked(at(OpenAI, serve(no_logprobs=True), stream=stream), generate("A?", first_tokens=5))
