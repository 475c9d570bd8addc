"""Log-likelihoods from servers."""

import json
from typing import Any

import pytest

pytest.importorskip("aiohttp")


from auricle.core.errors import Refused, SpecError
from auricle.models.completions import Completions
from auricle.models.vllm_chat import VLLMChat
from tests.support.http_servers import http_reply
from tests.support.scoring_servers import ask_all, connect, score

PATHS = {Completions: "/v1/completions", VLLMChat: "/v1/chat/completions"}


def test_scoring_generates_as_few_tokens_as_possible(canned: Any) -> None:
    place = {"1": {"logprob": -1.0, "rank": 1, "decoded_token": " cat"}}
    server = canned({"choices": [{"text": "", "prompt_logprobs": [None, place]}]})
    ask_all(connect(Completions, server), score("a", " cat"))
    sent = server.last.json()
    assert (sent["max_tokens"], sent["prompt_logprobs"], sent["prompt"]) == (1, 0, "a cat")


def test_server_that_requires_one_token_gets_one(canned: Any) -> None:
    stored = {
        "tokens": ["a", " cat", " sat"],
        "token_logprobs": [None, -1.0, -2.0],
        "top_logprobs": [None, {" cat": -1.0}, None],
        "text_offset": [0, 1, 5],
    }
    no = http_reply(400, json.dumps({"error": {"message": "max_tokens must be at least 1"}}))
    server = canned(no, {"choices": [{"text": "", "logprobs": stored}]})
    (result,) = ask_all(connect(Completions, server, logprobs_by="echo"), score("a", " cat"))
    assert (result.logprobs, result.greedy) == ((-1.0,), True)
    assert server.last.json()["max_tokens"] == 1


@pytest.mark.parametrize("kind", PATHS)
def test_server_without_prompt_logprobs_is_probed_once(serve: Any, kind: Any) -> None:
    server = serve(no_logprobs=True)
    model = connect(kind, server)
    with pytest.raises(SpecError, match=r"127\.0\.0\.1:\d+ does not return prompt logprobs.*Models that"):
        ask_all(model, score("is it", " a cat"))
    assert server.stats()["requests"] == {PATHS[kind]: 1}


def test_concurrent_samples_share_one_probe(serve: Any) -> None:
    server = serve()
    ask_all(connect(Completions, server), *(score("is it", f" cat {n}") for n in range(5)))
    assert server.stats()["requests"] == {"/v1/completions": 6}


def test_wrong_key_is_not_reported_as_missing_logprobs(serve: Any) -> None:
    with pytest.raises(Refused, match="401"):
        ask_all(connect(Completions, serve(key="right"), api_key="wrong"), score("is it", " cat"))


def test_wrong_model_name_is_not_reported_as_missing_logprobs(serve: Any) -> None:
    with pytest.raises(Refused, match="Unknown model 'fake'"):
        ask_all(connect(Completions, serve(models=("other",))), score("is it", " cat"))


def test_missing_path_is_reported_as_missing_logprobs(canned: Any) -> None:
    server = canned(http_reply(404, json.dumps({"detail": "Not Found"})))
    with pytest.raises(SpecError, match=r"does not return prompt logprobs \(HTTP 404"):
        ask_all(connect(Completions, server), score("is it", " cat"))


def test_unknown_logprobs_source_is_refused(serve: Any) -> None:
    with pytest.raises(SpecError, match="logprobs_by must be prompt_logprobs or echo"):
        connect(Completions, serve(), logprobs_by="luck")
