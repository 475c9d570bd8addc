"""Replies that were cut off."""

import pytest

from auricle.core.truncation import has_open_thought, was_cut_off
from auricle.core.types import Generation, Outcome, determine_outcome


@pytest.mark.parametrize("finish", ["length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_length"])
def test_every_protocol_names_its_token_limit(finish: str) -> None:
    assert was_cut_off("The answer is", finish)


@pytest.mark.parametrize("finish", ["", "stop", "end_turn", "tool_calls", "content_filter"])
def test_other_finish_reasons_are_no_token_limit(finish: str) -> None:
    assert not was_cut_off("The answer is B.", finish)


def test_reasoning_has_to_end() -> None:
    assert has_open_thought("<think>B or C")
    assert has_open_thought("<|thinking|>B or C")
    assert not has_open_thought("<|thinking|>B<|/thinking|>B")
    assert has_open_thought("<think>B</think> A <Reasoning>but")
    assert not has_open_thought("<think>B <think> or C</think>B")
    assert not has_open_thought("B</think>B")  # models whose template begins the reasoning


def test_one_reply_that_was_cut_off_makes_a_sample_truncated() -> None:
    whole, cut = Generation(text="B", finish="stop"), Generation(text="", finish="length")
    assert determine_outcome((cut,), None) is Outcome.TRUNCATED  # all tokens went into the reasoning
    assert determine_outcome((cut, whole), None) is Outcome.TRUNCATED
    assert determine_outcome((whole,), None) is Outcome.ANSWERED


def test_a_request_for_first_tokens_is_not_cut_off() -> None:
    assert not Generation(text="B", finish="length", first_token_logprobs={"B": -0.1}).is_cut_off
