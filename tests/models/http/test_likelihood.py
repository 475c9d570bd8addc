"""Log-likelihoods from servers: requests, and the tokens of a continuation."""

import json
from typing import Any

import pytest

from auricle.core.errors import Rejected, SampleError, SpecError
from auricle.models.http.likelihood import (
    PromptToken,
    continuation_likelihood,
    count_covering_tokens,
    parse_echo,
    parse_prompt_logprobs,
)
from auricle.models.openai import Completions, VLLMChat
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
    with pytest.raises(Rejected, match="401"):
        ask_all(connect(Completions, serve(key="right"), api_key="wrong"), score("is it", " cat"))


def test_wrong_model_name_is_not_reported_as_missing_logprobs(serve: Any) -> None:
    with pytest.raises(Rejected, match="Unknown model 'fake'"):
        ask_all(connect(Completions, serve(models=("other",))), score("is it", " cat"))


def test_missing_path_is_reported_as_missing_logprobs(canned: Any) -> None:
    server = canned(http_reply(404, json.dumps({"detail": "Not Found"})))
    with pytest.raises(SpecError, match=r"does not return prompt logprobs \(HTTP 404"):
        ask_all(connect(Completions, server), score("is it", " cat"))


def test_unknown_logprobs_source_is_refused(serve: Any) -> None:
    with pytest.raises(SpecError, match="logprobs_by must be prompt_logprobs or echo"):
        connect(Completions, serve(), logprobs_by="luck")


@pytest.mark.parametrize(
    ("tokens", "context", "continuation", "count"),
    [
        (["The", " capital", " is", " Paris"], "The capital is", " Paris", 1),
        (["The", " capital", " is", " Par", "is"], "The capital is", " Paris", 2),
        (["A", ":", "\n", "\n", "b"], "A:", "\n\nb", 3),
        (["A", ":", "   ", "b"], "A:", "   b", 2),
        (["the", "cat"], "the", "cat", 1),
        (["x", " thecat"], "x the", "cat", 1),
        (["Frage", ":", "猫", "猫"], "Frage:猫", "猫", 1),
        (["Q", "\ufffd", "\ufffd", "\ufffd"], "Q", "猫", 3),
        (["Q", "", "", "猫"], "Q", "猫", 3),
        (["Q", " ", "\ufffd", "\ufffd", "!"], "Q", " 🙂!", 4),
        (["is", "Paris"], "is", " Paris", 1),
        (["is", "", "Paris"], "is", " Paris", 2),
        (["<s>", "the", "cat"], "", "the cat", 2),
    ],
)
def test_continuation_tokens_are_counted_from_the_end(tokens: Any, context: str, continuation: str, count: int) -> None:
    assert count_covering_tokens(tokens, context + continuation, len(context)) == count


def test_unknown_context_does_not_matter() -> None:
    assert count_covering_tokens(["<assistant>", "\n", "Pa", "ris"], "Paris") == 2
    assert count_covering_tokens(["<assistant>", "\nPa", "ris"], "Paris") == 2
    assert count_covering_tokens(["<assistant>", "\n", "\ufffd", "\ufffd"], "猫") == 2


def test_character_split_at_the_boundary_is_refused() -> None:
    with pytest.raises(SampleError, match="do not end with '猫'"):
        count_covering_tokens(["Q", *["\ufffd"] * 5], "Q犬猫", 2)


def test_tokens_with_other_text_are_refused() -> None:
    with pytest.raises(SampleError, match="do not end with 'Paris'"):
        count_covering_tokens(["is", " London"], "is Paris", 3)


def test_trailing_blank_is_not_ignored() -> None:
    with pytest.raises(SampleError, match="do not end with"):
        count_covering_tokens(["is", " Paris"], "is Paris ", 2)


def places(*tokens: Any) -> Any:
    return [None, *({"7": {"logprob": -1.0, "rank": 1, "decoded_token": token}} for token in tokens)]


def test_first_token_without_logprob_needs_a_start_token() -> None:
    result = parse_prompt_logprobs({"choices": [{"prompt_logprobs": places(" cat")}]}, "host")
    with pytest.raises(SampleError, match="-M 'start="):
        continuation_likelihood(result, "the cat", 0)
    assert continuation_likelihood(result, "the cat", 3).logprobs == (-1.0,)


def test_negative_start_scores_all_tokens_but_the_first() -> None:
    result = parse_prompt_logprobs({"prompt_logprobs": places("a", "b")}, "host")
    assert continuation_likelihood(result, "anything", -1).logprobs == (-1.0, -1.0)


def test_actual_token_precedes_alternatives() -> None:
    place = {
        "9": {"logprob": -3.0, "rank": 2, "decoded_token": " cat"},
        "7": {"logprob": -1.0, "rank": 1, "decoded_token": " dog"},
    }
    assert parse_prompt_logprobs({"prompt_logprobs": [place]}, "host") == [PromptToken(" cat", -3.0, False)]


def test_text_generated_after_the_echo_is_ignored() -> None:
    stored = {
        "tokens": ["the", " cat", " sat"],
        "token_logprobs": [None, -1.0, -2.0],
        "top_logprobs": [None, {" cat": -1.0}, {" is": -0.5, " sat": -2.0}],
        "text_offset": [0, 3, 7],
    }
    answer = {"choices": [{"logprobs": stored}]}
    assert parse_echo(answer, "the cat", "host") == [PromptToken("the", None, None), PromptToken(" cat", -1.0, True)]


@pytest.mark.parametrize("answer", [{}, {"choices": []}, {"prompt_logprobs": [{"7": {}}]}])
def test_malformed_response_is_refused(answer: Any) -> None:
    with pytest.raises(Rejected, match="without valid prompt logprobs"):
        parse_prompt_logprobs(answer, "host")
