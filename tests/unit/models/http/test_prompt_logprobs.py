"""Which tokens of a prompt a continuation is made of, told from their spelling."""

from typing import Any

import pytest

pytest.importorskip("aiohttp")

from auricle.core.errors import Refused, SampleError
from auricle.models.http.prompt_logprobs import (
    PromptToken,
    continuation_likelihood,
    count_covering_tokens,
    parse_echo,
    parse_prompt_logprobs,
)


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
def test_the_tokens_of_a_continuation_are_found_from_the_end(
    tokens: Any, context: str, continuation: str, count: int
) -> None:
    assert count_covering_tokens(tokens, context + continuation, len(context)) == count


def test_what_stands_before_need_not_be_known() -> None:
    assert count_covering_tokens(["<assistant>", "\n", "Pa", "ris"], "Paris") == 2
    assert count_covering_tokens(["<assistant>", "\nPa", "ris"], "Paris") == 2
    assert count_covering_tokens(["<assistant>", "\n", "\ufffd", "\ufffd"], "猫") == 2


def test_a_character_broken_across_the_seam_is_not_guessed_at() -> None:
    with pytest.raises(SampleError, match="do not spell '猫'"):
        count_covering_tokens(["Q", *["\ufffd"] * 5], "Q犬猫", 2)


def test_tokens_that_spell_something_else_are_not_counted() -> None:
    with pytest.raises(SampleError, match="do not spell 'Paris' at the prompt's end"):
        count_covering_tokens(["is", " London"], "is Paris", 3)


def test_a_blank_at_the_end_is_not_forgotten() -> None:
    with pytest.raises(SampleError, match="do not spell"):
        count_covering_tokens(["is", " Paris"], "is Paris ", 2)


def places(*tokens: Any) -> Any:
    return [None, *({"7": {"logprob": -1.0, "rank": 1, "decoded_token": each}} for each in tokens)]


def test_nothing_is_known_of_the_first_token() -> None:
    told = parse_prompt_logprobs({"choices": [{"prompt_logprobs": places(" cat")}]}, "host")
    with pytest.raises(SampleError, match="-M start="):
        continuation_likelihood(told, "the cat", 0)
    assert continuation_likelihood(told, "the cat", 3).logprobs == (-1.0,)


def test_all_but_the_first_is_the_whole() -> None:
    told = parse_prompt_logprobs({"prompt_logprobs": places("a", "b")}, "host")
    assert continuation_likelihood(told, "anything", -1).logprobs == (-1.0, -1.0)


def test_what_stands_in_a_place_is_told_before_what_might_have() -> None:
    place = {
        "9": {"logprob": -3.0, "rank": 2, "decoded_token": " cat"},
        "7": {"logprob": -1.0, "rank": 1, "decoded_token": " dog"},
    }
    assert parse_prompt_logprobs({"prompt_logprobs": [place]}, "host") == [PromptToken(" cat", -3.0, False)]


def test_what_was_written_after_an_echo_is_left_out() -> None:
    held = {
        "tokens": ["the", " cat", " sat"],
        "token_logprobs": [None, -1.0, -2.0],
        "top_logprobs": [None, {" cat": -1.0}, {" is": -0.5, " sat": -2.0}],
        "text_offset": [0, 3, 7],
    }
    answer = {"choices": [{"logprobs": held}]}
    assert parse_echo(answer, "the cat", "host") == [PromptToken("the", None, None), PromptToken(" cat", -1.0, True)]


@pytest.mark.parametrize("answer", [{}, {"choices": []}, {"prompt_logprobs": [{"7": {}}]}])
def test_an_answer_of_another_form_is_refused(answer: Any) -> None:
    with pytest.raises(Refused, match="no logprobs of a prompt"):
        parse_prompt_logprobs(answer, "host")
